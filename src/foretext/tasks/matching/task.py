"""Matching: pairs of texts with a label or a score."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from foretext.corpus.findings import Problem
from foretext.data.rows import (
    LabelledPair,
    PairsConfig,
    find_row_problems,
    find_unseen_labels,
    read_pairs,
)
from foretext.data.rows.in_memory import RowSource
from foretext.data.rows.label import Label, found_labels
from foretext.tasks.baseline import Baseline, majority_baseline
from foretext.tasks.class_answers import count_labels
from foretext.tasks.matching.baseline import cosine_scores, mean_score
from foretext.tasks.score_answers import have_scores, score_range
from foretext.tasks.task import Candidates, Feature, HeadTraits, Resolved, Task, lazily

if TYPE_CHECKING:
    from foretext.heads.base import TaskBase
    from foretext.heads.matching import MatchingHead

__all__ = ["Matching"]

READS_OVERLAP = (
    "the head also reads which words both texts have, as the baseline weighs them; only foretext "
    "opens the model"
)


class Matching(Task):
    """Pairs of texts with a label or a score.

    Args:
        has_baseline: False: what learns it is the linear matcher, the baseline of all others.
    """

    head = lazily("foretext.heads.matching:MatchingHead")
    model = lazily("foretext.tasks.matching.network:TextMatcher")
    graph = lazily("foretext.tasks.graphs:matcher_graph")
    rows_config: ClassVar = PairsConfig
    fields = ("text_a", "text_b")
    title = "Matching"
    judged_by = "accuracy"
    candidates = Candidates(
        order=(
            "shared words", "word2vec + reader + words", "modern-bert", "bert",
            "word2vec + textcnn", "modern-bert, not pretrained", "electra", "word2vec + bilstm",
            "textcnn", "bilstm", "unilm", "xlnet", "gpt", "fasttext + textcnn",
            "glove + textcnn", "fasttext + bilstm", "glove + bilstm", "ernie", "lstm-lm", "bart",
            "t5", "elmo",
        ),
        baseline="shared words",
        baseline_base="linear",
        over_vectors="reader",
        word_features="overlap",
    )  # fmt: skip
    watched = ("f1", "pearson")
    of_pairs = True

    def __init__(self, *, has_baseline: bool = True) -> None:
        self.has_baseline = has_baseline

    def read(self, path: RowSource, config: PairsConfig | None = None) -> list[LabelledPair]:
        """Read pairs."""
        return read_pairs(path, config)

    def reading_again(self, config: PairsConfig) -> dict[str, Any]:
        """Return the settings of `read` for what `objects_of` yields: whether there are scores."""
        kept = super().reading_again(config)
        return kept if config.score is None else {**kept, "score": "score"}

    def over_vectors(self, config: MatchingHead.Config, rows: Sequence[LabelledPair]) -> str:
        """Return "reader", which reads a pair as one row; the usual one where texts stay apart."""
        is_siamese = config.mode == "siamese" or have_scores(rows)
        return self.vectors_backbone if is_siamese else "reader"

    def objects_of(self, rows: Sequence[LabelledPair]) -> Iterator[dict[str, Any]]:
        """Yield pairs with their label, as it came, or their score."""
        for row, values in zip(rows, super().objects_of(rows), strict=True):
            yield values if row.label is None else values | {"label": Label.read(row.label).value}

    def stratum_of(self, row: LabelledPair) -> str:
        """Return the label; pairs with scores are of one kind."""
        return row.label or ""

    def have_scores(self, rows: Sequence[LabelledPair]) -> bool:
        """Whether pairs have numbers in place of labels."""
        return have_scores(rows)

    def problems(
        self, train: Sequence[LabelledPair], test: Sequence[LabelledPair] = ()
    ) -> list[Problem]:
        """Return what a person should know of the rows, the gravest first."""
        return find_row_problems(train, test)

    def unseen_problems(
        self, train: Sequence[LabelledPair], valid: Sequence[LabelledPair]
    ) -> list[Problem]:
        """Return which labels of held-out rows are never learned."""
        return find_unseen_labels(train, valid)

    def find(self, rows: Sequence[LabelledPair]) -> dict[str, Any]:
        """Return the labels, sorted, and their counts; or the range of the scores.

        Raises:
            CorpusError: there are fewer than two labels or scores.
        """
        if have_scores(rows):
            return score_range(rows)
        counts = count_labels(rows)
        return {**found_labels(list(counts)), "counts": list(counts.values())}

    def baseline(self, rows: Sequence[LabelledPair]) -> Baseline | None:
        """Learn the linear matcher, a regression on the words that both texts share."""
        from foretext.tasks.matching.linear import pair_baseline

        return pair_baseline(rows) if self.has_baseline else None

    def untouched(
        self, embed: Callable[[Sequence[str]], Any], rows: Sequence[LabelledPair]
    ) -> Baseline | None:
        """Score pairs by the cosines of the vectors that the base has; labels need training."""
        return cosine_scores(embed) if have_scores(rows) else None

    def head_traits(self, config: MatchingHead.Config) -> HeadTraits:
        """Return whether shared tokens are marked by embeddings."""
        return HeadTraits(learns_embeddings=config.shared_tokens is True)

    def why_not(
        self, feature: Feature, config: Any = None, rows: Sequence[LabelledPair] = ()
    ) -> str | None:
        """Return why a feature is not for pairs: probabilities of labels alone are calibrated."""
        if feature == "calibrate" and not have_scores(rows):
            return None
        return super().why_not(feature, config, rows)

    def resolve(
        self,
        config: MatchingHead.Config,
        base: TaskBase,
        rows: Sequence[LabelledPair],
        *,
        is_pretrained: bool,
        is_frozen: bool,
    ) -> Resolved:
        """Choose how both texts are read, and whether the tokens that they share are marked."""
        from foretext.tasks.resolving import resolved_mode, resolved_shared_tokens

        resolved, notes = resolved_mode(config, base, has_scores=have_scores(rows))
        if config.word_features != "none":
            notes = [*notes, READS_OVERLAP]
        if resolved.mode == "siamese":
            return Resolved(resolved, notes)
        marked = resolved_shared_tokens(
            resolved, base, is_pretrained=is_pretrained, is_frozen=is_frozen
        )
        return Resolved(marked.config, [*notes, *marked.notes])

    def majority(self, rows: Sequence[LabelledPair]) -> Baseline:
        """Learn the most frequent label, or the mean score."""
        return mean_score(rows) if have_scores(rows) else majority_baseline(rows, of_pairs=True)

    joins_word_vectors = True
