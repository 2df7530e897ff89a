"""What fine-tuning asks of a matcher: its rows, their problems, and what it is compared with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

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
from foretext.heads.matching import MatchingHead
from foretext.heads.task_base import TaskBase
from foretext.tasks.baseline import Baseline
from foretext.tasks.class_answers import count_labels
from foretext.tasks.majority_baseline import majority_baseline
from foretext.tasks.matching.baseline import mean_score, pair_baseline
from foretext.tasks.matching.pair_scores import have_scores
from foretext.tasks.model import TaskModel
from foretext.tasks.resolving import resolved_mode, resolved_shared_tokens
from foretext.tasks.score_answers import score_range
from foretext.tasks.trainee import Resolved

__all__ = ["MatcherLearning"]

READS_OVERLAP = (
    "the head also reads which words both texts have, as the baseline weighs them; only foretext "
    "opens the model"
)


class MatcherLearning(TaskModel):
    """Rows of two texts with a label or a score."""

    head: MatchingHead
    head_class = MatchingHead
    rows_config: ClassVar = PairsConfig
    fields = ("text_a", "text_b")
    title = "Matching"
    abilities = ("predict", "rerank", "tokenize", "decode", "explain")
    watched = ("f1", "pearson")
    of_pairs = True

    @classmethod
    def read(cls, path: RowSource, config: PairsConfig | None = None) -> list[LabelledPair]:
        """Read pairs."""
        return read_pairs(path, config)

    @classmethod
    def reading_again(cls, config: PairsConfig) -> dict[str, Any]:
        """Return the settings of `read` for what `objects_of` yields: whether there are scores."""
        kept = super().reading_again(config)
        return kept if config.score is None else {**kept, "score": "score"}

    @classmethod
    def over_vectors(cls, config: MatchingHead.Config, rows: Sequence[LabelledPair]) -> str:
        """Return "reader", which reads a pair as one row; the usual one where texts stay apart."""
        is_siamese = config.mode == "siamese" or have_scores(rows)
        return cls.vectors_backbone if is_siamese else "reader"

    @classmethod
    def objects_of(cls, rows: Sequence[LabelledPair]) -> Iterator[dict[str, Any]]:
        """Yield pairs with their label, as it came, or their score."""
        for row, values in zip(rows, super().objects_of(rows), strict=True):
            yield values if row.label is None else values | {"label": Label.read(row.label).value}

    @classmethod
    def stratum_of(cls, row: LabelledPair) -> str:
        """Return the label; pairs with scores are of one kind."""
        return row.label or ""

    @classmethod
    def have_scores(cls, rows: Sequence[LabelledPair]) -> bool:
        """Whether pairs have numbers in place of labels."""
        return have_scores(rows)

    @classmethod
    def problems(
        cls, train: Sequence[LabelledPair], test: Sequence[LabelledPair] = ()
    ) -> list[Problem]:
        """Return what a person should know of the rows, the gravest first."""
        return find_row_problems(train, test)

    @classmethod
    def unseen_problems(
        cls, train: Sequence[LabelledPair], valid: Sequence[LabelledPair]
    ) -> list[Problem]:
        """Return which labels of held-out rows are never learned."""
        return find_unseen_labels(train, valid)

    @classmethod
    def find(cls, rows: Sequence[LabelledPair]) -> dict[str, Any]:
        """Return the labels, sorted, and their counts; or the range of the scores.

        Raises:
            CorpusError: there are fewer than two labels or scores.
        """
        if have_scores(rows):
            return score_range(rows)
        counts = count_labels(rows)
        return {**found_labels(list(counts)), "counts": list(counts.values())}

    @classmethod
    def baseline(cls, rows: Sequence[LabelledPair]) -> Baseline:
        """Learn a regression on the words that both texts share."""
        return pair_baseline(rows)

    @classmethod
    def check_calibration(cls, rows: Sequence[LabelledPair]) -> None:
        """Check that pairs have labels.

        Raises:
            SettingError: they have scores.
        """
        if have_scores(rows):
            super().check_calibration(rows)

    @classmethod
    def learns_embeddings(cls, config: MatchingHead.Config) -> bool:
        """Whether shared tokens are marked by embeddings."""
        return config.shared_tokens is True

    @classmethod
    def resolve(
        cls,
        config: MatchingHead.Config,
        base: TaskBase,
        rows: Sequence[LabelledPair],
        *,
        is_pretrained: bool,
        is_frozen: bool,
    ) -> Resolved:
        """Choose how both texts are read, and whether the tokens that they share are marked."""
        resolved, notes = resolved_mode(config, base, has_scores=have_scores(rows))
        if config.word_features != "none":
            notes = [*notes, READS_OVERLAP]
        if resolved.mode == "siamese":
            return Resolved(resolved, notes)
        marked = resolved_shared_tokens(
            resolved, base, is_pretrained=is_pretrained, is_frozen=is_frozen
        )
        return Resolved(marked.config, [*notes, *marked.notes])

    @classmethod
    def majority(cls, rows: Sequence[LabelledPair]) -> Baseline:
        """Learn the most frequent label, or the mean score."""
        return mean_score(rows) if have_scores(rows) else majority_baseline(rows, of_pairs=True)
