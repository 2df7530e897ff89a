"""What reads rows of a task and answers them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from foretext.base.arguments import checked_arguments
from foretext.base.config import Config
from foretext.corpus.findings import Problem
from foretext.corpus.texts import is_file_or_source
from foretext.data.rows.in_memory import RowSource, RowTexts, json_lines, row_source
from foretext.data.rows.input_file import InputFile
from foretext.data.rows.input_rows import InputColumns, KeptInput, text_inputs
from foretext.data.rows.parallel_files import as_parallel_files
from foretext.data.rows.reading import fitting, read_otherwise
from foretext.tasks.answers import Answers
from foretext.tasks.baseline import Baseline
from foretext.tasks.regression_cost import RegressionCost

__all__ = ["RowModel"]

KEPT = {"normalization", "max_piece_bytes"}  # settings of rows that hold for JSON lines too


class RowModel(ABC):
    """Rows with right answers in, answers and figures out: the first half of `Predictor`."""

    rows_config: ClassVar[type[Config]]  # settings of `read`, the section [rows]
    fields: ClassVar[tuple[str, ...]] = ("text",)  # the texts of an input
    reads_parallel_files: ClassVar[bool] = False  # whether rows may stand in two files
    is_compared: ClassVar[bool] = True  # whether `foretext compare` takes the task
    judged_by: str  # the figure by which one model is better than another; higher is better
    reading: Config | None = None  # how the run that it comes from read its rows

    # Rows

    @classmethod
    def lines_of(cls, given: Any) -> Iterator[str]:
        """Yield rows that Python holds as the lines of a file that `read` reads.

        Args:
            given: tuples of the texts and the answer, dicts, a table, or (X, y).

        Raises:
            CorpusError: a row is something else.
        """
        return json_lines(given, (*cls.fields, "label"))

    @classmethod
    def source_of(cls, given: Any) -> RowSource:
        """Return the name of a file as it is, and rows that Python holds as `read` takes them."""
        return row_source(given, cls.lines_of)

    @classmethod
    @abstractmethod
    def read(cls, path: RowSource, config: Any = None) -> list[Any]:
        """Read a file of rows.

        Args:
            path: of the file, or rows in memory as `source_of` gives them.
            config: a `rows_config`; None: its defaults.

        Raises:
            CorpusError: the file cannot be read, or a row is wrong.
        """

    @classmethod
    def inputs_in(cls, file: InputFile, wanted: InputColumns) -> Iterator[KeptInput]:
        """Yield the inputs of a file, without their right answers.

        Raises:
            CorpusError: the file cannot be read, or a row is wrong.
            SettingError: columns are to be kept, and it has none.
        """
        return text_inputs(file, wanted)

    def reading_of(self, rows: Config | Mapping[str, Any] | None) -> Config:
        """Return how rows are read: as in the training, with what is given over it.

        Args:
            rows: a whole `rows_config`, or single settings; None: none.

        Raises:
            SettingError: there is no such setting, or it is wrong.
        """
        if isinstance(rows, Config):
            return rows
        return read_otherwise(self.reading or self.rows_config(), rows or {})

    @classmethod
    def objects_of(cls, rows: Sequence[Any]) -> Iterator[dict[str, Any]]:
        """Yield rows as JSON objects, which `read` reads back as equal rows; see `reading_again`.

        By default rows are named tuples, and a row's names are those of the usual columns.
        """
        for row in rows:
            values = row._asdict().items()
            yield {name: value for name, value in values if name != "place" and value is not None}

    @classmethod
    def reading_again(cls, config: Any) -> dict[str, Any]:
        """Return the settings of `read` for what `objects_of` yields.

        Args:
            config: the `rows_config` by which the rows were read at first; its columns and its
                format are no longer needed.
        """
        kept: dict[str, Any] = config.model_dump(include=config.changed & KEPT)
        return kept

    @classmethod
    def group_of(cls, row: Any) -> str:
        """Return what rows have in common that must not be divided into learned and held-out ones.

        By default this is their text but for white space: a row that repeats another one.
        """
        return " ".join(row.text.split())

    @classmethod
    def stratum_of(cls, row: Any) -> str:
        """Return the kind of a row, such as its label; held-out rows have each kind as often."""
        return ""

    @classmethod
    def have_scores(cls, rows: Sequence[Any]) -> bool:
        """Whether rows have numbers in place of labels."""
        return False

    @classmethod
    def texts(cls, rows: Sequence[Any]) -> RowTexts:
        """Return the texts of rows, which tokenizers and pretraining can learn from."""
        return RowTexts([row.text for row in rows])

    @classmethod
    def problems(cls, train: Sequence[Any], test: Sequence[Any] = ()) -> list[Problem]:
        """Return what a person should know of rows before training, the gravest first."""
        return []

    @classmethod
    def check_learnable(cls, rows: Sequence[Any]) -> None:
        """Refuse rows of which nothing can be learned, such as those of one label.

        Raises:
            CorpusError: these are such rows.
        """
        return

    @classmethod
    def unseen_problems(cls, train: Sequence[Any], valid: Sequence[Any]) -> list[Problem]:
        """Return which answers of held-out rows the rows to learn from never show."""
        return []

    @classmethod
    def baseline(cls, rows: Sequence[Any]) -> Baseline | None:
        """Learn what the model is compared with; None: there is nothing to compare with.

        Raises:
            CorpusError: nothing can be learned from the rows.
        """
        return None

    @classmethod
    def baseline_cost(cls, rows: Sequence[Any]) -> RegressionCost | None:
        """Return what `baseline` would take of time; None: seconds, or nobody knows."""
        return None

    @classmethod
    def majority(cls, rows: Sequence[Any]) -> Baseline | None:
        """Learn what gives every row the same answer, the most frequent one; None: none is."""
        return None

    # Answers to rows

    @abstractmethod
    def answer_rows(self, rows: Sequence[Any]) -> Answers:
        """Answer rows; the answers say themselves how good they are."""

    @property
    def can_calibrate(self) -> bool:
        """Whether ``finetuning.calibrate`` would fit its probabilities to held-out rows."""
        return False

    def label_counts(self, rows: Sequence[Any]) -> Counter[str]:
        """Return how often rows have each label."""
        return Counter()

    def figures(self, rows: Sequence[Any]) -> dict[str, Any]:
        """Answer rows, and return how good the answers are."""
        return self.answer_rows(rows).figures(rows)

    @checked_arguments
    def evaluate(
        self, path: Any, *, rows: Config | Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Return the figures of rows with right answers.

        Args:
            path: of their file; or rows in memory, as `foretext.finetune` takes them.
            rows: how they are read: settings that go over those of the training, such as
                ``{"text": "body"}``, or a whole `rows_config`; None: as in the training, or by the
                usual names of the columns.

        Raises:
            CorpusError: the file cannot be read, or a row is wrong.
            SettingError: there is no such setting.
        """
        return self.figures(self.read_again(path, rows))

    def read_again(self, path: Any, rows: Config | Mapping[str, Any] | None = None) -> list[Any]:
        """Read rows as those of the training were read; see `evaluate`."""
        return self.read(self.source_of(path), self.reading_for(path, rows))

    def reading_for(self, path: Any, rows: Config | Mapping[str, Any] | None) -> Config:
        """Return how rows are read: what Python holds has the usual names of columns."""
        if isinstance(rows, Config):
            return rows
        if not is_file_or_source(path) and as_parallel_files(path) is None:
            return self.rows_config.checked(dict(rows or {}), "rows")
        config = self.reading_of(rows)
        return config if rows else fitting(path, config)
