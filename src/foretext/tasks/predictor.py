"""What answers rows of a task: networks, the linear classifier and fastText's share this face.

The verbs ``predict``, ``evaluate`` and ``report`` and the runs of fine-tuning ask nothing else, so
that a task from outside the package works with all of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice, tee
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self, overload

from foretext.base.arguments import checked_arguments
from foretext.base.config import Config
from foretext.base.errors import SettingError
from foretext.base.representation import represented
from foretext.corpus.texts import is_file_or_source
from foretext.data.rows import Input, InputColumns, KeptInput, input_files, line_input
from foretext.data.rows.label_formats import LabelTask
from foretext.data.rows.parallel_files import as_parallel_files
from foretext.data.rows.reading import fitting, read_otherwise
from foretext.data.rows.settings import Columns
from foretext.messages import message
from foretext.metrics import UncertaintyMeasure
from foretext.shown import Part, Shown
from foretext.tasks.answers import Answers
from foretext.tasks.class_answers import ClassAnswers, label_doubts
from foretext.tasks.explanation import Method
from foretext.tasks.explanation.explained import MOST, Explanation, explain
from foretext.tasks.explanation.words import Texts, Values, Weighed, WeighRequest, split_words
from foretext.tasks.showing import answer_parts, shown_inputs
from foretext.tasks.task import Task
from foretext.tasks.top import Top, refuse_options
from foretext.tokenizers.base import Tokenizer
from foretext.tokenizers.example_texts import examples_of_words
from foretext.tokenizers.known_languages import languages_of_tokenizer, languages_of_words

if TYPE_CHECKING:
    from foretext.data.framing import Framing

__all__ = ["Predictor", "Record"]

EXAMPLE_WORDS = 4  # of a text that a page shows at first
BLOCK = 4096  # lines that are answered at once

Record = dict[str, Any]  # one answer, as JSON has it


@represented
class Predictor(ABC):
    """Rows and lines in, answers and figures out.

    Attributes:
        task: whose rows it answers.
        files: for the card: which file holds what.
        reading: how the run that it comes from read its rows; None: it comes from no run.
        own_embedder: what it holds that gives vectors of texts; None: it holds nothing such.
    """

    task: ClassVar[Task]
    explained_by: tuple[str, ...] = ()  # methods of `explain`, the best one first; (): none
    files: ClassVar[str]
    reading: Config | None = None
    own_embedder: Any = None

    @property
    def title(self) -> str:
        """The name of its task, such as "Question answering"."""
        return self.task.title

    @property
    def fields(self) -> tuple[str, ...]:
        """The texts of an input."""
        return self.task.fields

    @property
    def judged_by(self) -> str:
        """The figure by which one model is better than another; higher is better."""
        return self.task.judged_by

    @property
    def abilities(self) -> tuple[str, ...]:
        """What a server can ask of it: names of `foretext.serving.abilities`, or "module:Class"."""
        return ("predict",)

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
        size = {"labels": self.num_labels, "parameters": self.num_parameters}
        return {"task": self.title.lower(), **size}

    @property
    def label_names(self) -> tuple[str, ...]:
        """The labels; (): answers are no labels."""
        return ()

    def served_facts(self) -> dict[str, Any]:
        """Return what a server says of the model, as JSON has it."""
        framing = self.text_framing
        return {
            "title": self.title,
            "fields": list(self.fields),
            "labels": list(self.label_names) or None,
            "parameters": self.num_parameters,
            "max_length": None if framing is None else framing.max_length,
            "languages": self.languages,
            "examples": self._own_examples,
        }

    @property
    def languages(self) -> list[str] | None:
        """Codes of the languages of its texts, the best known first; None: nothing shows them."""
        if self.tokenizer is not None:
            return languages_of_tokenizer(self.tokenizer)
        return languages_of_words(self.frequent_words) if self.frequent_words else None

    @property
    def frequent_words(self) -> Sequence[str]:
        """The words that it knows, the most frequent first; (): it does not know their order."""
        tokenizer = self.tokenizer
        return () if tokenizer is None or tokenizer.kind != "words" else tokenizer.tokens

    @property
    def _own_examples(self) -> dict[str, Any]:
        """What a page shows at first in place of the sentences of its language.

        These are words that speak for the first label, which the card names, too; or the most
        frequent words of an unknown language. No text of the training leaves the model.
        """
        features = next(iter(self.informative_features.values()), [])
        words = [each for each in features if " " not in each][:EXAMPLE_WORDS]
        if words and len(self.fields) == 1:
            return {"text": " ".join(words)}
        return {} if self.languages else examples_of_words(self.frequent_words)

    @property
    def informative_features(self) -> dict[str, list[str]]:
        """By label, what in a text speaks for it most; {}: no single feature does."""
        return {}

    @property
    def num_labels(self) -> int | None:
        """Number of labels; None where answers are no labels."""
        return None

    @property
    def taught_labels(self) -> tuple[str, ...]:
        """The labels whose probabilities another model can learn from it; (): it teaches none."""
        return ()

    @property
    def tokenizer(self) -> Tokenizer | None:
        """What turns texts into the ids that the model reads; None: it reads no ids."""
        return None

    @property
    def text_framing(self) -> Framing | None:
        """What stands around a text, and how much of it is read at once; None: there is no end."""
        return None

    # Answers to lines

    def class_answers(self, inputs: Sequence[Input]) -> ClassAnswers | None:
        """Return how probable each label is for each input; None: answers are no labels."""
        return None

    def label_tasks(
        self, inputs: Sequence[Input], measure: UncertaintyMeasure = "margin"
    ) -> list[LabelTask]:
        """Return `inputs` as tasks for people who label: answers, and how unsure by `measure`."""
        texts = [dict(zip(self.fields, own, strict=False)) for own in inputs]
        answers = self.class_answers(inputs)
        return list(map(LabelTask, texts)) if answers is None else answers.tasks(texts, measure)

    def options(self, k: int | None, threshold: float | None) -> Top:
        """Return which answers a user wants; a `k` or `threshold` of None is not given.

        Raises:
            SettingError: one of the two has no effect on these answers.
        """
        refuse_options(self.title.lower(), k, threshold)
        return Top()

    def answering(self, options: Mapping[str, Any]) -> None:
        """Answer with other settings from now on, such as the beams of a search.

        Raises:
            SettingError: one of them has no effect on these answers.
        """
        for name in options:
            what = self.title.lower() if name != "precision" else "a model that is no network"
            raise SettingError(
                message("options.general.on", option=name.replace("_", "-"), what=what)
            )

    @abstractmethod
    def records(self, inputs: Sequence[Input], top: Top) -> list[Record]:
        """Return the answers `top` to each of `inputs`, a text for each of `fields`, as JSON."""

    @checked_arguments
    def shown(self, record: Record) -> str:
        """Return one of the `predictions` as a line for people: answer, tab, input."""
        answers = [_shown(each) for name, each in record.items() if name not in self.fields]
        return "\t".join([*answers, *(record[name] for name in self.fields)])

    @checked_arguments
    def inputs(
        self,
        path: Any,
        *,
        columns: Mapping[str, Columns] | None = None,
        rows: Mapping[str, Any] | None = None,
        keep: Sequence[str] = (),
        doubt: Callable[[str], None] | None = None,
    ) -> Iterator[KeptInput]:
        """Yield the inputs of a file of any form that `foretext.finetune` reads, or of plain lines.

        Right answers are not read, and need not be there. The guide on predictions says what
        a table is.

        Args:
            path: of the file; ``"-"`` is standard input.
            columns: of the texts, by name or by number, where they are not those of the training.
            rows: other settings of reading, over those of the training.
            keep: columns that are copied to the answers.
            doubt: is called with a sentence where a file may be meant otherwise.

        Raises:
            CorpusError: the file cannot be read, or a row is wrong.
            SettingError: columns are to be kept, and it has none; or a setting is wrong.
        """
        learned = self.reading_of(rows)
        optional = {} if doubt is None else {"doubt": doubt}
        labels = frozenset(map(str, self.label_names))
        wanted = InputColumns(self.fields, learned, columns or {}, tuple(keep), labels, **optional)
        for file in input_files(path, wanted.reading):
            yield from self.task.inputs_in(file, wanted)

    @checked_arguments
    def predictions(
        self,
        lines: Iterable[str] | Path,
        *,
        k: int | None = None,
        threshold: float | None = None,
        columns: Mapping[str, Columns] | None = None,
        keep: Sequence[str] = (),
    ) -> Iterator[Record]:
        """Yield a record for each line, or each row of a file: its texts, and the answer.

        Args:
            lines: the texts of `fields`, separated by tabs, or a JSON object with these names; or
                the `Path` of a file, which is read as `inputs` says.
            k: answers to a line, at most; None: one, or any number of labels where texts have
                several.
            threshold: probability below which an answer is left out; None: none is, or one half
                where texts have several labels.
            columns: of a file: the columns of the texts, where they are not those of the training.
            keep: of a file: columns that are copied to the records.

        Raises:
            CorpusError: a line is not what it should be.
            SettingError: `k`, `threshold` or `columns` has no effect.
        """
        if isinstance(lines, Path):
            given, kept = tee(self.inputs(lines, columns=columns, keep=keep))
            records = self.answered((each.texts for each in given), k=k, threshold=threshold)
            yield from ({**own.kept, **record} for own, record in zip(kept, records, strict=True))
            return
        if columns or keep:
            raise SettingError("columns and keep are of a file; give its Path, or leave them out.")
        inputs = (line_input(line, number, self.fields) for number, line in enumerate(lines, 1))
        yield from self.answered(inputs, k=k, threshold=threshold)

    @checked_arguments
    def answered(
        self, inputs: Iterable[Input], *, k: int | None = None, threshold: float | None = None
    ) -> Iterator[Record]:
        """Yield what `predictions` yields for `inputs` that are texts, `k` and `threshold`."""
        top = self.options(k, threshold)
        given = iter(inputs)
        while block := list(islice(given, BLOCK)):
            for texts, answer in zip(block, self.records(block, top), strict=True):
                yield {**dict(zip(self.fields, texts, strict=False)), **answer}

    # Rows with right answers

    def reading_of(self, rows: Config | Mapping[str, Any] | None) -> Config:
        """Return how rows are read: as in the training, with what is given over it.

        Args:
            rows: a whole `rows_config`, or single settings; None: none.

        Raises:
            SettingError: there is no such setting, or it is wrong.
        """
        if isinstance(rows, Config):
            return rows
        return read_otherwise(self.reading or self.task.rows_config(), rows or {})

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
        return self.figures(self.read_rows(path, rows))

    def read_rows(self, path: Any, rows: Config | Mapping[str, Any] | None = None) -> list[Any]:
        """Read the rows at `path` as the training did, or by `rows`; see `evaluate`."""
        return self.task.read(self.task.source_of(path), self.reading_for(path, rows))

    def reading_for(self, path: Any, rows: Config | Mapping[str, Any] | None) -> Config:
        """Return how `path` is read by `rows`: what Python holds has the usual columns."""
        if isinstance(rows, Config):
            return rows
        if not is_file_or_source(path) and as_parallel_files(path) is None:
            return self.task.rows_config.checked(dict(rows or {}), "rows")
        config = self.reading_of(rows)
        return config if rows else fitting(path, config)

    def doubts(self, records: Sequence[Record]) -> list[str]:
        """Return why answers are doubtful, such as inputs that are unlike the rows of training.

        Args:
            records: some of the `predictions`.
        """
        return []

    def row_doubts(self, rows: Sequence[Any]) -> list[str]:
        """Return likewise how rows differ from those of the training, as by other labels."""
        return label_doubts(rows, self.label_names) if self.label_names else []

    @overload
    def explain(  # type: ignore[overload-overlap]  # a text is a sequence of texts, too
        self,
        inputs: str | tuple[str, ...],
        label: str | None = None,
        *,
        method: Method = "auto",
        most: int = MOST,
    ) -> Explanation: ...

    @overload
    def explain(
        self,
        inputs: Sequence[str] | Sequence[tuple[str, ...]],
        label: str | None = None,
        *,
        method: Method = "auto",
        most: int = MOST,
    ) -> list[Explanation]: ...

    @checked_arguments
    def explain(
        self,
        inputs: str | tuple[str, ...] | Sequence[str] | Sequence[tuple[str, ...]],
        label: str | None = None,
        *,
        method: Method = "auto",
        most: int = MOST,
    ) -> Explanation | list[Explanation]:
        """Say which words decided on an answer.

        Args:
            inputs: a text, or a tuple of the texts of `fields`; or a list of such.
            label: that is explained; None: of each input the most probable one.
            method: "linear" takes the answer of a linear model apart exactly; "occlusion" leaves
                out each word; "gradient" follows the gradients of a network from hidden words to
                the real ones (integrated gradients); "auto" is the first of `explained_by`.
            most: rows that a network reads for one input when words are left out, at most: of a
                longer text neighbouring words are weighed together.

        Raises:
            SettingError: the answers of this model have no words to explain them, or there is no
                such method or label.
        """
        return explain(self, inputs, label, method, most)

    @checked_arguments
    def show(self, lines: Sequence[str]) -> list[Shown]:
        """Return what decides on the answer to each line: the texts of `fields`, between tabs.

        Raises:
            CorpusError: a line is not what it should be.
        """
        return shown_inputs(lines, self.fields, self.insight)

    def insight(self, texts: Texts) -> list[Part]:
        """Return what decides on the answer to one input: a text for each of `fields`."""
        return answer_parts(self, texts)

    def values(self, inputs: Sequence[Texts]) -> Values:
        """Return the values of all labels for each input."""
        raise NotImplementedError

    def num_rows(self, inputs: Sequence[Texts]) -> list[int]:
        """Return how many rows a network reads of each input."""
        return [1] * len(inputs)

    def word_spans(self, text: str) -> list[tuple[int, int]]:
        """Return where the words of a text start and end."""
        return split_words(text)

    def weigh(self, request: WeighRequest, method: str) -> list[Weighed]:
        """Weigh words of each input of `request` by a `method` of `explained_by`, not occlusion."""
        raise NotImplementedError

    def described(self) -> dict[str, Any]:
        """Return what card and report say of the model: a part of the facts of every run."""
        return {
            "kind": self.kind,
            "title": self.title,
            "usage": self.usage,
            "files": self.files,
            "judged_by": self.judged_by,
            "watched": list(dict.fromkeys([self.judged_by, *self.task.watched])),
            "informative_features": self.informative_features,
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


def _shown(value: Any) -> str:
    return f"{value:.4f}" if isinstance(value, float) else str(value)
