"""An LSTM that reads a text from the left to the right (Hochreiter and Schmidhuber 1997)."""

from __future__ import annotations

from pydantic import Field
from torch import nn

from foretext.extend import Backbone, Config, Inputs, RecurrentCache, States


class LSTM(Backbone):
    """Token vectors, then layers of LSTM cells."""

    class Config(Config):
        """Settings of the section [backbone]."""

        num_layers: int = Field(2, ge=1)
        dim: int = Field(64, ge=1)  # width of vectors and states

    visibilities = frozenset({"causal"})  # a state knows nothing of what follows it

    def __init__(self, config: Config, vocab_size: int) -> None:
        super().__init__(config, vocab_size)
        self.dim, self.num_layers = config.dim, config.num_layers
        self.tokens = nn.Embedding(vocab_size, config.dim)
        self.cells = nn.ModuleList(
            nn.LSTM(config.dim, config.dim, batch_first=True) for _ in range(config.num_layers)
        )

    @property
    def embedding(self) -> nn.Parameter:
        """The token vectors, (V, D)."""
        return self.tokens.weight

    def new_cache(self) -> RecurrentCache:
        """Return an empty cache; with one, `generate` reads each token once."""
        return RecurrentCache()

    def forward(
        self, inputs: Inputs, *, keep_layers: bool = False, cache: RecurrentCache | None = None
    ) -> States:
        """Compute the states of inputs (B, T)."""
        layers, ends = [self.tokens(inputs.ids)], []  # (B, T, D) each; (B, D) each
        for layer, cell in enumerate(self.cells):
            start = None
            if cache is not None and cache.states:
                h, c = cache.states[2 * layer : 2 * layer + 2]  # after the newest token
                start = h[None], c[None]  # PyTorch wants (1, B, D)
            states, (h, c) = cell(layers[-1], start)
            layers.append(states)
            ends += [h[0], c[0]]
        if cache is not None:
            cache.advance(inputs.ids.shape[1], tuple(ends))
        return States(layers[-1], tuple(layers) if keep_layers else ())
