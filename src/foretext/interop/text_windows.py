"""How a text of any length becomes a vector, for programs without foretext.

A graph gives the vector of one window of a text. What `embed` makes of the vectors of all windows
is arithmetic, which such programs do themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from foretext.backbones.base import Backbone, States
from foretext.base.errors import SettingError
from foretext.data.batch import Inputs
from foretext.data.framing import Framing
from foretext.heads.base import TaskBase
from foretext.interop.graph import GraphNetwork, NetworkGraph, ReadInput, Texts, check_base
from foretext.nn.pooling import Dense, pool_texts, through_layers

__all__ = ["WINDOW_VECTOR", "TextWindows", "text_windows"]

WINDOW_VECTOR = "window_vector"  # the output of the graph
Pooled = Callable[[States, Tensor | None], Tensor]


class TextWindows(NamedTuple):
    """What turns a text into a vector.

    Attributes:
        graph: the vector of each window, (B, D).
        framing: what stands around a window, and how much of a text it has room for.
        pooling: "max" takes the largest number of all windows, the others the mean by tokens.
        dense: layers that the vector of the text goes through.
    """

    graph: NetworkGraph
    framing: Framing
    pooling: str
    dense: tuple[Dense, ...]

    @property
    def overlap(self) -> int:
        """Tokens that a window shares with the next."""
        return self.framing.check_overlap(None)

    def rows(self, text: str) -> list[list[int]]:
        """Return the windows of a text; none of a text without tokens."""
        (ids,) = self.graph.tokenizer.encode_batch([text])
        return self.framing.windows(ids, self.overlap)

    def vector(
        self, rows: Sequence[Sequence[int]], vectors: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """Return the vector of a text, (E,), whose length is not set to 1.

        Args:
            rows: its W windows.
            vectors: of the windows, (W, D).
        """
        sizes = np.array([len(row) for row in rows], np.int64)
        pooled = pool_texts(vectors, np.zeros(len(rows), np.int64), sizes, 1, self.pooling)
        found: NDArray[np.float32] = through_layers(self.dense, pooled)[0]
        return found


def text_windows(
    base: TaskBase,
    framing: Framing,
    pooling: str,
    pooled: Pooled,
    *,
    exact: Callable[[], Backbone],
    save: Callable[[Any], None],
    needs_layers: bool = False,
    parts: nn.Module | None = None,
    dense: Sequence[Dense] = (),
) -> TextWindows:
    """Return the windows of a model that embeds texts.

    Args:
        base: tokenizer and backbone.
        framing: of a window.
        pooling: the name of it.
        pooled: makes vectors (B, D) of states and the mask of tokens.
        exact: returns the backbone in float32.
        save: writes the folder of the model.
        needs_layers: whether `pooled` reads the states of every layer.
        parts: with the weights of `pooled`.
        dense: layers that follow.

    Raises:
        SettingError: other programs have no such tokenizer or network.
    """
    tokenizer = check_base(base, "The network that gives vectors")
    backbone = base.backbone
    if base.visibility not in ("full", "causal"):
        raise SettingError(
            f"The network that gives vectors ({type(backbone).__name__}) reads its two directions "
            "apart, so it cannot be exported; a BERT or a GPT can."
        )

    def answer(states: States, inputs: Inputs) -> tuple[Tensor, ...]:
        return (pooled(states, inputs.token_mask).float(),)

    @torch.inference_mode()
    def read(texts: Texts) -> ReadInput:
        (ids,) = tokenizer.encode_batch([texts[0]])
        row = framing.around(ids[: framing.room]) or [base.pad]
        own = exact()
        rows = torch.tensor([row], device=own.embedding.device)
        states = own(Inputs(rows, None, base.visibility), keep_layers=needs_layers)
        vector = pooled(states, None)[0].float().cpu().numpy()
        return ReadInput(row, {WINDOW_VECTOR: vector})

    network = GraphNetwork(
        backbone,
        base.visibility,
        parts,
        answer,
        needs_layers=needs_layers,
        has_segments=backbone.num_segments > 1,
    )
    graph = NetworkGraph(
        network,
        (WINDOW_VECTOR,),
        frozenset(),
        "feature-extraction",
        tokenizer,
        framing.max_length,
        save,
        read,
    )
    return TextWindows(graph, framing, pooling, tuple(dense))
