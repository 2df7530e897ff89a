"""What learns by a recipe: one object for each kind of run, which keeps nothing itself."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from foretext.base.errors import SettingError
from foretext.corpus import Corpus
from foretext.messages import message
from foretext.pretraining.budget import begun, kept_budget
from foretext.pretraining.job import Base, PretrainingJob
from foretext.pretraining.shared import SharedFolder
from foretext.recipe import Recipe
from foretext.shown import Shown

if TYPE_CHECKING:
    from foretext.pretraining.affordable import Work
    from foretext.pretraining.plan.sample import CorpusSample

__all__ = ["FREE_TO_CHANGE", "Draw", "Learner", "Trained", "TrainedT", "learner_of"]

FREE_TO_CHANGE = (  # between a run and its resume
    "workers",
    "checkpoint_seconds",
    "checkpoints_kept",
    "memory",
    "micro_batch_examples",
    "sharding",
    "tensorboard",
)


MOST_EXAMPLES = 1000  # of a batch that is shown
SEEDS = 1 << 31


@dataclass(frozen=True)
class Trained:
    """What a training gave.

    Attributes:
        model: that was learned.
        history: the records of ``metrics.jsonl``.
        facts: what ``config.json`` says of the run.
        recipe: with the time that a budget left for the training, and without what the text or the
            examples do not allow.
    """

    model: Any
    history: list[dict[str, Any]]
    facts: Mapping[str, Any]
    recipe: Recipe


@dataclass(frozen=True)
class Draw:
    """Which examples of a text are shown.

    Raises:
        SettingError: `number` or `seed` is out of range.
    """

    number: int = 3
    seed: int = 0
    tokenizer: Path | None = None  # file or run of a tokenizer; None: one is learned of the text

    def __post_init__(self) -> None:
        if not 1 <= self.number <= MOST_EXAMPLES:
            raise SettingError(
                message("options.show.examples", number=self.number, most=MOST_EXAMPLES)
            )
        if not 0 <= self.seed < SEEDS:
            raise SettingError(f"seed = {self.seed}: give a number from 0 to {SEEDS - 1}.")

    @property
    def tokenizer_file(self) -> Path | None:
        """The file itself, which a run has in its folder."""
        path = self.tokenizer
        return path / "tokenizer.json" if path is not None and path.is_dir() else path


TrainedT = TypeVar("TrainedT", bound=Trained)


class Learner(ABC, Generic[TrainedT]):
    """What learns by a recipe.

    The road (`foretext.pretraining.pretraining.run_recipe`) calls `check`, `start`, `train`, and,
    where the run is kept, `finish`. Of several recipes that learn from one text, `prepare` makes
    what they share.
    """

    takes_words: ClassVar[bool] = False  # lists of words, too, which somebody else has cut

    def check(self, recipe: Recipe, base: Base) -> None:
        """Refuse what can never work, before a folder is made and the text is read.

        Args:
            recipe: as the user gave it.
            base: what is to be trained further; None: nothing.

        Raises:
            SettingError: with what to change.
        """

    def start(self, job: PretrainingJob, budget: float | None) -> PretrainingJob:
        """Return the job with a value for everything that its recipe leaves open.

        A resumed run takes the length that it began with; before its first checkpoint it begins
        once more.

        Args:
            job: whose text decides its settings of text already.
            budget: seconds for the whole command; None: as long as the recipe says.

        Raises:
            SettingError: the run began with another budget, or this one is too short.
        """
        if not job.resume:
            if budget is None:
                return job
            return begun(replace(job, recipe=job.recipe.with_budget(budget)), budget)
        recipe, kept = job.recipe, kept_budget(job.run)
        if budget is not None and budget != kept:
            recipe = recipe.with_budget(budget)  # which is refused with both figures
        elif kept is not None:
            recipe = recipe.with_length_of(Recipe.of_run(job.run.recipe))
        job = replace(job, recipe=recipe)
        return job if kept is None or job.run.has_learned else begun(job, kept)

    def prepare(self, shared: SharedFolder, recipe: Recipe, text: Corpus, *, quiet: bool) -> None:
        """Make what runs of several recipes share of a text: its tokenizer and its ids.

        Args:
            shared: the folder for it.
            recipe: with nothing open that the text decides.
            text: as the recipe reads it.
            quiet: show no progress.
        """

    def time_reading(self, work: Work, recipe: Recipe, sample: CorpusSample) -> None:
        """Measure on a sample what `prepare` costs, and add it to `work`."""

    @abstractmethod
    def train(self, job: PretrainingJob) -> TrainedT:
        """Read the text, or the examples, and learn from them.

        Raises:
            ForetextError: text, settings or base cannot be used.
        """

    @abstractmethod
    def finish(self, job: PretrainingJob, trained: TrainedT) -> None:
        """Write what was learned, and its card, and mark the run as finished.

        Raises:
            OutputError: a file cannot be written; a resumed run goes on from there.
        """

    def help_to_train(self, job: PretrainingJob) -> Trained:
        """Do the part of a process that torchrun started, and that is not the first.

        Raises:
            SettingError: the kind is learned in one process.
        """
        raise SettingError(
            "torchrun trains language models, into a run's folder; start this without it."
        )

    def show(self, job: PretrainingJob, draw: Draw) -> Iterable[Shown]:
        """Yield examples of a text as the training reads them; nothing is trained.

        Args:
            job: in a temporary folder; its recipe has a value for all that the text decides.
            draw: which examples.

        Raises:
            ForetextError: text or settings cannot be used, or the kind has nothing to show.
        """
        raise SettingError(f"{job.recipe.kind.at_first} has no examples that could be shown.")

    @abstractmethod
    def next_command(self, model: Any, run: str) -> str:
        """Return what to try first with a model, such as "neighbors RUN tea".

        Args:
            model: that was learned.
            run: its folder, as a shell takes it.
        """


def learner_of(recipe: Recipe) -> Learner[Any]:
    """Return what learns by a recipe.

    Raises:
        MissingExtraError: it needs PyTorch, which is not installed.
    """
    learner: Learner[Any] = recipe.kind.code("learner")()
    return learner
