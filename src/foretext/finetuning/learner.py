"""What learns a task: a network, the linear classifier and fastText's share this interface."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, Self, TypeVar

from foretext.base.config import Config
from foretext.base.counted import number_of
from foretext.base.errors import SettingError, did_you_mean
from foretext.corpus.decoding import Form
from foretext.finetuning.job import FinetuneJob
from foretext.finetuning.recipe import Sections
from foretext.finetuning.settings import FinetuningConfig
from foretext.finetuning.task_rows import TaskRows
from foretext.messages import message
from foretext.progress.budget import Budget
from foretext.progress.run_context import RunContext
from foretext.tasks.baseline import Baseline
from foretext.tasks.predictor import Predictor
from foretext.tasks.task import Task

__all__ = ["OF_TRAINING", "Found", "Learner", "Prepared", "Record", "Tell", "UsualSettings"]

Record = Mapping[str, Any]  # the end of a training: "time" in seconds, "step", "loss", ...
UsualSettings = Mapping[str, tuple[str, str]]  # section and name, by the name that estimators use

OF_TRAINING: UsualSettings = MappingProxyType(
    {name: ("training", name) for name in ("epochs", "learning_rate", "seed")}
)


LearnerT = TypeVar("LearnerT")


class Prepared(NamedTuple, Generic[LearnerT]):
    """A learner that can begin its trainings."""

    learner: LearnerT
    earlier: float = 0.0  # seconds that an interrupted command took for it


class Tell(Protocol):
    """Who follows a search."""

    def __call__(self, trial: dict[str, Any], /) -> None:
        """Take the score and the settings of a trial."""

    def tick(self) -> None:
        """Take notice that time has passed."""


class Found(NamedTuple):
    """What a search for settings found."""

    settings: dict[str, dict[str, Any]]  # the best ones, by section
    score: float  # theirs
    trials: int
    tried: dict[str, Any]  # values of those settings that were varied


@dataclass(frozen=True)
class Learner(ABC):
    """What learns a task from rows, with its settings.

    The road (`foretext.finetuning.run`) calls `check`, reads the rows, and calls `start`, `search`,
    `train` for each seed, and `finish`.

    Args:
        job: the run.
        settings: by section.
    """

    job: FinetuneJob
    settings: Sections

    sections: ClassVar[tuple[str, ...]]  # of settings, beside [rows]
    uses: ClassVar[frozenset[str]]  # the settings of [finetuning] that have an effect
    has_baseline: ClassVar[bool] = False  # whether a baseline is learned where nobody says
    takes_budget: ClassVar[bool] = True  # False: it learns at once
    learns_from_texts: ClassVar[bool] = False  # whether from a teacher, or texts without labels
    pretrains: ClassVar[bool] = False  # whether on these texts, which other runs can share
    takes_others: ClassVar[bool] = False  # whether it learns on other bases beside BASE
    learns_every_task: ClassVar[bool] = False  # also one from outside
    seed_section: ClassVar[str | None] = None  # of the setting `seed`; None: there is none
    usual: ClassVar[UsualSettings] = {}  # epochs, learning_rate and seed: those with an effect
    usual_of_tasks: ClassVar[Mapping[str, UsualSettings]] = {}  # where a task has others

    @classmethod
    @abstractmethod
    def predictor_of(cls, task: str) -> type[Predictor]:
        """Return the class of what is learned.

        Raises:
            SettingError: there is no such task, or it is not learned by this learner.
        """

    @property
    @abstractmethod
    def origin(self) -> str:
        """What it starts with: "pretrained", "vectors", "scratch", or the name of the learner."""

    @property
    @abstractmethod
    def method(self) -> str:
        """What is learned on the base, in a phrase for card and page."""

    @property
    def predictor(self) -> type[Predictor]:
        """The class of what is learned."""
        return self.predictor_of(self.job.recipe.task)

    @property
    def task(self) -> Task:
        """What is learned, which reads the rows."""
        return self.predictor.task

    @property
    def finetuning(self) -> FinetuningConfig:
        """The section `[finetuning]`."""
        return FinetuningConfig.checked(dict(self.settings.get("finetuning", {})), "finetuning")

    @property
    def rows_config(self) -> Config:
        """The section `[rows]`."""
        return self.task.rows_config.checked(dict(self.settings.get("rows", {})), "rows")

    @property
    def form(self) -> Form:
        """The Unicode normal form of the rows, which what is learned brings texts into."""
        form: Form = self.rows_config.model_dump().get("normalization", "NFC")
        return form

    @property
    def wants_baseline(self) -> bool:
        """Whether a baseline is learned beside it."""
        chosen = self.finetuning.baseline
        return self.has_baseline if chosen is None else chosen

    @property
    def expected_seconds(self) -> float | None:
        """Seconds of all its trainings, after `start`; None: nobody knows."""
        return None

    @property
    def learns_words(self) -> bool:
        """Whether it begins with what a linear classifier has learned of the rows."""
        return False

    @property
    def needs_held_out_rows(self) -> bool:
        """Whether some rows are held out where no file of them is given."""
        return False

    @property
    def holds_out_for_figures(self) -> bool:
        """Whether rows are held out although nobody asked for it, to measure the model by."""
        recipe = self.job.recipe
        chosen = recipe.valid is not None or self.finetuning.valid_rate is not None
        return not chosen and recipe.budget_seconds is None and self.needs_held_out_rows

    @property
    def refits(self) -> bool:
        """Whether the model that is kept learns from the held-out rows too, once it is measured."""
        return False

    def check(self) -> None:
        """Refuse settings that are unknown, wrong or without effect, before rows are read.

        Raises:
            SettingError: there are such settings.
        """
        known = (*self.sections, "rows")
        for section in self.settings:
            if section not in known:
                raise SettingError(
                    f"[{section}]: there is no such section here.{did_you_mean(section, known)} "
                    f"There are: {', '.join(known)}."
                )
        self._check_texts()
        if idle := self.finetuning.changed - self.uses:
            raise SettingError(
                message("options.finetune.setting", name=min(idle), base=self.job.recipe.base)
            )

    def refuse_options(self, given: Mapping[str, Any], ending: str) -> None:
        """Refuse options of the run that nothing here obeys.

        Args:
            given: by name, such as "--budget"; None: not given.
            ending: of the sentence, after "has no effect on".

        Raises:
            SettingError: one is given.
        """
        for name, value in given.items():
            if value is not None:
                raise SettingError(f"{name} has no effect on {ending}")

    def _check_texts(self) -> None:
        """Refuse a teacher, texts without labels and other bases where nothing learns from them."""
        recipe = self.job.recipe
        for name, given in (("teacher", recipe.teacher), ("unlabelled", recipe.unlabelled)):
            if given is not None and not self.learns_from_texts:
                raise SettingError(f"--{name} has no effect on '{recipe.base}'; leave it out.")
        if recipe.beside and not self.takes_others:
            raise SettingError(message("options.finetune.beside", base=recipe.base))

    def with_settings(self, sections: Sections) -> Self:
        """Return the learner with the settings that a search found, over those it has."""
        merged = {name: {**self.settings.get(name, {}), **sections[name]} for name in sections}
        return replace(self, settings={**self.settings, **merged})

    def start(self, rows: TaskRows) -> Self:
        """Return the learner ready to train on these rows.

        Raises:
            ForetextError: rows, base and settings do not go together; nothing was trained yet.
        """
        return self

    def prepare(
        self, rows: TaskRows, baseline: Baseline | None, seconds: float | None
    ) -> Prepared[Self]:
        """Do what comes once before all trainings: more pretraining, and a teacher's answers.

        Args:
            rows: of the run.
            baseline: that was learned beside it.
            seconds: for this and all trainings; None: as long as they take.
        """
        return Prepared(self)

    def untouched(self, rows: TaskRows) -> Baseline | None:
        """Return the base as it was, where its vectors answer the rows without any training."""
        return None

    def untrained(self, rows: TaskRows) -> Predictor | None:
        """Return a model whose answers are wrong, and take as long as those of a trained one.

        The end of a run is timed by it. None: it answers as fast as rows are read.
        """
        return None

    def encode(self, model: Predictor, rows: Sequence[Any]) -> None:
        """Do with rows to learn from what a training does before its first step.

        Args:
            model: of `untrained`.
            rows: some.
        """
        return

    def fits(self, model: Predictor, rows: TaskRows) -> int:
        """Return how often `finish` answers the held-out rows.

        Args:
            model: of `untrained`.
            rows: some of each kind.
        """
        return 0

    def search(self, rows: TaskRows, seconds: float, tell: Tell) -> Found:
        """Try settings that the user left open, for `seconds`.

        Raises:
            ForetextError: there is nothing to try, or to judge by, or no trial ended well.
        """
        raise SettingError(message("options.finetune.search", base=self.job.recipe.base))

    @abstractmethod
    def train(self, rows: TaskRows, seed: int, context: RunContext) -> tuple[Predictor, Record]:
        """Train one model.

        Args:
            rows: to learn from, and held-out ones to choose weights by.
            seed: counted from 0; it is added to the seed of the settings.
            context: where records and checkpoints go.
        """

    def seed_of(self, seed: int) -> int:
        """Return the seed that a training has, as the settings say it."""
        return seed

    def refitted(
        self, model: Predictor, rows: TaskRows, seed: int, budget: Callable[[], Budget] | None
    ) -> Predictor:
        """Return the model to keep: the one that was measured, or one that learned from all rows.

        Args:
            model: that was measured.
            rows: of the run.
            seed: of the model, counted from 0.
            budget: returns the time of the training; None: it has as much as it takes.
        """
        if not (self.refits and rows.valid):
            return model
        everything = replace(rows, train=[*rows.train, *rows.valid], valid=[], some=None)
        context = RunContext(
            self.job.run.path,
            title=message("progress.all_rows"),
            quiet=self.job.quiet,
            budget=None if budget is None else budget(),
        )
        self.job.note(
            message(
                "notes.finetune.refitted",
                held_out=number_of("row", len(rows.valid)),
                all=number_of("row", len(everything.train)),
            )
        )
        return self.train(everything, seed, context)[0]

    def finish(self, model: Predictor, rows: TaskRows, baseline: Baseline | None) -> dict[str, Any]:
        """Fit what is fitted after the training, such as the temperature; return facts of it."""
        return {}

    @property
    def resolved_finetuning(self) -> dict[str, Any]:
        """Return what was chosen for the user of `[finetuning]`."""
        return {}

    @abstractmethod
    def resolved(self, model: Predictor, rows: TaskRows) -> dict[str, dict[str, Any]]:
        """Return every setting of the learner by section, so that a recipe repeats the run."""
