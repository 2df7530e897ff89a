"""What answers rows of a task: networks, the linear classifier and fastText's share this face.

The verbs ``predict``, ``evaluate`` and ``report`` and the runs of fine-tuning ask nothing else, so
that a task from outside the package works with all of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from math import isfinite
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

from foretext.classifiers.baseline import Baseline
from foretext.config import Config
from foretext.corpus.findings import Problem
from foretext.data.rows.in_memory import RowSource, json_lines, row_source
from foretext.data.rows.inputs import Input, line_input
from foretext.errors import SettingError
from foretext.metrics.paired import Tallies, paired_difference
from foretext.representation import Represented

__all__ = ["Predictor", "Record", "Top", "numbers", "refuse_options"]

BLOCK = 4096  # lines that are answered at once

Record = dict[str, Any]  # one answer, as JSON has it


class Top(NamedTuple):
    """Which answers to an input are returned."""

    k: int | None = 1  # at most so many; None: any number
    threshold: float = 0.0  # least probability of each


class Predictor(Represented, ABC):
    """Rows in, answers and figures out."""

    rows_config: ClassVar[type[Config]]  # settings of `read`, the section [rows]
    fields: ClassVar[tuple[str, ...]] = ("text",)  # the texts of an input
    title: ClassVar[str]  # of card and report, such as "Question answering"
    watched: ClassVar[tuple[str, ...]] = ()  # figures whose curves a report shows beside judged_by
    files: ClassVar[str]  # for the card: which file holds what
    judged_by: str  # the figure by which one model is better than another; higher is better

    @property
    @abstractmethod
    def kind(self) -> str:
        """What ``config.json`` calls it, so that `foretext.load` finds the class again."""

    @property
    def usage(self) -> str:
        """Lines of Python that show how to ask `model`, for the card."""
        line = "\\t".join(f"a {name}" for name in self.fields)
        return f'list(model.predictions(["{line}"]))'

    @property
    @abstractmethod
    def num_parameters(self) -> int:
        """Number of weights."""

    def summary(self) -> dict[str, Any]:
        """Return what Python and a notebook show of the model."""
        return {
            "task": self.title.lower(),
            "labels": self.num_labels,
            "parameters": self.num_parameters,
        }

    @property
    def telling(self) -> dict[str, list[str]]:
        """By label, what in a text speaks for it most; {}: no single feature does."""
        return {}

    @property
    def num_labels(self) -> int | None:
        """Number of labels; None where answers are no labels."""
        return None

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
    def problems(cls, train: Sequence[Any], test: Sequence[Any] = ()) -> list[Problem]:
        """Return what a person should know of rows before training, the gravest first."""
        return []

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
    def majority(cls, rows: Sequence[Any]) -> Baseline | None:
        """Learn what gives every row the same answer, the most frequent one; None: none is."""
        return None

    # Answers to rows

    @abstractmethod
    def answer_rows(self, rows: Sequence[Any]) -> Any:
        """Answer rows, in the form that `judge` and `findings` take."""

    @abstractmethod
    def judge(self, rows: Sequence[Any], answers: Any) -> dict[str, Any]:
        """Return how good answers to rows are; the figure `judged_by` is among them.

        Args:
            rows: with their right answers.
            answers: those of `answer_rows`.
        """

    def findings(self, rows: Sequence[Any], answers: Any) -> dict[str, Any]:
        """Return what the report shows of answers; `foretext.report.task_files` has the blocks."""
        return {}

    def tallies(self, rows: Sequence[Any], answers: Any) -> dict[str, Tallies]:
        """Return, by the name of a figure, what each row adds to it.

        A verdict asks for that of `judged_by`, for a test whether another model is better by more
        than chance. Figures that are missing are compared without a test.
        """
        return {}

    def degenerate(self, rows: Sequence[Any], answers: Any) -> str | None:
        """Return a sentence where answers say nothing, such as one answer to all rows."""
        return None

    @property
    def can_calibrate(self) -> bool:
        """Whether ``finetuning.calibrate`` would fit its probabilities to held-out rows."""
        return False

    def label_counts(self, rows: Sequence[Any]) -> Counter[str]:
        """Return how often rows have each label."""
        return Counter()

    def figures(self, rows: Sequence[Any]) -> dict[str, Any]:
        """Answer rows, and return how good the answers are."""
        return self.judge(rows, self.answer_rows(rows))

    def evaluate(self, path: Any, *, rows: Any = None) -> dict[str, Any]:
        """Return the figures of rows with right answers.

        Args:
            path: of their file; or rows in memory, as `foretext.finetune` takes them.
            rows: a `rows_config`; None: its defaults.

        Raises:
            CorpusError: the file cannot be read, or a row is wrong.
        """
        return self.figures(self.read(self.source_of(path), rows))

    def examine(
        self,
        rows: Sequence[Any],
        *,
        learned_from: Sequence[Any] = (),
        beside: Mapping[str, Baseline] | None = None,
    ) -> dict[str, Any]:
        """Answer rows once, and return figures and findings, as ``examination.json`` has them.

        Args:
            rows: one or more, with their right answers.
            learned_from: the rows of the training, whose labels are counted.
            beside: baselines that answer the same rows, by the name that they have in the result.
        """
        answers = self.answer_rows(rows)
        rivals = {} if beside is None else beside
        return {
            "rows": len(rows),
            "figures": self.judge(rows, answers),
            "beside": {name: self._beside(rows, answers, each) for name, each in rivals.items()},
            "degenerate": self.degenerate(rows, answers),
            "learned": dict(self.label_counts(learned_from).most_common()),
            **self.findings(rows, answers),
        }

    def _beside(self, rows: Sequence[Any], answers: Any, rival: Baseline) -> dict[str, Any]:
        """Return the figures of a baseline, and whether it differs by more than chance."""
        theirs = rival.answers(rows)
        own, other = (self.tallies(rows, each).get(self.judged_by) for each in (answers, theirs))
        found = None if own is None or other is None else paired_difference(own, other)
        tested = found and {**found._asdict(), "is_certain": found.is_certain}
        return {"figures": numbers(self.judge(rows, theirs)), "difference": tested}

    # Answers to lines

    def options(self, k: int | None, threshold: float | None) -> Top:
        """Return which answers a user wants, None standing for what is not given.

        Raises:
            SettingError: one of the two has no effect on these answers.
        """
        refuse_options(self.title.lower(), k, threshold)
        return Top()

    @abstractmethod
    def records(self, inputs: Sequence[Input], top: Top) -> list[Record]:
        """Return the answer to each input, a text for each of `fields`, as JSON has it."""

    def shown(self, record: Record) -> str:
        """Return one of the `predictions` as a line for people: answer, tab, input."""
        answers = [_shown(each) for name, each in record.items() if name not in self.fields]
        return "\t".join([*answers, *(record[name] for name in self.fields)])

    def predictions(
        self, lines: Iterable[str], *, k: int | None = None, threshold: float | None = None
    ) -> Iterator[Record]:
        """Yield a record for each line: its texts, and the answer.

        Args:
            lines: the texts of `fields`, separated by tabs, or a JSON object with these names.
            k: answers to a line, at most; None: one, or any number of labels where texts have
                several.
            threshold: probability below which an answer is left out; None: none is, or one half
                where texts have several labels.

        Raises:
            CorpusError: a line is not what it should be.
            SettingError: `k` or `threshold` has no effect.
        """
        inputs = (line_input(line, number, self.fields) for number, line in enumerate(lines, 1))
        yield from self.answered(inputs, k=k, threshold=threshold)

    def answered(
        self, inputs: Iterable[Input], *, k: int | None = None, threshold: float | None = None
    ) -> Iterator[Record]:
        """Yield what `predictions` yields, for inputs that are texts already."""
        top = self.options(k, threshold)
        given = iter(inputs)
        while block := list(islice(given, BLOCK)):
            for texts, answer in zip(block, self.records(block, top), strict=True):
                yield {**dict(zip(self.fields, texts, strict=True)), **answer}

    def doubts(self, records: Sequence[Record]) -> list[str]:
        """Return why answers are doubtful, such as inputs that are unlike the rows of training.

        Args:
            records: some of the `predictions`.
        """
        return []

    def row_doubts(self, rows: Sequence[Any]) -> list[str]:
        """Return likewise how rows differ from those of the training."""
        return []

    # Folders

    def described(self) -> dict[str, Any]:
        """Return what card and report say of the model: a part of the facts of every run."""
        return {
            "kind": self.kind,
            "title": self.title,
            "usage": self.usage,
            "files": self.files,
            "judged_by": self.judged_by,
            "watched": list(dict.fromkeys([self.judged_by, *self.watched])),
            "telling": self.telling,
            "labels": self.num_labels,
            "parameters": self.num_parameters,
        }

    @abstractmethod
    def write(self, folder: Path, facts: Mapping[str, Any]) -> None:
        """Write the model into a folder, ``config.json`` last.

        Args:
            folder: other files in it stay.
            facts: what ``config.json`` keeps beside the model's own, as JSON has it.

        Raises:
            OutputError: the folder cannot be written.
        """

    @abstractmethod
    def save(self, folder: str | Path) -> None:
        """Write a folder that `load` opens, whole or not at all.

        Raises:
            OutputError: it cannot be written.
        """

    @classmethod
    @abstractmethod
    def load(cls, folder: str | Path) -> Self:
        """Open what `save`, or a run, left.

        Raises:
            ForetextError: the folder holds no such model, or a damaged one.
        """


def numbers(figures: Mapping[str, Any]) -> dict[str, Any]:
    """Return the figures that are finite numbers, without the tables among them."""
    return {
        name: value
        for name, value in figures.items()
        if isinstance(value, int | float) and isfinite(value)
    }


def refuse_options(what: str, k: int | None, threshold: float | None) -> None:
    """Refuse options that are given and have no effect on `what`.

    Raises:
        SettingError: one is given.
    """
    for option, given in (("-k", k), ("--threshold", threshold)):
        if given is not None:
            raise SettingError(f"{option} has no effect on {what}; leave it out.")


def _shown(value: Any) -> str:
    return f"{value:.4f}" if isinstance(value, float) else str(value)
