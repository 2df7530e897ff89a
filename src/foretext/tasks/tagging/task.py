"""What fine-tuning asks of a tagger: its rows, their rates, and what it is compared with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

from typing_extensions import TypedDict

from foretext.base.config import Config
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
from foretext.heads.tagging import TaggingHead
from foretext.heads.task_base import TaskBase
from foretext.tasks.baseline import Baseline
from foretext.tasks.model import KeptFacts, TaskModel
from foretext.tasks.resolving import resolved_boundaries
from foretext.tasks.tagging.baseline import tag_baseline, tag_majority
from foretext.tasks.tagging.learned_rates import LearnedRates, Rate
from foretext.tasks.tagging.rows import (
    are_characters,
    are_chinese_characters,
    found_in,
    in_own_notation,
)
from foretext.tasks.trainee import Resolved
from foretext.tokenizers.alphabet import Alphabet

__all__ = ["TaggerLearning"]

SAMPLE = 2000  # rows that rates are counted in


class _Rates(TypedDict):
    tagged: Rate
    unknown: Rate
    capital: Rate


class _Facts(KeptFacts, total=False):
    """What a folder keeps of a tagger."""

    learned: _Rates


class TaggerLearning(TaskModel):
    """Rows of tokens, each with one tag.

    Attributes:
        learned: rates of the rows that it learned from; None: they are not known.
    """

    learned: LearnedRates | None = None
    facts_type: ClassVar = _Facts
    head: TaggingHead
    head_class = TaggingHead
    rows_config: ClassVar = TaggedConfig
    title = "Tagging"
    abilities = ("predict", "tag", "tokenize", "decode")
    watched = ("precision", "recall")
    vectors_backbone = "lstm"

    @property
    def finds_entities(self) -> bool:
        """Whether tags say where entities begin and end."""
        return self.head.tags.scheme is not None

    @classmethod
    def lines_of(cls, given: Any) -> Iterator[str]:
        """Yield sentences in memory as lines of a token and its tag."""
        return tagged_blocks(given)

    @classmethod
    def read(cls, path: RowSource, config: TaggedConfig | None = None) -> list[TaggedSentence]:
        """Read sentences with a tag for each token."""
        return read_tagged(path, config)

    @classmethod
    def inputs_in(cls, file: InputFile, wanted: InputColumns) -> Iterator[KeptInput]:
        """Yield the inputs of a file: texts, or sentences of tokens."""
        return tagged_inputs(file, wanted)

    @classmethod
    def objects_of(cls, rows: Sequence[TaggedSentence]) -> Iterator[dict[str, Any]]:
        """Yield sentences as a list of tokens and a list of tags."""
        for row in rows:
            yield {"tokens": row.tokens, "tags": row.tags}

    @classmethod
    def problems(
        cls, train: Sequence[TaggedSentence], test: Sequence[TaggedSentence] = ()
    ) -> list[Problem]:
        """Return what a person should know of the rows, the gravest first."""
        return find_tag_problems(train, test)

    @classmethod
    def unseen_problems(
        cls, train: Sequence[TaggedSentence], valid: Sequence[TaggedSentence]
    ) -> list[Problem]:
        """Return which tags of held-out sentences are never learned."""
        return find_unseen_labels(train, valid)

    @classmethod
    def find(cls, rows: Sequence[TaggedSentence]) -> dict[str, Any]:
        """Return the tags, sorted, their scheme, and the characters of the tokens.

        Raises:
            CorpusError: rows have no tags, fewer than two, or some that do not fit their scheme.
        """
        return found_in(rows)

    @classmethod
    def texts(cls, rows: Sequence[TaggedSentence]) -> RowTexts:
        """Return the sentences, their tokens separated by blanks."""
        return RowTexts([row.text for row in rows], are_tokens=True)

    @classmethod
    def num_characters(cls, rows: Sequence[TaggedSentence]) -> int:
        """Return the number of ids that the spelling of the tokens takes."""
        return Alphabet.of(token for row in rows for token in row.tokens).num_ids

    @classmethod
    def gains_from_spelling(cls, rows: Sequence[TaggedSentence]) -> bool:
        """Whether tokens are words: capitals and endings show names that were never seen."""
        return not are_characters(rows)

    @classmethod
    def gains_from_bigrams(cls, rows: Sequence[TaggedSentence]) -> bool:
        """Whether tokens are Chinese characters, which say less than words."""
        return are_chinese_characters(rows)

    @classmethod
    def learns_embeddings(cls, config: TaggingHead.Config) -> bool:
        """Whether places in words are marked by embeddings."""
        return config.word_boundaries is True

    @classmethod
    def resolve(
        cls,
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
        is_chinese = are_chinese_characters(rows)
        return resolved_boundaries(config, base, is_chinese=is_chinese, is_frozen=is_frozen)

    @classmethod
    def learns_chain(cls, config: TaggingHead.Config) -> bool:
        """Whether the settings ask for a CRF or a BiLSTM."""
        return bool(config.crf or config.lstm_dim)

    @classmethod
    def baseline(cls, rows: Sequence[TaggedSentence]) -> Baseline:
        """Learn the most frequent tag of each word."""
        return tag_baseline(rows)

    @classmethod
    def majority(cls, rows: Sequence[TaggedSentence]) -> Baseline:
        """Learn nothing where tags are of entities: no token is of one."""
        return tag_majority(rows)

    @classmethod
    def begin(cls, base: TaskBase, config: Config, rows: Sequence[TaggedSentence]) -> Self:
        """Put an untrained head on a base, and note what the rows look like."""
        model = super().begin(base, config, rows)
        sample = in_own_notation(rows[:: -(-len(rows) // SAMPLE)])
        model.learned = model._rates(
            [row.tokens for row in sample], sum(tag != "O" for row in sample for tag in row.tags)
        )
        return model

    def facts(self) -> Mapping[str, Any]:
        """Return what is kept beside weights and settings."""
        if self.learned is None:
            return super().facts()
        return {**super().facts(), "learned": self.learned._asdict()}

    def load_parts(self, folder: Path, facts: Mapping[str, Any]) -> None:
        """Take over what the rows of the training looked like."""
        if "learned" in facts:
            self.learned = LearnedRates(**facts["learned"])

    def _rates(self, sentences: Sequence[Sequence[str]], num_tagged: int) -> LearnedRates:
        tagged = num_tagged if self.finds_entities else 0
        return LearnedRates.of(sentences, tagged, self.base.tokenizer)
