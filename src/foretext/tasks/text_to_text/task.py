"""Text to text: sources that become targets, such as translations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

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
from foretext.tasks.baseline import Baseline
from foretext.tasks.task import Candidates, Resolved, Task, lazily
from foretext.tasks.text_to_text.answers import TextAnswer, TextAnswers
from foretext.tasks.text_to_text.baseline import WordTranslator

if TYPE_CHECKING:
    from foretext.heads.base import TaskBase
    from foretext.heads.text_to_text import TextToTextHead

__all__ = ["TextToText"]

SMOOTHING = 0.1  # of labels, where weights are random (Vaswani et al. 2017, 5.4)


class TextToText(Task):
    """Sources, each with the target that it becomes."""

    head = lazily("foretext.heads.text_to_text:TextToTextHead")
    model = lazily("foretext.tasks.text_to_text.network:TextWriter")
    rows_config: ClassVar = ParallelConfig
    fields = ("source",)
    title = "Text to text"
    judged_by = "chrf"
    candidates = Candidates(
        order=(
            "ibm model 1", "gru-attention", "transformer-2017", "lstm-attention", "bart", "t5",
            "unilm", "gpt",
        ),
        baseline="ibm model 1",
        slowness=2.0,
        pretraining_rate=0.5,
    )  # fmt: skip
    watched = ("bleu", "chrf")
    reads_parallel_files = True
    scratch_tokenizer: ClassVar[Mapping[str, Any]] = {
        "name": "bpe",  # of bytes: an output is the text that it stands for, to the letter
        "vocab_size": 8000,
        "special_tokens": ["<pad>", "[UNK]", "</s>"],
    }

    def lines_of(self, given: Any) -> Iterator[str]:
        """Yield rows in memory as JSON objects with a source and a target."""
        return json_lines(given, ("source", "target"))

    def source_of(self, given: Any) -> RowSource:
        """Return two names of files as parallel files, and everything else as other tasks do."""
        return as_parallel_files(given) or super().source_of(given)

    def read(self, path: RowSource, config: ParallelConfig | None = None) -> list[ParallelText]:
        """Read sources with their targets."""
        return read_parallel(path, config)

    def problems(
        self, train: Sequence[ParallelText], test: Sequence[ParallelText] = ()
    ) -> list[Problem]:
        """Return empty texts, copies, repetitions and lengths that do not fit."""
        return find_parallel_problems(train, test)

    def find(self, rows: Sequence[ParallelText]) -> dict[str, Any]:
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

    def texts(self, rows: Sequence[ParallelText]) -> RowTexts:
        """Return sources and targets."""
        return RowTexts([text for row in rows for text in (row.source, row.target)])

    def texts_apart(
        self, config: TextToTextHead.Config, rows: Sequence[ParallelText]
    ) -> tuple[RowTexts, RowTexts] | None:
        """Return sources and targets where each has a vocabulary of its own."""
        if config.vocabularies == "shared":
            return None
        return RowTexts([row.source for row in rows]), RowTexts([row.target for row in rows])

    def base_for(self, base: TaskBase) -> TaskBase:
        """Return the whole, read as a decoder is: an encoder alone writes no texts."""
        if not base.backbone.reads_source:
            return base
        from foretext.heads.base import visibility_of

        return base._replace(visibility=visibility_of(base.backbone))

    def baseline(self, rows: Sequence[ParallelText]) -> Baseline:
        """Learn which word becomes which one."""
        pairs = [(row.source, row.target) for row in rows if row.is_whole]
        translator = WordTranslator().fit(pairs)

        def answers(others: Sequence[ParallelText]) -> TextAnswers:
            texts = translator.predict([row.source for row in others])
            return TextAnswers([TextAnswer(text) for text in texts], "the baseline")

        return Baseline(translator.name, answers)

    def resolve(
        self,
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
            seeks_sentinels = base.backbone.task_traits.seeks_sentinels and not base.knows_pairs
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
