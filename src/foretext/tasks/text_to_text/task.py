"""What fine-tuning asks of a writer of texts: its rows, their problems, and its baseline."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Self

from foretext.base.errors import CorpusError, SettingError
from foretext.corpus.findings import Problem
from foretext.data.rows import (
    ParallelConfig,
    ParallelText,
    RowTexts,
    as_parallel_files,
    find_parallel_problems,
    read_parallel,
)
from foretext.data.rows.in_memory import RowSource, json_lines
from foretext.heads.task_base import TaskBase
from foretext.heads.text_to_text import TextToTextHead
from foretext.tasks.baseline import Baseline
from foretext.tasks.model import TaskModel
from foretext.tasks.text_to_text.answers import TextAnswers
from foretext.tasks.text_to_text.baseline import WordTranslator
from foretext.tasks.text_to_text.text_answer import TextAnswer
from foretext.tasks.trainee import Resolved, visibility_of

__all__ = ["TextWriterLearning"]

SMOOTHING = 0.1  # of labels, where weights are random (Vaswani et al. 2017, 5.4)


class TextWriterLearning(TaskModel):
    """Rows of a source and a target."""

    head: TextToTextHead
    head_class = TextToTextHead
    rows_config: ClassVar = ParallelConfig
    fields = ("source",)
    title = "Text to text"
    abilities = ("predict", "translate", "tokenize", "decode")
    watched = ("bleu", "chrf")
    reads_parallel_files = True
    scratch_tokenizer: ClassVar[Mapping[str, Any]] = {
        "name": "bpe",  # of bytes: an output is the text that it stands for, to the letter
        "vocab_size": 8000,
        "special_tokens": ["<pad>", "[UNK]", "</s>"],
    }

    @classmethod
    def lines_of(cls, given: Any) -> Iterator[str]:
        """Yield rows in memory as JSON objects with a source and a target."""
        return json_lines(given, ("source", "target"))

    @classmethod
    def source_of(cls, given: Any) -> RowSource:
        """Return two names of files as parallel files, and everything else as other tasks do."""
        return as_parallel_files(given) or super().source_of(given)

    @classmethod
    def read(cls, path: RowSource, config: ParallelConfig | None = None) -> list[ParallelText]:
        """Read sources with their targets."""
        return read_parallel(path, config)

    @classmethod
    def problems(
        cls, train: Sequence[ParallelText], test: Sequence[ParallelText] = ()
    ) -> list[Problem]:
        """Return empty texts, copies, repetitions and lengths that do not fit."""
        return find_parallel_problems(train, test)

    @classmethod
    def find(cls, rows: Sequence[ParallelText]) -> dict[str, Any]:
        """Find nothing that could be found without a tokenizer.

        Raises:
            CorpusError: no row has both texts.
        """
        if not any(row.is_whole for row in rows):
            raise CorpusError(
                f"None of the {len(rows)} rows to learn from has both a source and a target; fill "
                "them in."
            )
        return {}

    @classmethod
    def texts(cls, rows: Sequence[ParallelText]) -> RowTexts:
        """Return sources and targets."""
        return RowTexts([text for row in rows for text in (row.source, row.target)])

    @classmethod
    def texts_apart(
        cls, config: TextToTextHead.Config, rows: Sequence[ParallelText]
    ) -> tuple[RowTexts, RowTexts] | None:
        """Return sources and targets where each has a vocabulary of its own."""
        if config.vocabularies == "shared":
            return None
        return RowTexts([row.source for row in rows]), RowTexts([row.target for row in rows])

    @classmethod
    def base_for(cls, base: TaskBase) -> TaskBase:
        """Return the whole, read as a decoder is: an encoder alone writes no texts."""
        if not base.backbone.reads_source:
            return base
        return base._replace(visibility=visibility_of(base.backbone))

    @classmethod
    def baseline(cls, rows: Sequence[ParallelText]) -> Baseline:
        """Learn which word becomes which one."""
        pairs = [(row.source, row.target) for row in rows if row.is_whole]
        translator = WordTranslator().fit(pairs)

        def answers(others: Sequence[ParallelText]) -> TextAnswers:
            texts = translator.predict([row.source for row in others])
            return TextAnswers([TextAnswer(text) for text in texts], "the baseline")

        return Baseline(translator.name, answers)

    @classmethod
    def resolve(
        cls,
        config: TextToTextHead.Config,
        base: TaskBase,
        rows: Sequence[ParallelText],
        *,
        is_pretrained: bool,
        is_frozen: bool,
    ) -> Resolved:
        """Draw cross-attention again where it seeks sentinels; smooth where weights are random.

        Raises:
            SettingError: redraw_cross_attention has no effect.
        """
        redraws = config.redraw_cross_attention
        chosen: dict[str, Any] = {}
        if redraws is None:
            seeks_sentinels = base.backbone.seeks_sentinels and not base.knows_pairs
            redraws = is_pretrained and not is_frozen and seeks_sentinels
            chosen["redraw_cross_attention"] = redraws
        elif redraws and not is_pretrained:
            raise SettingError(
                "[task] redraw_cross_attention would have no effect: all weights are random; "
                "leave it out."
            )
        if config.label_smoothing is None:
            is_random = redraws or not is_pretrained
            chosen["label_smoothing"] = SMOOTHING if is_random else 0.0
        return Resolved(config.model_copy(update=chosen), [])

    @classmethod
    def begin(cls, base: TaskBase, config: Any, rows: Sequence[ParallelText]) -> Self:
        """Put the head of the base's objective on it, and note how long targets are."""
        tokenizer = base.target_tokenizer or base.tokenizer
        found = cls.find(rows)
        longest = max(map(len, tokenizer.encode_batch([row.target for row in rows])))
        if config.redraw_cross_attention:
            base.backbone.redraw_cross_attention()
        return cls(base, cls.head_class(config, base, longest=longest, **found))

    @property
    def judged_by(self) -> str:  # type: ignore[override]
        """The figure by which one model is better than another."""
        chosen: str = self.head.config.judged_by
        return "chrf" if chosen == "loss" else chosen

    @property
    def is_chosen_by_loss(self) -> bool:
        """Whether held-out loss decides which weights are kept, so that nothing is decoded."""
        return bool(self.head.config.judged_by == "loss")

    def knows(self, row: ParallelText) -> bool:
        """Whether neither text is empty."""
        return row.is_whole
