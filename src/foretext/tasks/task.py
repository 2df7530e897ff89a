"""What a task is before there is a model: its rows, what is found in them, what they are judged by.

A task has no state. Models hold one as `task`; fine-tuning and comparison ask it before any model
is there, and it imports no PyTorch.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

from foretext.base.config import Config
from foretext.base.errors import ModelFileError, SettingError, suggestion
from foretext.base.registry import imported
from foretext.corpus.findings import Problem
from foretext.data.rows.in_memory import RowSource, RowTexts, json_lines, row_source
from foretext.data.rows.input_file import InputFile
from foretext.data.rows.input_rows import InputColumns, KeptInput, text_inputs
from foretext.messages import message, sentences
from foretext.tasks import TASKS
from foretext.tasks.baseline import Baseline
from foretext.tasks.regression_cost import RegressionCost

if TYPE_CHECKING:
    from foretext.heads.base import Head, TaskBase
    from foretext.tasks.model import TaskModel

__all__ = [
    "Candidates",
    "Feature",
    "HeadTraits",
    "Resolved",
    "Task",
    "WordTraits",
    "lazily",
    "model_class",
    "task_named",
]

KEPT = {"normalization", "max_piece_bytes"}  # settings of rows that hold for JSON lines too

Feature = Literal["calibrate", "ensemble", "teacher", "consistency"]  # of fine-tuning

NOT_FOR: dict[Feature, str] = {
    "calibrate": (
        "[finetuning] calibrate fits the probabilities of labels of which one is right, and these "
        "rows have no such labels; leave it out."
    ),
    "ensemble": "[finetuning] ensemble is for classification, not for {title}; leave it out.",
    "teacher": "--teacher is for classification, not for {title}; leave it out.",
    "consistency": (
        "[finetuning] consistency_weight is for classification, not for {title}; leave it out."
    ),
}


class Resolved(NamedTuple):
    """The settings of a head, and what a person should know of those that were left open."""

    config: Any  # a `Head.Config`
    notes: list[str]


class HeadTraits(NamedTuple):
    """What a head with some settings has beside a layer on the states of the backbone."""

    learns_chain: bool = False  # layers, such as a CRF, that learn faster than a pretrained base
    learns_embeddings: bool = False  # embeddings in the backbone, which must not be frozen then
    learns_words: bool = False  # what a linear classifier has learned of the words of the rows


class WordTraits(NamedTuple):
    """What a network over words reads of them beside their vectors, unless the user says not."""

    num_characters: int = 0  # ids that the spelling of the words takes; 0: it is not read
    gains_from_spelling: bool = False  # from their characters
    gains_from_bigrams: bool = False  # from pairs of neighbours


class Candidates(NamedTuple):
    """What `foretext compare` tries on a task; the orders are those of docs/results.md."""

    order: tuple[str, ...] = (  # names of candidates: what learned most in minutes comes first
        "word2vec + textcnn", "modern-bert", "textcnn", "word2vec + bilstm", "bilstm",
        "modern-bert, not pretrained", "bert", "electra", "gpt",
    )  # fmt: skip
    baseline: str | None = None  # name of the task's baseline, which is learned in seconds
    baseline_base: str | None = None  # the BASE that learns it as a model; None: none does
    over_vectors: str = "textcnn"  # the network over word vectors
    word_features: str | None = None  # of the words that a head reads beside a network
    pooling: Mapping[str, str] = MappingProxyType({})  # of networks by name, if not their own
    slowness: float = 1.0  # of a network's rows, beside those of classification
    pretraining_rate: float = 0.7  # of a candidate's time, at most; less where rows are slow
    vectors_rate: float = 0.4  # the same, of word vectors


class Task(ABC):
    """Rows with right answers, and what can be learned from them.

    A task from outside the package needs `title`, `judged_by`, `rows_config`, `head`, `model`, and
    the methods `read` and `find`. All others have defaults.
    """

    title: ClassVar[str]  # of card and report, such as "Question answering"
    fields: ClassVar[tuple[str, ...]] = ("text",)  # the texts of an input
    rows_config: ClassVar[type[Config]]  # settings of `read`, the section [rows]
    head: ClassVar[type[Head]]  # what is trained
    model: ClassVar[type[TaskModel]]  # what answers
    judged_by: ClassVar[str]  # figure by which one model is better; a model may know it better
    candidates: ClassVar[Candidates] = Candidates()
    watched: ClassVar[tuple[str, ...]] = ()  # figures whose curves a report shows beside it
    reads_parallel_files: ClassVar[bool] = False  # whether rows may stand in two files
    is_compared: ClassVar[bool] = True  # whether `foretext compare` takes the task
    of_pairs: ClassVar[bool] = False  # whether inputs are pairs of texts
    joins_word_vectors: ClassVar[bool] = False  # whether the head stands on `TaskBase.head_dim`
    has_head: ClassVar[bool] = True  # False: the backbone alone is learned, and cannot be frozen
    # Makes a `foretext.interop.graph.NetworkGraph` of a model of it; None: it cannot be exported.
    graph: ClassVar[Any] = None
    usual_batch: ClassVar[int] = 32  # examples of a step, where nobody says
    vectors_backbone: ClassVar[str] = "textcnn"  # what `over_vectors` returns
    # Settings of the sub-words that a network learns from the rows alone; the user's go over them.
    scratch_tokenizer: ClassVar[Mapping[str, Any]] = {"name": "wordpiece", "vocab_size": 8000}

    @property
    def name(self) -> str:
        """Its name in the table of tasks, or "module:Class"."""
        return TASKS.name_of(type(self))

    # Rows

    def lines_of(self, given: Any) -> Iterator[str]:
        """Yield rows that Python holds as the lines of a file that `read` reads.

        Args:
            given: tuples of the texts and the answer, dicts, a table, or (X, y).

        Raises:
            CorpusError: a row is something else.
        """
        return json_lines(given, (*self.fields, "label"))

    def source_of(self, given: Any) -> RowSource:
        """Return the name of a file as it is, and rows that Python holds as `read` takes them."""
        return row_source(given, self.lines_of)

    @abstractmethod
    def read(self, path: RowSource, config: Any = None) -> list[Any]:
        """Read a file of rows.

        Args:
            path: of the file, or rows in memory as `source_of` gives them.
            config: a `rows_config`; None: its defaults.

        Raises:
            CorpusError: the file cannot be read, or a row is wrong.
        """

    def inputs_in(self, file: InputFile, wanted: InputColumns) -> Iterator[KeptInput]:
        """Yield the inputs of a file, without their right answers.

        Args:
            file: the rows.
            wanted: which columns hold what, and which are kept.

        Raises:
            CorpusError: the file cannot be read, or a row is wrong.
            SettingError: columns are to be kept, and it has none.
        """
        return text_inputs(file, wanted)

    def objects_of(self, rows: Sequence[Any]) -> Iterator[dict[str, Any]]:
        """Yield rows as JSON objects, which `read` reads back as equal rows; see `reading_again`.

        By default rows are named tuples, and a row's names are those of the usual columns.
        """
        for row in rows:
            values = row._asdict().items()
            yield {name: value for name, value in values if name != "place" and value is not None}

    def reading_again(self, config: Any) -> dict[str, Any]:
        """Return the settings of `read` for what `objects_of` yields.

        Args:
            config: the `rows_config` by which the rows were read at first; its columns and its
                format are no longer needed.
        """
        kept: dict[str, Any] = config.model_dump(include=config.changed & KEPT)
        return kept

    def group_of(self, row: Any) -> str:
        """Return what rows have in common that must not be divided into learned and held-out ones.

        By default this is their text but for white space: a row that repeats another one.
        """
        return " ".join(row.text.split())

    def stratum_of(self, row: Any) -> str:
        """Return the kind of a row, such as its label; held-out rows have each kind as often."""
        return ""

    def have_scores(self, rows: Sequence[Any]) -> bool:
        """Whether rows have numbers in place of labels."""
        return False

    def texts(self, rows: Sequence[Any]) -> RowTexts:
        """Return the texts of rows, which tokenizers and pretraining can learn from."""
        return RowTexts([row.text for row in rows])

    def texts_apart(self, config: Any, rows: Sequence[Any]) -> tuple[RowTexts, RowTexts] | None:
        """Return sources and targets where each side gets a tokenizer of its own; None: one does.

        Args:
            config: the user's settings of the head.
            rows: to learn from.
        """
        return None

    def word_traits(self, rows: Sequence[Any]) -> WordTraits:
        """Return what a network over words should read of them."""
        return WordTraits()

    def problems(self, train: Sequence[Any], test: Sequence[Any] = ()) -> list[Problem]:
        """Return what a person should know of rows before training, the gravest first.

        Args:
            train: rows to learn from.
            test: rows to test on.
        """
        return []

    def unseen_problems(self, train: Sequence[Any], valid: Sequence[Any]) -> list[Problem]:
        """Return which answers of held-out rows the rows to learn from never show.

        Args:
            train: rows to learn from.
            valid: held-out rows.
        """
        return []

    def check_learnable(self, rows: Sequence[Any]) -> None:
        """Refuse rows of which nothing can be learned, such as those of one label.

        Raises:
            CorpusError: these are such rows.
        """
        self.find(rows)

    # What is compared with

    def baseline(self, rows: Sequence[Any]) -> Baseline | None:
        """Learn what a model is compared with; None: there is nothing to compare with.

        Raises:
            CorpusError: nothing can be learned from the rows.
        """
        return None

    def baseline_cost(self, rows: Sequence[Any]) -> RegressionCost | None:
        """Return what `baseline` would take of time; None: seconds, or nobody knows."""
        return None

    def majority(self, rows: Sequence[Any]) -> Baseline | None:
        """Learn what gives every row the same answer, the most frequent one; None: none is."""
        return None

    def untouched(
        self, embed: Callable[[Sequence[str]], Any], rows: Sequence[Any]
    ) -> Baseline | None:
        """Return what answers rows by the vectors of a base as it is; None: nothing does.

        Args:
            embed: turns N texts into vectors (N, D).
            rows: to learn from.
        """
        return None

    # Its head

    @abstractmethod
    def find(self, rows: Sequence[Any]) -> dict[str, Any]:
        """Return what the head needs to know of the rows, such as their labels, as JSON has it.

        Raises:
            CorpusError: nothing can be learned from them.
        """

    @property
    def head_config(self) -> type[Config]:
        """The class of the section ``[task]``."""
        head: Any = self.head
        config: type[Config] = head.Config
        return config

    def head_traits(self, config: Any) -> HeadTraits:
        """Return what a head with these settings has."""
        return HeadTraits()

    def needs_dropout(self, rows: Sequence[Any]) -> bool:
        """Whether nothing can be learned from rows by a backbone without dropout."""
        return False

    def over_vectors(self, config: Any, rows: Sequence[Any]) -> str:
        """Return the name of the network over word vectors, if the user names none.

        Args:
            config: the user's settings of the head.
            rows: to learn from.
        """
        return self.vectors_backbone

    def base_for(self, base: TaskBase) -> TaskBase:
        """Return what the task reads of a base: of an encoder-decoder, its encoder."""
        return base.encoder()

    def resolve(
        self,
        config: Any,
        base: TaskBase,
        rows: Sequence[Any],
        *,
        is_pretrained: bool,
        is_frozen: bool,
    ) -> Resolved:
        """Choose what the user left open and the head cannot know, and say why.

        Args:
            config: the user's settings of the head.
            base: what the task is learned on.
            rows: to learn from.
            is_pretrained: whether the weights of the base are.
            is_frozen: whether the embeddings of the base stay as they are.

        Raises:
            SettingError: a setting does not fit base or rows.
        """
        return Resolved(config, [])

    def why_not(self, feature: Feature, config: Any = None, rows: Sequence[Any] = ()) -> str | None:
        """Return why a feature of fine-tuning is not for this task, a sentence; None: it is.

        Args:
            feature: its name.
            config: the user's settings of the head, where they decide.
            rows: to learn from, where they decide.
        """
        return NOT_FOR[feature].format(title=self.title.lower())


class _Lazy:
    """A class attribute that is imported when it is read."""

    def __init__(self, target: str) -> None:
        self.target = target

    def __get__(self, instance: object, owner: type) -> Any:
        return imported(self.target)


def lazily(target: str) -> Any:
    """Return a class attribute ``"module:Class"`` that is imported when it is read first.

    So a task can name its network, and be there where PyTorch is not.
    """
    return _Lazy(target)


def model_class(task: Task) -> type[TaskModel]:
    """Return the class of the models of a task.

    Raises:
        SettingError: it is that of another task, from which this one has it.
    """
    model = task.model
    if model.task.name != task.name:
        raise SettingError(
            f"TASK = '{task.name}': its model, {model.__name__}, is of the task "
            f"{model.task.name}; give the task a model of its own, a subclass of "
            f"{model.__name__} with `task = {type(task).__name__}()`."
        )
    return model


def task_named(name: str, source: Path | None = None) -> Task:
    """Return a task by its name.

    Args:
        name: of the table, or ``"module:Class"``.
        source: the file that the name was read from; None: the user wrote it.

    Raises:
        SettingError: there is no such task.
        ModelFileError: the file names something else than a task.
        UntrustedError: the file names a class of a module that is not trusted.
    """
    if source is None and ":" not in name and name not in TASKS:
        there_are = message("errors.there_are", names=", ".join(TASKS))
        said = message("errors.no_task", name=name)
        raise SettingError(sentences([said, suggestion(name, TASKS) or there_are]))
    found = TASKS.resolve(name, source)
    if not (isinstance(found, type) and issubclass(found, Task)):  # foreign: the user named it
        if source is not None:
            raise ModelFileError(f"{source}: '{name}' is no Task; its module must have one.")
        raise SettingError(f"TASK = '{name}' is no Task; name a class that is one.")
    return found()
