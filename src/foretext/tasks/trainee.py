"""What fine-tuning asks of a task: what its head needs to know, examples, checks and notes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from foretext.backbones.base import Backbone
from foretext.base.config import Config
from foretext.base.errors import SettingError
from foretext.data.batch import Visibility
from foretext.data.examples import Examples
from foretext.data.padded_examples import PaddedExamples
from foretext.data.rows import RowTexts
from foretext.heads.base import Head
from foretext.heads.task_base import TaskBase
from foretext.objectives.criterion import Criterion
from foretext.tasks.classification.linear import LinearClassifier
from foretext.tasks.lessons import Consistency, Lessons, Teaching
from foretext.tasks.predictor import Predictor

__all__ = ["Resolved", "Trainee", "visibility_of"]


class Resolved(NamedTuple):
    """The settings of a task, and what a person should know of those that were left open."""

    config: Any  # of the class `task_config`
    notes: list[str]


class Trainee(Predictor):
    """A predictor that can be trained; `head_class`, `find` and `examples` have no defaults."""

    head_class: ClassVar[type[Head]]
    vectors_backbone: ClassVar[str] = "textcnn"  # what `over_vectors` returns
    # Settings of the sub-words that a network learns from the rows alone; the user's go over them.
    scratch_tokenizer: ClassVar[Mapping[str, Any]] = {"name": "wordpiece", "vocab_size": 8000}

    @classmethod
    def over_vectors(cls, config: Any, rows: Sequence[Any]) -> str:
        """Return the name of the network over word vectors, if the user names none.

        Args:
            config: the user's settings.
            rows: to learn from.
        """
        return cls.vectors_backbone

    @property
    def is_chosen_by_loss(self) -> bool:
        """Whether held-out loss, not `judged_by`, decides which weights a training keeps."""
        return False

    @classmethod
    def task_config(cls) -> type[Config]:
        """Return the class of the section ``[task]``."""
        return cls.head_class.settings()

    @classmethod
    @abstractmethod
    def find(cls, rows: Sequence[Any]) -> dict[str, Any]:
        """Return what the head needs to know of the rows, such as their labels, as JSON has it."""

    @classmethod
    def check_learnable(cls, rows: Sequence[Any]) -> None:
        """Refuse rows that no head can be made for."""
        cls.find(rows)

    @classmethod
    def texts_apart(cls, config: Any, rows: Sequence[Any]) -> tuple[RowTexts, RowTexts] | None:
        """Return sources and targets where each side gets a tokenizer of its own; None: one does.

        Args:
            config: the user's settings.
            rows: to learn from.
        """
        return None

    @classmethod
    def base_for(cls, base: TaskBase) -> TaskBase:
        """Return what the task reads of a base: of an encoder-decoder, its encoder."""
        backbone = base.backbone.for_tasks
        if backbone is base.backbone:
            return base._replace(objective=None)
        return TaskBase(base.tokenizer, backbone, visibility_of(backbone))

    @classmethod
    def num_characters(cls, rows: Sequence[Any]) -> int:
        """Return the number of ids that the spelling of the words takes; 0: it is not read."""
        return 0

    @classmethod
    def gains_from_spelling(cls, rows: Sequence[Any]) -> bool:
        """Whether a network over words reads their characters too, unless the user says not."""
        return False

    @classmethod
    def gains_from_bigrams(cls, rows: Sequence[Any]) -> bool:
        """Whether a network over words reads pairs of neighbours too, unless the user says not."""
        return False

    @classmethod
    def learns_chain(cls, config: Any) -> bool:
        """Whether the head has layers, such as a CRF, that learn faster than a pretrained base."""
        return False

    @classmethod
    def learns_embeddings(cls, config: Any) -> bool:
        """Whether the head adds embeddings to the backbone, which must not be frozen then."""
        return False

    @classmethod
    def learns_words(cls, config: Any) -> bool:
        """Whether the head reads what a linear classifier has learned of the words of the rows."""
        return False

    @classmethod
    def check_joins(cls, config: Any) -> None:
        """Check that settings of the head leave room for a linear classifier beside the network.

        Raises:
            SettingError: they do not.
        """

    @classmethod
    def resolve(
        cls,
        config: Any,
        base: TaskBase,
        rows: Sequence[Any],
        *,
        is_pretrained: bool,
        is_frozen: bool,
    ) -> Resolved:
        """Choose what the user left open and the head cannot know, and say why.

        Args:
            config: the user's settings.
            base: what the task is learned on.
            rows: to learn from.
            is_pretrained: whether the weights of the base are.
            is_frozen: whether the embeddings of the base stay as they are.
        """
        return Resolved(config, [])

    @classmethod
    def check_calibration(cls, rows: Sequence[Any]) -> None:
        """Check that probabilities can be calibrated by such rows.

        Raises:
            SettingError: they cannot.
        """
        raise SettingError(
            "[finetuning] calibrate fits the probabilities of labels of which one is right, and "
            "these rows have no such labels; leave it out."
        )

    @classmethod
    def check_ensemble(cls) -> None:
        """Check that a model can answer together with a linear classifier.

        Raises:
            SettingError: it cannot.
        """
        raise SettingError(
            f"[finetuning] ensemble is for classification, not for {cls.title.lower()}; leave it "
            "out."
        )

    @classmethod
    def check_teaching(cls) -> None:
        """Check that a model can learn from the probabilities of another one.

        Raises:
            SettingError: it cannot.
        """
        raise SettingError(
            f"--teacher is for classification, not for {cls.title.lower()}; leave it out."
        )

    @classmethod
    def check_consistency(cls, config: Any) -> None:
        """Check that a model can learn from its own answers to texts with replaced tokens.

        Args:
            config: the settings of the head.

        Raises:
            SettingError: it cannot.
        """
        raise SettingError(
            f"[finetuning] consistency_weight is for classification, not for {cls.title.lower()}; "
            "leave it out."
        )

    @abstractmethod
    def examples(self, rows: Sequence[Any]) -> PaddedExamples:
        """Return rows with their answers as examples to learn from.

        Raises:
            CorpusError: a row has an answer that the model does not know.
        """

    def taught(self, lessons: Lessons, config: Teaching) -> tuple[Criterion, PaddedExamples]:
        """Return what is trained where a teacher answered rows, and the rows as examples.

        Raises:
            SettingError: the model cannot learn from a teacher.
        """
        raise SettingError(f"{self.title} cannot be learned from a teacher.")

    def consistent(
        self, labelled: Sequence[Any], unlabelled: Sequence[Any], config: Consistency
    ) -> tuple[Criterion, Examples]:
        """Return what is trained where its own answers are learned, and the rows as examples.

        Raises:
            SettingError: the model cannot learn from them.
        """
        raise SettingError(f"{self.title} cannot learn from texts without labels.")

    def knows(self, row: Any) -> bool:
        """Whether the model can give the right answer of a row."""
        return True

    def num_cut(self, rows: Sequence[Any]) -> int:
        """Return the number of rows that are longer than the model reads at once."""
        return 0

    def finish(self, rows: Sequence[Any]) -> list[str]:
        """Set what is chosen by held-out rows, and return what was chosen, for the log."""
        return []

    def calibrate(self, rows: Sequence[Any]) -> float:
        """Set and return the temperature by which probabilities fit held-out rows.

        Raises:
            SettingError: the answers have no such probabilities.
            CorpusError: the rows do not fit.
        """
        raise SettingError(f"The probabilities of {self.title.lower()} cannot be calibrated.")

    def join(self, linear: LinearClassifier, rows: Sequence[Any]) -> Any:
        """Answer together with a linear classifier from now on; return the weights of both.

        Raises:
            SettingError: the model cannot.
            CorpusError: the rows do not fit.
        """
        raise SettingError(f"{self.title} cannot be answered together with a linear classifier.")


def visibility_of(backbone: Backbone) -> Visibility:
    """Return how a backbone without an objective is read: from both sides, if it can be."""
    usual: tuple[Visibility, ...] = ("full", "causal", "split")
    return next(each for each in usual if each in backbone.visibilities)
