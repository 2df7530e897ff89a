"""What scores a backbone's states: the base of every objective and of every task."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence

from torch import Tensor, nn

from foretext.backbones.base import Backbone, States
from foretext.base.errors import SettingError
from foretext.data.batch import Batch, Visibility
from foretext.nn.vocabulary_head import Score
from foretext.objectives.shown_example import ShownExample
from foretext.shown import Part
from foretext.tokenizers.base import Tokenizer

__all__ = ["Criterion", "check_pair"]


class Criterion(nn.Module, ABC):
    """Scores states against targets. It may have several parts, each with its own score.

    The loss of a step is the weighted sum over the parts of the mean loss of that part's
    predictions. The mean is over the whole step, whether one process computes it or several.
    """

    visibility: Visibility  # with which the trained model is read
    needs_source: bool = False  # whether its batches have `Inputs.source`
    carries_state: bool = False  # whether rows go on where those of the batch before ended
    cuts_rows: bool = False  # whether parts of a row are rows, too: see `Batch.cut`
    repeats_inputs: bool = False  # whether the backbone reads an example alike in every epoch
    # Whether the loss of an example depends on the others of its batch, as in contrastive learning;
    # it then has `vectors` and `compare`.
    compares_examples: bool = False

    @property
    def lighter(self) -> str:
        """The setting that does without what `table_bytes` counts, as ``--set`` takes it."""
        return ""

    def table_bytes(self, num_positions: int) -> int:
        """Return what scoring so many positions takes where that is more than their states take."""
        return 0

    @property
    def networks(self) -> Mapping[str, Backbone]:
        """The networks beside the backbone that `prepare` runs on each batch, by attribute."""
        return {}

    @property
    def needs_layers(self) -> bool:
        """Whether it reads the states of every layer, `States.layers`."""
        return False

    @property
    def trains_with(self) -> frozenset[Visibility]:
        """The visibilities of its batches."""
        return frozenset({self.visibility})

    def check(self, backbone: Backbone) -> None:
        """Refuse a backbone that the heads do not fit.

        Raises:
            SettingError: with what to change.
        """
        return

    def located(self, batch: Batch) -> Batch:
        """Return a batch that names the positions where something is predicted, if that saves time.

        It is called while the batch is in main memory. A GPU that looks for positions has to be
        waited for, and code of `torch.compile` would end where it does not know how many there are.
        """
        return batch

    def prepare(self, batch: Batch, backbone: Backbone) -> Batch:
        """Return the batch that the backbone reads; called before each forward pass.

        A generator or a teacher can change the batch here. Gradients flow through what it computes.

        Args:
            batch: as the examples made it.
            backbone: that will read it.
        """
        return batch

    @abstractmethod
    def counts(self, batch: Batch) -> Mapping[str, int]:
        """Return the number of predictions of each part."""

    def divisors(self, counts: Mapping[str, int]) -> Mapping[str, int]:
        """Return by how many predictions the summed loss of each part is divided.

        By those of the part, so that means are added. Where each prediction is of one part out of
        several it is the predictions of all parts: then the loss is one mean.

        Args:
            counts: predictions of each part, in a step or in many.
        """
        return {part: max(count, 1) for part, count in counts.items()}

    @abstractmethod
    def scores(self, states: States, batch: Batch) -> Mapping[str, Score]:
        """Return the summed loss and the number of right answers of each part.

        Args:
            states: what the backbone made of the batch.
            batch: with its targets.
        """

    def show(self, batch: Batch, tokenizer: Tokenizer) -> Sequence[Part]:
        """Return what people read of an example: its tokens, what is predicted, who sees whom.

        What is shown is in the batch; an objective adds what its paper is about.

        Args:
            batch: of one example.
            tokenizer: of the text.
        """
        return ShownExample(batch, tokenizer).parts()

    def vectors(self, states: States, batch: Batch) -> Tensor:
        """Return the vectors (B, D) by which examples are compared, if it `compares_examples`.

        Args:
            states: what the backbone made of the batch.
            batch: with its targets.
        """
        raise NotImplementedError(type(self).__name__)

    def compare(self, vectors: Tensor, targets: Mapping[str, Tensor]) -> Mapping[str, Score]:
        """Score the vectors (B, D) of a whole batch, if it `compares_examples`.

        Args:
            vectors: (B, D), as `vectors` gives them.
            targets: of the batch, by name.
        """
        raise NotImplementedError(type(self).__name__)


def check_pair(backbone: Backbone, criterion: Criterion) -> None:
    """Check that a backbone and a criterion can be trained together.

    Raises:
        SettingError: they do not fit; the sentence says what to change.
    """
    names = type(criterion).__name__, type(backbone).__name__
    missing = (criterion.trains_with | {criterion.visibility}) - backbone.visibilities
    if missing:
        raise SettingError(
            f"[objective] {names[0]} needs {_listed(missing)} visibility, and [backbone] "
            f"{names[1]} has {_listed(backbone.visibilities)} only; choose another backbone."
        )
    if criterion.needs_source and not backbone.reads_source:
        raise SettingError(
            f"[objective] {names[0]} needs a backbone that reads a source text, and [backbone] "
            f"{names[1]} has no encoder for one; choose an encoder-decoder."
        )
    if backbone.reads_source and not criterion.needs_source:
        raise SettingError(
            f"[backbone] {names[1]} reads a source text, and [objective] {names[0]} gives it none; "
            "choose another backbone."
        )
    criterion.check(backbone)


def _listed(visibilities: Iterable[Visibility]) -> str:
    return ", ".join(sorted(visibilities))
