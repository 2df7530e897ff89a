"""Tagging: sentences of tokens, each with one tag."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from foretext.base.errors import SettingError
from foretext.corpus.findings import Problem
from foretext.data.rows import (
    InputColumns,
    InputFile,
    KeptInput,
    RowTexts,
    TaggedConfig,
    TaggedSentence,
    find_tag_problems,
    find_unseen_labels,
    read_tagged,
    tagged_inputs,
)
from foretext.data.rows.in_memory import RowSource, tagged_blocks
from foretext.tasks.baseline import Baseline
from foretext.tasks.tagging.baseline import tag_baseline, tag_majority
from foretext.tasks.tagging.rows import (
    are_characters,
    are_chinese_characters,
    found_in,
)
from foretext.tasks.task import Candidates, HeadTraits, Resolved, Task, WordTraits, lazily
from foretext.tokenizers.alphabet import Alphabet

if TYPE_CHECKING:
    from foretext.heads.base import TaskBase
    from foretext.heads.tagging import TaggingHead

__all__ = ["Tagging"]


class Tagging(Task):
    """Sentences of tokens, each with one tag."""

    head = lazily("foretext.heads.tagging:TaggingHead")
    model = lazily("foretext.tasks.tagging.network:Tagger")
    graph = lazily("foretext.tasks.graphs:tagger_graph")
    rows_config: ClassVar = TaggedConfig
    title = "Tagging"
    judged_by = "f1"
    candidates = Candidates(
        order=(
            "frequent tags", "linear", "word2vec + bilstm", "bilstm", "modern-bert", "xlnet",
            "fasttext + bilstm", "unilm", "bert", "modern-bert, not pretrained",
            "glove + bilstm", "electra", "lstm-lm", "elmo", "word2vec + textcnn", "textcnn",
            "fasttext + textcnn", "glove + textcnn", "gpt", "ernie", "bart", "t5",
        ),
        baseline="frequent tags",
        over_vectors="bilstm",
        slowness=1.1,
    )  # fmt: skip
    watched = ("precision", "recall")
    vectors_backbone = "lstm"

    def lines_of(self, given: Any) -> Iterator[str]:
        """Yield sentences in memory as lines of a token and its tag."""
        return tagged_blocks(given)

    def read(self, path: RowSource, config: TaggedConfig | None = None) -> list[TaggedSentence]:
        """Read sentences with a tag for each token."""
        return read_tagged(path, config)

    def inputs_in(self, file: InputFile, wanted: InputColumns) -> Iterator[KeptInput]:
        """Yield the inputs of a file: texts, or sentences of tokens."""
        return tagged_inputs(file, wanted)

    def objects_of(self, rows: Sequence[TaggedSentence]) -> Iterator[dict[str, Any]]:
        """Yield sentences as a list of tokens and a list of tags."""
        for row in rows:
            yield {"tokens": row.tokens, "tags": row.tags}

    def problems(
        self, train: Sequence[TaggedSentence], test: Sequence[TaggedSentence] = ()
    ) -> list[Problem]:
        """Return what a person should know of the rows, the gravest first."""
        return find_tag_problems(train, test)

    def unseen_problems(
        self, train: Sequence[TaggedSentence], valid: Sequence[TaggedSentence]
    ) -> list[Problem]:
        """Return which tags of held-out sentences are never learned."""
        return find_unseen_labels(train, valid)

    def find(self, rows: Sequence[TaggedSentence]) -> dict[str, Any]:
        """Return the tags, sorted, their scheme, and the characters of the tokens.

        Raises:
            CorpusError: rows have no tags, fewer than two, or some that do not fit their scheme.
        """
        return found_in(rows)

    def texts(self, rows: Sequence[TaggedSentence]) -> RowTexts:
        """Return the sentences, their tokens separated by blanks."""
        return RowTexts([row.text for row in rows], are_tokens=True)

    def word_traits(self, rows: Sequence[TaggedSentence]) -> WordTraits:
        """Return what a network reads of the tokens.

        Capitals and endings of words show names that were never seen; Chinese characters say less
        than words.
        """
        alphabet = Alphabet.of(token for row in rows for token in row.tokens)
        return WordTraits(alphabet.num_ids, not are_characters(rows), are_chinese_characters(rows))

    def head_traits(self, config: TaggingHead.Config) -> HeadTraits:
        """Return whether there is a CRF or a BiLSTM, and whether characters are marked."""
        return HeadTraits(
            learns_chain=bool(config.crf or config.lstm_dim),
            learns_embeddings=config.word_boundaries is True,
        )

    def resolve(
        self,
        config: TaggingHead.Config,
        base: TaskBase,
        rows: Sequence[TaggedSentence],
        *,
        is_pretrained: bool,
        is_frozen: bool,
    ) -> Resolved:
        """Choose whether the characters of Chinese rows are marked by their places in words.

        Raises:
            SettingError: the user wants them marked, but tokens are words.
        """
        if config.word_boundaries is True and not are_characters(rows):
            raise SettingError(
                "[task] word_boundaries = true marks where characters stand in words, but most "
                "tokens of the rows are words themselves; leave it out."
            )

        from foretext.tasks.resolving import resolved_boundaries

        is_chinese = are_chinese_characters(rows)
        return resolved_boundaries(config, base, is_chinese=is_chinese, is_frozen=is_frozen)

    def baseline(self, rows: Sequence[TaggedSentence]) -> Baseline:
        """Learn the most frequent tag of each word."""
        return tag_baseline(rows)

    def majority(self, rows: Sequence[TaggedSentence]) -> Baseline:
        """Learn nothing where tags are of entities: no token is of one."""
        return tag_majority(rows)

    joins_word_vectors = True
