"""What backbones with layers of attention share: first weights, rates, memory, fewer layers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Protocol, Self, TypeVar, cast

from torch import Tensor, nn

from foretext.backbones.base import Backbone, TaskTraits
from foretext.base.config import Config
from foretext.base.errors import SettingError

__all__ = ["ATTENTION_TRAITS", "AttentionBackbone", "draw_linear"]

ATTENTION_TRAITS = TaskTraits(
    adds_pooler=True, gains_from_crf=False, default_dropout=0.1, tunes_layer_decay=True
)

BASE_WIDTH, HIGHEST_RATE = 768, 5e-4  # of size base, whose rate papers give

SCORE_COPIES = 3  # that are held where scores are dropped: weights, what is left, its part
ADDED_BYTES = 4  # of a number that is added to a score
ADDED_COPIES = 6  # of these numbers in the layer that is computed: before and after they are moved

LANES = 32  # further widths are multiples of it, for the sake of matrix products
FURTHER = {"embedding_dim", "feed_forward_dim"}  # widths that may be chosen beside that of states

C = TypeVar("C", bound=Config)


class AttentionBackbone(Backbone):
    """Layers of attention and feed-forward, each added to what it reads.

    They stand in a `ModuleList` named `blocks`, and `used_blocks` compute.
    """

    blocks: nn.ModuleList
    stacks_layers = True
    has_attention = True
    task_traits = ATTENTION_TRAITS
    base_rate: ClassVar[float] = 5e-5  # of fine-tuning at size base: Devlin et al. 2019, A.3
    adds_to_scores: ClassVar[bool] = False  # whether attention adds a number to each score
    head_std: float = 0.02  # of a task's first weights, as BERT's own

    def __init__(self, config: Config, vocab_size: int) -> None:
        super().__init__(config, vocab_size)
        self.checkpointing = False  # whether the backward pass computes layers again
        self._num_used: int | None = None  # layers that compute; None: all of them

    @property
    def used_blocks(self) -> list[nn.Module]:
        """The blocks that compute, the first one first."""
        return list(self.blocks)[: self._num_used]

    def pair_bytes(self, itemsize: int) -> int:
        """Return what training holds for each pair of positions of a row, in all heads and layers.

        Without dropout of scores only what is added to them is held, in float32; the layer that is
        computed holds it several times over. With it, scores are held before and after.
        """
        settings = self.config.model_dump()
        if settings.get("attention_dropout", 0.0) > 0:
            held = self.num_layers * (SCORE_COPIES * itemsize + 1)
        else:
            added = self.num_layers * ADDED_BYTES + ADDED_COPIES * itemsize
            held = added if self.adds_to_scores else 0
        return held * int(settings.get("num_heads", 1))

    def use_layers(self, num: int) -> None:
        """From now on compute the first `num` layers alone."""
        self._num_used = num

    def student(self, num_layers: int, dim: int | None = None) -> Self:
        """Return a smaller one: of its width with its embeddings and layers at equal distances.

        Sanh et al. 2019, section 3. The heads of a narrower one stay about as wide.
        """
        smaller = type(self)(_shrunk(self.config, num_layers, dim), self.vocab_size)
        if smaller.dim == self.dim:
            smaller.load_state_dict(self._weights_of(smaller.kept_layers(self.num_layers)))
        return smaller

    def kept_layers(self, num_layers: int) -> list[int]:
        """Return which of so many layers its own start from, the first and the last among them."""
        last = num_layers - 1
        return [round(i * last / max(self.num_layers - 1, 1)) for i in range(len(self.blocks))]

    def _weights_of(self, layers: Sequence[int]) -> dict[str, Tensor]:
        """Return the weights of a network of some of the layers."""
        found = {}
        for name, weight in self.state_dict().items():
            if not name.startswith("blocks."):
                found[name] = weight
        for place, layer in enumerate(layers):
            for name, weight in self.blocks[layer].state_dict().items():
                found[f"blocks.{place}.{name}"] = weight
        return found

    def recompute_layers(self) -> None:
        """From now on compute layers again in the backward pass, to save memory."""
        self.checkpointing = True

    def initialise_head(self, layer: nn.Linear) -> None:
        """Draw the weights of a task's layer from N(0, head_std²); its bias becomes zero."""
        draw_linear(layer, self.head_std)

    def fine_tuning_defaults(self, *, pretrained: bool) -> Mapping[str, Any]:
        """Return the rate at size base, higher for a narrower one (Turc et al. 2019).

        A randomly initialised one learns at twice that rate.
        """
        rate = min(self.base_rate * (BASE_WIDTH / self.dim) ** 1.5, HIGHEST_RATE)
        return {"learning_rate": (1 if pretrained else 2) * rate}

    def draw_weights(self, std: float) -> None:
        """Draw weights of linear layers and embeddings from N(0, std²); biases become zero."""
        for module in self.modules():
            if isinstance(module, nn.Embedding):
                nn.init.normal_(module.weight, std=std)
            if isinstance(module, nn.Linear):
                draw_linear(module, std)


def draw_linear(layer: nn.Linear, std: float) -> None:
    """Draw the weights of a linear layer from N(0, std²); its bias becomes zero."""
    nn.init.normal_(layer.weight, std=std)
    if layer.bias is not None:
        nn.init.zeros_(layer.bias)


class _LayerShape(Protocol):
    """What settings say of layers of attention and feed-forward."""

    num_layers: int
    dim: int
    num_heads: int
    init_std: float


def _shrunk(config: C, num_layers: int, dim: int | None) -> C:
    """Return the settings of a network of fewer layers, and of another width.

    Args:
        config: that of the larger network, with the settings of a `_LayerShape`.
        num_layers: of the smaller one.
        dim: width of its states; None: as wide.

    Raises:
        SettingError: it would not be smaller, or no number of heads divides the width.
    """
    shape = cast(_LayerShape, config)
    if not 0 < num_layers <= shape.num_layers or (dim or 1) > shape.dim:
        raise SettingError(
            f"--layers {num_layers}: the teacher has {shape.num_layers} layers of width "
            f"{shape.dim}; give fewer, or a smaller --width."
        )
    if dim is None or dim == shape.dim:
        return config.model_copy(update={"num_layers": num_layers})
    num_heads = max(round(dim * shape.num_heads / shape.dim), 1)
    if dim % (2 * num_heads):
        raise SettingError(
            f"--width {dim} cannot be divided among {num_heads} heads of an even width; give a "
            f"multiple of {2 * num_heads}."
        )
    changed = {
        "num_layers": num_layers,
        "dim": dim,
        "num_heads": num_heads,
        "init_std": shape.init_std * (shape.dim / dim) ** 0.5,
    }
    return config.model_copy(update={**changed, **_further_widths(config, dim / shape.dim)})


def _further_widths(config: Config, rate: float) -> dict[str, int]:
    """Return the widths that were chosen beside that of the states, scaled."""
    widths = config.model_dump(include=FURTHER, exclude_none=True)  # of those that it has
    return {name: max(round(rate * width) // LANES, 1) * LANES for name, width in widths.items()}
