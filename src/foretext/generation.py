"""Generation: one token after another from a backbone and its head.

Each step computes the newest position only; a cache holds what the earlier ones left. A model that
fills masks reads a mask after the text, whose state predicts the next token, and forgets it. The
next token is the most probable one (temperature 0) or drawn: from the k most probable (Fan et al.
2018), from the smallest set that holds the probability p (Holtzman et al. 2020), or from all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from pydantic import Field, model_validator
from torch import Tensor, nn

from foretext.backbones.base import Backbone
from foretext.config import Config
from foretext.data.batch import Inputs, Visibility
from foretext.errors import SettingError
from foretext.nn.cache import Cache
from foretext.objectives.reading import Reading

__all__ = ["Decoder", "Sampling", "Watch", "generate_ids", "probabilities"]

GROWTH = 64  # ids that room is made for at a time, at least

Watch = Callable[[int, list[int]], bool]  # sample and its ids so far; True: it ends here


class Sampling(Config):
    """How the next token is chosen."""

    temperature: float = Field(0.8, ge=0)
    """Number that divides the logits; 0: always the most probable token."""
    top_k: int | None = Field(None, ge=1)
    """Number of the most probable tokens to draw from; none: all."""
    top_p: float | None = Field(None, gt=0, le=1)
    """Probability that the most probable tokens to draw from hold together; none: all."""

    @model_validator(mode="after")
    def _has_effect(self) -> Sampling:
        if self.temperature == 0 and (self.top_k is not None or self.top_p is not None):
            raise ValueError(
                "top_k and top_p would have no effect: at temperature 0 the likeliest token is "
                "taken; leave them out, or set a temperature above 0"
            )
        return self


def probabilities(logits: Tensor, sampling: Sampling) -> Tensor:
    """Return the probabilities of the next token, (B, V) float32, of logits (B, V).

    First the temperature applies, then `top_k`, then `top_p` to what is left.
    """
    assert sampling.temperature > 0, "at temperature 0 nothing is drawn"
    logits = logits.float() / sampling.temperature
    if sampling.top_k is not None and sampling.top_k < logits.shape[-1]:
        least = logits.topk(sampling.top_k).values[..., -1:]
        logits = logits.masked_fill(logits < least, -torch.inf)
    shares = logits.softmax(-1)
    if sampling.top_p is None:
        return shares
    ordered, places = shares.sort(-1, descending=True)
    before = ordered.cumsum(-1) - ordered  # of more probable tokens
    ordered = ordered.masked_fill(before >= sampling.top_p, 0.0)
    kept = torch.zeros_like(shares).scatter(-1, places, ordered)
    return kept / kept.sum(-1, keepdim=True)


class Decoder:
    """A backbone that reads rows piece by piece and says what it expects next.

    When the backbone's positions are used up, the newest half of the text is read again from its
    beginning and the rest forgotten, so that a text can be longer than the model.

    Args:
        backbone: one that `continues_texts`.
        head: maps states (B, D) to logits (B, V).
        reading: what is read beside the text.
        num_ids: that the tokenizer has; a head may have rows behind them. None: all rows are ids.

    Raises:
        SettingError: the backbone cannot continue a text.
    """

    def __init__(
        self,
        backbone: Backbone,
        head: nn.Module,
        reading: Reading | None = None,
        num_ids: int | None = None,
    ) -> None:
        self.backbone = backbone
        self.head = head
        self.num_ids = num_ids
        self.reading = reading or Reading()
        self.room = self.reading.room(backbone.max_length)  # tokens of the text
        self._cache = self._new_cache()
        self._ids = torch.empty(0, 0, dtype=torch.int64)  # (B, room for the ids that were read)

    def read(self, ids: Tensor) -> Tensor:
        """Read further ids (B, T), and return the logits of the next ones, (B, V)."""
        read = max(self._cache.length - len(self.reading.opening), 0)
        if read + ids.shape[1] > self.room:
            ids = torch.cat((self._ids[:, :read], ids), dim=1)[:, -max(self.room // 2, 1) :]
            read, self._cache = 0, self._new_cache()
        self._remember(ids, read)
        if not self._cache.length:
            self._open(ids)
        mask = self.reading.mask
        if mask is not None:
            ids = torch.cat((ids, ids.new_full((len(ids), 1), mask)), dim=1)
        inputs = self._inputs(ids, "causal", self.reading.text_segment)
        states = self.backbone(inputs, cache=self._cache)
        if mask is not None:
            self._cache.forget(1)
        return self.head(states.last[:, -1])[:, : self.num_ids]

    def keep_rows(self, rows: Sequence[int]) -> None:
        """Continue these rows only, in that order; a row may come more than once."""
        index = torch.tensor(rows, device=self._ids.device)
        self._ids = self._ids.index_select(0, index)
        self._cache.keep_rows(index)

    def _open(self, ids: Tensor) -> None:
        """Read what stands before the text; `ids` are the text's first, (B, T)."""
        opening = self.reading.opening
        if opening:
            rows = ids.new_tensor(opening).expand(len(ids), -1)
            inputs = self._inputs(rows, "full", self.reading.opening_segment)
            self.backbone(inputs, cache=self._cache)

    def _inputs(self, ids: Tensor, visibility: Visibility, segment: int | None) -> Inputs:
        segments = None if segment is None else torch.full_like(ids, segment)
        return Inputs(ids, visibility=visibility, segments=segments)

    def _new_cache(self) -> Cache:
        cache = self.backbone.new_cache()
        if cache is None or not self.backbone.continues_texts:
            raise SettingError(
                f"[backbone] {type(self.backbone).__name__} cannot continue a text, as its states "
                "depend on what follows or on spelling; use a Transformer with causal visibility, "
                "or a recurrent network with bidirectional = false and characters = 'none'."
            )
        return cache

    def _remember(self, ids: Tensor, read: int) -> None:
        """Write ids (B, T) behind those that were read."""
        end = read + ids.shape[1]
        if read == 0:
            self._ids = ids.new_empty(len(ids), max(end, GROWTH))
        elif end > self._ids.shape[1]:
            rows, room = self._ids.shape
            self._ids = torch.cat((self._ids, ids.new_empty(rows, max(room, end - room))), dim=1)
        self._ids[:, read:end] = ids


@torch.inference_mode()
def generate_ids(
    decoder: Decoder,
    prompt: Tensor,
    sampling: Sampling,
    watch: Watch,
    *,
    max_new_tokens: int,
    num_samples: int = 1,
    seed: int = 0,
) -> list[list[int]]:
    """Continue a prompt, (T,) int64, several times side by side; return the new ids.

    Args:
        decoder: fresh; it reads the prompt once for all samples.
        prompt: at least one id, unless the reading has an opening.
        sampling: how tokens are chosen.
        watch: called with each sample after each of its tokens; it returns True to end it.
        max_new_tokens: of each sample, at most.
        num_samples: how many.
        seed: of the draws.
    """
    generator = torch.Generator(prompt.device).manual_seed(seed)
    samples: list[list[int]] = [[] for _ in range(num_samples)]
    alive = list(range(num_samples))  # the samples that have not ended, a row each
    logits = decoder.read(prompt[None]).expand(num_samples, -1)
    if num_samples > 1:
        decoder.keep_rows([0] * num_samples)
    for left in range(max_new_tokens - 1, -1, -1):
        tokens = _choose(logits, sampling, generator)  # (B,)
        for sample, token in zip(alive, tokens.tolist(), strict=True):
            samples[sample].append(token)
        going = [row for row, sample in enumerate(alive) if not watch(sample, samples[sample])]
        if not going or not left:
            break
        if len(going) < len(alive):
            decoder.keep_rows(going)
            alive, tokens = [alive[row] for row in going], tokens[going]
        logits = decoder.read(tokens[:, None])
    return samples


def _choose(logits: Tensor, sampling: Sampling, generator: torch.Generator) -> Tensor:
    if sampling.temperature == 0:
        return logits.argmax(-1)
    return torch.multinomial(probabilities(logits, sampling), 1, generator=generator)[:, 0]
