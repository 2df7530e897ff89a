"""What backbones with layers of attention share: their first weights, rates, and memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from torch import Tensor, nn

from foretext.backbones.base import Backbone
from foretext.config import Config

__all__ = ["AttentionBackbone", "SegmentedBackbone", "draw_linear"]

BASE_WIDTH, HIGHEST_RATE = 768, 5e-4  # of size base, whose rate papers give


class AttentionBackbone(Backbone):
    """Layers of attention and feed-forward, each added to what it reads."""

    has_attention: ClassVar[bool] = True
    adds_pooler = True
    gains_from_crf = False
    default_dropout = 0.1
    tunes_layer_decay = True
    base_rate: ClassVar[float] = 5e-5  # of fine-tuning at size base: Devlin et al. 2019, A.3
    head_std: float = 0.02  # of a task's first weights, as BERT's own

    def __init__(self, config: Config, vocab_size: int) -> None:
        super().__init__(config, vocab_size)
        self.checkpointing = False  # whether the backward pass computes layers again

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


class SegmentedBackbone(AttentionBackbone):
    """One whose embeddings have a vector for each segment."""

    takes_segments: ClassVar[bool] = True
    embeddings: Any  # a module with `segments` and `replace_segments`

    @property
    def segment_vectors(self) -> Tensor | None:
        """The vectors of the segments, (num_segments, E); None: it has none."""
        segments = self.embeddings.segments
        return None if segments is None else segments.weight

    def replace_segments(self, vectors: Tensor) -> None:
        """Replace the vectors of the segments by these, (K, E), which are learned from now on."""
        self.embeddings.replace_segments(vectors)
        self.num_segments = len(vectors)
        self.config = self.config.model_copy(update={"num_segments": len(vectors)})


def draw_linear(layer: nn.Linear, std: float) -> None:
    """Draw the weights of a linear layer from N(0, std²); its bias becomes zero."""
    nn.init.normal_(layer.weight, std=std)
    if layer.bias is not None:
        nn.init.zeros_(layer.bias)
