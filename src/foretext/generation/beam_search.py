"""Beam search: the K likeliest beginnings of each text are continued side by side.

Of all continuations of a text's K hypotheses the 2 K likeliest are looked at, so that K can go on
even if K end. Those that end compete by their score divided by a power of their length (Wu et al.
2016, section 7). What is kept, and when a search ends, is as in `transformers`, whose model folders
name these settings. Of equal candidates, that of the better hypothesis comes first.

B texts, K hypotheses (beams) of each, R = B K rows, V ids, N tokens at most.

The hypotheses of a beam search: those that go on, and the best ones that have ended. B texts with
K hypotheses each, the best one first, and room for N tokens.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from foretext.base.errors import SettingError
from foretext.generation.constraints import FORBIDDEN, Constraints
from foretext.generation.decoder import Decoder
from foretext.generation.decoding import Decoding, Output
from foretext.nn.best_tokens import best_tokens

__all__ = ["BeamSearch"]

UNLAWFUL = FORBIDDEN / 1e6  # a score below it is that of a text with a forbidden token


class BeamSearch:
    """The search for the texts of one decoder.

    Args:
        decoder: fresh, with a row for each text.
        num_texts: B.
        decoding: the settings.
        end: id of the token that ends an output; None: none does.
        begun: ids that the texts begin with, (B, T); None: they begin with their openings.
    """

    def __init__(
        self,
        decoder: Decoder,
        num_texts: int,
        decoding: Decoding,
        end: int | None,
        begun: Tensor | None = None,
    ) -> None:
        device = decoder.device
        self.begun = torch.empty(num_texts, 0, dtype=torch.int64) if begun is None else begun
        N = min(decoding.max_new_tokens, decoder.room - self.begun.shape[1])
        self.decoder, self.decoding = decoder, decoding
        self.end, self.num_new = -1 if end is None else end, N
        self.constraints = Constraints(decoder.reading, decoding, end, N)
        self.texts = torch.arange(num_texts, device=device)  # those whose search goes on
        self.running = Running.fresh(num_texts, N, device)
        self.ended = Ended.fresh(num_texts, decoding.num_beams, N, device)

    @torch.inference_mode()
    def outputs(self) -> list[list[Output]]:
        """Search, and return the best outputs of each text."""
        found: list[list[Output]] = [[] for _ in self.texts]
        ids = self.begun.to(self.texts.device)
        for step in range(self.num_new):
            rows = self._advance(self.decoder.read(ids), step)  # (B, K)
            is_done = self._is_done(step + 1)
            for place in is_done.nonzero()[:, 0].tolist():
                found[int(self.texts[place])] = self._outputs_of(place)
            if bool(is_done.all()):
                break
            going = (~is_done).nonzero()[:, 0]
            self._keep_texts(going)
            self.decoder.keep_rows(rows[going].flatten())
            ids = self.running.tokens[:, :, step].reshape(-1, 1)
        return found

    def _advance(self, logits: Tensor, step: int) -> Tensor:
        """Add a token to each hypothesis; return the row that each continues, (B, K)."""
        K, J = self.decoding.num_beams, self.running.scores.shape[1]
        beams, candidates = self._candidates(logits, step)
        is_last = step == self.num_new - 1
        ends = candidates.tokens[:, :, step] == self.end  # (B, 2 K)
        self._keep_ended(candidates, ends | is_last, step + 1, is_last=is_last)
        going = ends.int().argsort(dim=1, stable=True)[:, :K]  # the best ones that do not end
        self.running = candidates.at(going)
        first = torch.arange(len(ends), device=ends.device)[:, None] * J
        return first + beams.gather(1, going)

    def _candidates(self, logits: Tensor, step: int) -> tuple[Tensor, Running]:
        """Return the 2 K best continuations, and which hypothesis each continues, (B, 2 K)."""
        num, scores = 2 * self.decoding.num_beams, self.running.scores
        _check_vocabulary(logits, self.decoding.num_beams)
        logits = logits.float()
        best, tokens, log_sums = best_tokens(logits, num)  # (R, 2 K)
        if self.constraints.bind(step):
            history = self.running.tokens[:, :, :step].flatten(0, 1)
            logits = self.constraints.apply(logits, log_sums, history)
            best, tokens, _ = best_tokens(logits, num)
        totals = best - log_sums[:, None] + scores.view(-1, 1)
        totals, tokens = totals.view(len(scores), -1), tokens.view(len(scores), -1)
        order = totals.argsort(dim=1, descending=True, stable=True)[:, :num]
        beams = order // num
        return beams, self.running.extended(
            beams, tokens.gather(1, order), totals.gather(1, order), step
        )

    def _keep_ended(self, candidates: Running, ends: Tensor, length: int, *, is_last: bool) -> None:
        """Let those of the best K candidates that end compete with the ones that have ended."""
        K = self.decoding.num_beams
        ends = ends & (candidates.scores > UNLAWFUL)
        if is_last:
            ends[:, 0] = True  # where the rules allow nothing, the best text that breaks them
        if bool(ends[:, :K].any()):
            best = Running(candidates.tokens[:, :K], candidates.scores[:, :K])
            divisor = self.decoding.divisor(length)
            self.ended = self.ended.merged(best, ends[:, :K], length, divisor)

    def _is_done(self, length: int) -> Tensor:
        """Return which texts are found, (B,), after so many tokens."""
        stops = self.decoding.early_stopping
        is_full = self.ended.lengths[:, -1] > 0
        if length == self.num_new:
            return torch.ones_like(is_full)
        if stops is True:
            return is_full
        longest = stops == "never" and self.decoding.length_penalty > 0
        best = self.running.scores[:, 0] / self.decoding.divisor(
            self.num_new if longest else length
        )
        return is_full & (best <= self.ended.scores[:, -1])

    def _keep_texts(self, texts: Tensor) -> None:
        if len(texts) < len(self.texts):
            self.texts = self.texts[texts]
            self.running, self.ended = self.running.of_texts(texts), self.ended.of_texts(texts)

    def _outputs_of(self, place: int) -> list[Output]:
        rows = zip(
            self.ended.tokens[place].tolist(),
            self.ended.lengths[place].tolist(),
            self.ended.scores[place].tolist(),
            strict=True,
        )
        found = [
            self.constraints.output(ids[:length], score) for ids, length, score in rows if length
        ]
        return found[: self.decoding.num_best]


def _check_vocabulary(logits: Tensor, num_beams: int) -> None:
    if logits.shape[1] < 2 * num_beams:
        raise SettingError(
            f"[decoding] num_beams = {num_beams} needs a vocabulary of {2 * num_beams} tokens, and "
            f"this one has {logits.shape[1]}; take fewer beams."
        )


class Running(NamedTuple):
    """Hypotheses that may go on."""

    tokens: Tensor  # (B, K, N) int64, new tokens; those that are not there yet are 0
    scores: Tensor  # (B, K) float32, log-probabilities

    @classmethod
    def fresh(cls, num_texts: int, num_new: int, device: torch.device) -> Running:
        """Return one empty hypothesis a text."""
        tokens = torch.zeros(num_texts, 1, num_new, dtype=torch.int64, device=device)
        return cls(tokens, torch.zeros(num_texts, 1, device=device))

    def extended(self, beams: Tensor, new: Tensor, scores: Tensor, step: int) -> Running:
        """Return J continuations a text: hypotheses `beams` and their token at `step`, (B, J)."""
        tokens = _taken(self.tokens, beams)
        tokens[:, :, step] = new
        return Running(tokens, scores)

    def at(self, places: Tensor) -> Running:
        """Return the hypotheses at places (B, J)."""
        return Running(_taken(self.tokens, places), self.scores.gather(1, places))

    def of_texts(self, texts: Tensor) -> Running:
        """Return the hypotheses of some texts."""
        return Running(self.tokens[texts], self.scores[texts])


class Ended(NamedTuple):
    """Hypotheses that have ended."""

    tokens: Tensor  # (B, K, N) int64
    scores: Tensor  # (B, K) float32, normalised by length
    lengths: Tensor  # (B, K) int64, tokens, the end among them; 0: there is none yet

    @classmethod
    def fresh(cls, num_texts: int, num_beams: int, num_new: int, device: torch.device) -> Ended:
        """Return room for K a text."""
        tokens = torch.zeros(num_texts, num_beams, num_new, dtype=torch.int64, device=device)
        scores = torch.full((num_texts, num_beams), FORBIDDEN, device=device)
        return cls(tokens, scores, torch.zeros_like(scores, dtype=torch.int64))

    def merged(self, others: Running, ends: Tensor, length: int, divisor: float) -> Ended:
        """Return the best K of these and of the others, as far as they end.

        Args:
            others: hypotheses of `length` tokens.
            ends: which of them end, (B, J) bool.
            length: tokens, the end among them.
            divisor: of their scores.
        """
        scores = torch.where(ends, others.scores / divisor, 2 * FORBIDDEN)
        scores = torch.cat((self.scores, scores), 1)
        best = scores.argsort(dim=1, descending=True, stable=True)[:, : self.scores.shape[1]]
        tokens = _taken(torch.cat((self.tokens, others.tokens), 1), best)
        lengths = torch.cat((self.lengths, ends * length), 1).gather(1, best)
        return Ended(tokens, scores.gather(1, best), lengths)

    def of_texts(self, texts: Tensor) -> Ended:
        """Return the hypotheses of some texts."""
        return Ended(self.tokens[texts], self.scores[texts], self.lengths[texts])


def _taken(values: Tensor, places: Tensor) -> Tensor:
    """Return values (B, J, N) at places (B, K) of the second dimension."""
    return values.gather(1, places[..., None].expand(-1, -1, values.shape[2]))
