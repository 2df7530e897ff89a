"""The recipe of a fine-tuning: what is learned from which rows, and the settings for it.

    [run]          task, base, train; valid, test, budget, search,   RunConfig
                   unlabelled, teacher, beside
    [rows]         how the files are read                            the task's `rows_config`
    [finetuning]   seeds, baseline, calibration                      FinetuningConfig
    [task]         the head of a network                             the task's `task_config`
    [training]     how a network is trained                          TrainingConfig
    [backbone]     a network that learns from scratch                the Config of the backbone
    [tokenizer]    its tokenizer                                     the Config of the tokenizer
    [linear]       in place of the four above                        LinearConfig, of pairs
                                                                     PairRegressionConfig, of tags
                                                                     LinearTaggerConfig
    [classifier]   likewise                                          FastTextClassifierConfig
    [embeddings]   likewise                                          EmbeddingsConfig

The ``recipe.toml`` of a run is such a file with every setting: it repeats the run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self, Union

from pydantic import BeforeValidator

from foretext.base.config import Config, duration_seconds
from foretext.base.errors import SettingError
from foretext.base.parsing import read_toml
from foretext.data.rows.in_memory import RowSource
from foretext.data.rows.parallel_files import as_parallel_files
from foretext.messages import message

if TYPE_CHECKING:
    from foretext.language_model import LanguageModel
    from foretext.tasks.model import TaskModel
    from foretext.tasks.predictor import Predictor
    from foretext.vectors.document_vectors import DocumentVectors
    from foretext.vectors.word_vectors import WordVectors

__all__ = [
    "LENGTHS",
    "SECTIONS",
    "BaseModel",
    "RunConfig",
    "Sections",
    "TaskRecipe",
    "TeacherModel",
]

Sections = Mapping[str, Mapping[str, Any]]
BaseModel = Union[str, Path, "LanguageModel", "WordVectors", "DocumentVectors", "TaskModel"]
TeacherModel = Union[str, Path, "Predictor"]

SECTIONS = (  # that a user may set, beside [run]
    "task", "finetuning", "training", "backbone", "tokenizer", "rows", "linear", "classifier",
    "embeddings",
)  # fmt: skip
LENGTHS = {"epochs", "steps", "budget_seconds"}  # settings of which one can be set
ROWS = ("train", "valid", "test")
REQUIRED = {"task": "TASK", "base": "BASE", "train": "TRAIN"}


def _as_files(given: Any) -> Any:
    """Take the list that TOML has for two files."""
    return tuple(given) if isinstance(given, list) else given


Bases = Annotated[tuple[str, ...], BeforeValidator(_as_files)]
Files = Annotated[str | tuple[str, str], BeforeValidator(_as_files)]


class RunConfig(Config):
    """Settings of the section `[run]`."""

    task: str | None = None
    """What is learned: a name of `foretext list`, or module:Class."""
    base: str | None = None
    """What it is learned on: a path or a name."""
    train: Files | None = None
    """File of rows to learn from; text_to_text: or two parallel files."""
    valid: Files | None = None
    """File of rows to choose weights and settings by."""
    test: Files | None = None
    """File of rows to measure the result on."""
    unlabelled: str | None = None
    """File of texts without labels: for auto, a teacher, more pretraining, or consistency."""
    teacher: str | None = None
    """Model whose answers are learned: a path, linear, fasttext, self or ensemble."""
    beside: Bases | None = None
    """Other bases, whose vectors are read beside those of the base: paths of runs or files."""
    budget: str | float | None = None
    """Time of the training, such as 10m, in place of epochs."""
    search: str | float | None = None
    """Time of a search for settings before the training."""


@dataclass(frozen=True)
class TaskRecipe:
    """What a task is learned from, and the settings that the user chose.

    Attributes:
        task: a row of the table of tasks, or ``"module:Class"``.
        base: what the task is learned on: an opened model, a path or a name.
        train, valid, test: files of rows, or rows in memory.
        unlabelled: texts without labels, likewise.
        teacher: whose answers are learned beside the labels: an opened model, a path or a name.
        beside: other bases, whose vectors are read beside: opened models or paths.
        budget_seconds: wall-clock time of the training, in place of epochs.
        search_seconds: wall-clock time of a search for settings before it.
        settings: by section; the class that a section sets up checks it.
    """

    task: str
    base: BaseModel
    train: RowSource
    valid: RowSource | None = None
    test: RowSource | None = None
    unlabelled: RowSource | None = None
    teacher: TeacherModel | None = None
    beside: Sequence[BaseModel] = ()
    budget_seconds: float | None = None
    search_seconds: float | None = None
    settings: Sections = field(default_factory=dict)

    @classmethod
    def load(
        cls,
        config: str | Path | None = None,
        settings: Sections | None = None,
        **run: Any,
    ) -> Self:
        """Read a recipe from a TOML file, and from what the caller says, which wins.

        Args:
            config: the file; None: there is none.
            settings: by section.
            run: as of the section `[run]`; `base` and `teacher` may be opened models. None: not
                given.

        Raises:
            SettingError: the file cannot be read, or task, base or rows to learn from are missing.
        """
        file = {} if config is None else read_toml(Path(config), SettingError)
        given = RunConfig.checked(file.pop("run", {}), "run").model_dump()
        given |= {name: value for name, value in run.items() if value is not None}
        for name, argument in REQUIRED.items():
            if given[name] is None:
                raise SettingError(message("errors.missing", argument=argument, name=name))
        _refuse_kept_memory("unlabelled", given["unlabelled"])
        for name in ROWS:
            _refuse_kept_memory(name, given[name])
            given[name] = as_parallel_files(given[name]) or given[name]
        given["beside"] = tuple(given["beside"] or ())
        budget, search = given.pop("budget"), given.pop("search")
        return cls(
            **given,
            budget_seconds=None if budget is None else duration_seconds(budget),
            search_seconds=None if search is None else duration_seconds(search),
            settings=_merged(file, settings or {}, has_budget=budget is not None),
        )

    def with_settings(self, section: str, settings: Mapping[str, Any]) -> Self:
        """Return the recipe with settings of a section put over what it has there."""
        merged = {**self.settings.get(section, {}), **settings}
        return replace(
            self, settings={**self.settings, section: merged} if merged else self.settings
        )

    @property
    def rows(self) -> dict[str, RowSource]:
        """The files of rows that are given, by what they are for."""
        files = {name: getattr(self, name) for name in ROWS}
        return {name: path for name, path in files.items() if path is not None}

    def run_section(self) -> dict[str, Any]:
        """Return what is learned from what, as `[run]` keeps it."""
        files = {name: _kept(path) for name, path in self.rows.items()}
        if self.unlabelled is not None:
            files["unlabelled"] = str(self.unlabelled)
        if self.teacher is not None:
            files["teacher"] = _name_of(self.teacher)
        if self.beside:
            files["beside"] = [_name_of(each) for each in self.beside]
        return {"task": self.task, "base": _name_of(self.base), **files}


def _name_of(model: BaseModel | TeacherModel) -> str:
    return str(model) if isinstance(model, str | Path) else type(model).__name__


def _kept(rows: RowSource) -> str | list[str]:
    """Return names of files as TOML keeps them."""
    files = as_parallel_files(rows)
    return str(rows) if files is None else [*files]


def _refuse_kept_memory(name: str, given: Any) -> None:
    """Refuse what the recipe of a run says of rows that were in memory."""
    if isinstance(given, str) and given.endswith(" rows in memory"):
        raise SettingError(
            f"[run] {name} = '{given}': the run learned from rows that Python held, and no recipe "
            f"keeps them; give them again as {name}."
        )


def _merged(file: Sections, chosen: Sections, *, has_budget: bool) -> Sections:
    """Put `chosen` over the settings of a file; its length of the training replaces the file's."""
    sections = {name: dict(values) for name, values in file.items()}
    if has_budget or LENGTHS & chosen.get("training", {}).keys():
        for length in LENGTHS:
            sections.get("training", {}).pop(length, None)
    for name, values in chosen.items():
        sections.setdefault(name, {}).update(values)
    return sections
