"""How likely a text is to a causal language model.

The text is one stream, as in pretraining: a line is a sentence and is encoded by itself, line ends
within a document are not predicted; each document is followed by the end token, which is predicted
like any other, and another one stands before the first.

A model that carries its state reads the stream once, from its beginning to its end, so that each
token sees all that stands before it. Any other reads it in windows: a window moves on by `stride`
tokens and predicts only these; they see what the window holds before them, so that each token but
the first ones sees at least ``max_length - stride`` others.

What a causal language model expected at each token of a text, and what it would have preferred.
Rows are read once, from their beginning, so that each token sees all that stands before it. B
rows of a batch, T positions, V ids, K of the likeliest tokens.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from foretext.backbones.base import Backbone
from foretext.base.config import whole_number
from foretext.base.errors import CorpusError, SettingError
from foretext.data.batch import Inputs
from foretext.language_model.filling import cannot
from foretext.language_model.networks import Network
from foretext.nn.token_head import TokenHead
from foretext.objectives.base import Objective
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer

__all__ = [
    "Likelihood",
    "TokenScores",
    "check_ids",
    "measure_likelihood",
    "score_rows",
    "sliding_windows",
]

BATCH_TOKENS = 1 << 13  # positions of a batch of windows
PIECE_TOKENS = 1 << 11  # positions that are read at a time where the state is carried
LOGITS = 1 << 24  # numbers at a time: logits of all positions would need more memory than the rest


@dataclass(frozen=True)
class Likelihood:
    """The summed loss over a text, and the lengths that it is divided by."""

    nll: float  # -log P of the whole text, in nats
    num_tokens: int  # predicted, the end of each document among them
    num_words: int  # between blanks, and one for the end of each document
    num_characters: int  # of the sentences, and one for the end of each document
    num_bytes: int  # likewise, in UTF-8
    num_unknown: int  # tokens that hide what stood in the text
    is_complete: bool = True  # whether the tokens say all that stood in the text

    @property
    def loss(self) -> float:
        """Nats a token."""
        return self.nll / self.num_tokens

    @property
    def perplexity(self) -> float:
        """exp(nll / tokens); it compares models with one tokenizer only."""
        return math.exp(self.loss)

    @property
    def word_perplexity(self) -> float | None:
        """exp(nll / words): the end of each document counts as a word.

        Where each line is a document these are the words that the Penn Treebank's figures are
        divided by, with ``<eos>`` at each line's end. WikiText's figures count empty lines as
        words, too. Models of whole words compare if they have the same words.

        None where it would be wrong: pieces of words, or marks between words, are unknown to the
        tokenizer or left out by it, so that `nll` is the loss of less than the text.
        """
        if self.is_complete or self.num_tokens == self.num_words:
            return math.exp(self.nll / self.num_words)
        return None

    @property
    def bits_per_token(self) -> float:
        """Bits that coding by the model needs for a token."""
        return self.loss / math.log(2)

    @property
    def bits_per_character(self) -> float | None:
        """Bits for a character, which compare all models; None where the tokens hide some."""
        return self.nll / math.log(2) / self.num_characters if self.is_complete else None

    @property
    def bits_per_byte(self) -> float | None:
        """Bits for a byte of the text, which compare all models; None likewise."""
        return self.nll / math.log(2) / self.num_bytes if self.is_complete else None


def measure_likelihood(
    network: Network,
    tokenizer: SubwordTokenizer,
    documents: Iterable[str],
    *,
    stride: int | None = None,
) -> Likelihood:
    """Score documents by a causal language model.

    Args:
        network: whose losses are summed.
        tokenizer: of the network.
        documents: in the order in which they are read.
        stride: tokens that a window predicts; None: half of a window, which is as long as the rows
            of the training.

    Raises:
        SettingError: the model is not causal, or has no such stride.
        CorpusError: there is no text, or none of it is known.
    """
    objective = network.objective
    if objective is None or not objective.scores_text:
        raise cannot("perplexity", "a causal model (GPT)", objective)
    head, end = objective.token_head, objective.end
    assert head is not None, f"{type(objective).__name__} scores texts and has no token head"
    assert end is not None, f"{type(objective).__name__} scores texts and has no end token"
    length = objective.learned_length(network.backbone)
    stride = _checked_stride(stride, length, objective)
    texts = [[line for line in text.split("\n") if line] for text in documents]
    stream = _stream(tokenizer, texts, end)
    if len(stream) < len(texts) + 2:  # nothing but ends
        raise CorpusError("There is no text whose likelihood could be measured.")
    counted = _counted(tokenizer, stream, texts)  # before the long work: it may refuse the text
    reader = StreamReader(network.backbone, head)
    carries = objective.carries_state
    losses = reader.on(stream) if carries else reader.by_windows(stream, length, stride)
    return replace(counted, nll=sum(losses))


def _checked_stride(stride: int | None, length: int, objective: Objective) -> int:
    if stride is None:
        return max(length // 2, 1)
    if objective.carries_state:
        raise SettingError(
            f"stride = {stride} has no effect: the model reads the text once and carries its "
            "state, so each token sees all that stands before it; leave it out."
        )
    if not 1 <= stride <= length:
        raise SettingError(f"stride = {stride}: the model's windows have 1 to {length} tokens.")
    return stride


def _counted(
    tokenizer: SubwordTokenizer, stream: NDArray[np.int64], texts: list[list[str]]
) -> Likelihood:
    """Return the lengths of a text, without a loss."""
    lines = [line for document in texts for line in document]
    num_words = len(texts) + sum(len(line.split()) for line in lines)
    num_tokens, unknown, num_unknown = len(stream) - 1, tokenizer.special.unknown, 0
    if unknown is not None:
        name = tokenizer.tokens[unknown]
        written = sum(line.split().count(name) for line in lines if name in line)
        num_unknown = int((stream == unknown).sum()) - written
    if num_unknown == num_tokens - len(texts):
        raise CorpusError(
            f"All {num_unknown:,} tokens of the text are unknown to the model; give a text in the "
            "language, and in the writing, of what it has learned."
        )
    # A tokenizer of whole words may leave out punctuation, which no count of tokens shows.
    says_words = num_tokens == num_words or not tokenizer.expects_unknown
    return Likelihood(
        0.0,
        num_tokens,
        num_words,
        len(texts) + sum(map(len, lines)),
        len(texts) + sum(len(line.encode()) for line in lines),
        num_unknown,
        is_complete=num_unknown == 0 and says_words,
    )


def _stream(tokenizer: SubwordTokenizer, documents: list[list[str]], end: int) -> NDArray[np.int64]:
    """Ids of all sentences, (N + 1,), an end before them and after each document."""
    encoded = iter(tokenizer.encode_batch([line for lines in documents for line in lines]))
    ids = [end]
    for lines in documents:
        for sentence in islice(encoded, len(lines)):
            ids += sentence
        ids.append(end)
    return np.array(ids, np.int64)


class StreamReader(NamedTuple):
    """What predicts the tokens of a stream, each but the first."""

    backbone: Backbone
    head: TokenHead

    def on(self, stream: NDArray[np.int64]) -> Iterator[float]:
        """Read from the beginning to the end; yield the summed loss of a piece at a time."""
        ids = torch.from_numpy(stream).to(self.backbone.embedding.device)
        carried: tuple[Tensor, ...] = ()
        for start in range(0, len(ids) - 1, PIECE_TOKENS):
            piece = ids[start : start + PIECE_TOKENS + 1]
            inputs = Inputs(piece[None, :-1].contiguous(), visibility="causal", carried=carried)
            states = self.backbone(inputs)
            carried = states.carried
            yield self._loss(states.last[0], piece[1:])

    def by_windows(self, stream: NDArray[np.int64], length: int, stride: int) -> Iterator[float]:
        """Read in windows of a length that move on by `stride`; yield the summed loss of some."""
        device = self.backbone.embedding.device
        for ids, fresh in sliding_windows(stream, length, stride):
            rows, scored = torch.from_numpy(ids).to(device), torch.from_numpy(fresh).to(device)
            states = self.backbone(Inputs(rows[:, :-1].contiguous(), visibility="causal"))
            yield self._loss(states.last[scored], rows[:, 1:][scored])

    def _loss(self, states: Tensor, targets: Tensor) -> float:
        return float(self.head.score(states, targets).loss.double())


def sliding_windows(
    stream: NDArray[np.int64], length: int, stride: int
) -> Iterable[tuple[NDArray[np.int64], NDArray[np.bool_]]]:
    """Batches of ids (B, T + 1), and which of the last T of a row it is to predict, (B, T).

    Each token but the first of the stream is predicted once; the last window is moved back to end
    where the stream does.
    """
    num_targets = len(stream) - 1
    length = min(length, num_targets)
    starts = np.minimum(
        np.arange(0, num_targets - length + stride, stride), num_targets - length
    )  # (W,)
    done = np.concatenate([[0], starts[:-1] + length])  # targets predicted before, of each window
    size = max(1, BATCH_TOKENS // length)
    for first in range(0, len(starts), size):
        start, before = starts[first : first + size, None], done[first : first + size, None]
        places = start + np.arange(length + 1)  # (B, T + 1)
        yield stream[places], places[:, :-1] >= before


@dataclass(frozen=True)
class TokenScores:
    """Log-probabilities, in nats, of the tokens of one row of T ids."""

    log_probs: list[float]  # of each token but the first, given all before it, (T - 1,)
    # The likeliest tokens and their log-probabilities, the likeliest first, in place of each token
    # but the first, and after the last one: (T, K).
    likeliest: list[list[tuple[int, float]]] = field(repr=False)


@torch.inference_mode()
def score_rows(
    network: Network, rows: Sequence[Sequence[int]], num_ids: int, topn: int
) -> list[TokenScores]:
    """Score rows of ids; `LanguageModel.token_scores` describes the arguments.

    Args:
        network: whose log-probabilities are returned.
        rows: of ids.
        num_ids: that the tokenizer has; a head may have rows behind them, which are no answer.
        topn: likeliest tokens to return at each place.
    """
    objective, backbone = network.objective, network.backbone
    if objective is None or not objective.scores_text:
        raise cannot("token_scores", "a causal model (GPT)", objective)
    head = objective.token_head
    assert head is not None, f"{type(objective).__name__} scores texts and has no token head"
    topn = whole_number(topn, "topn", least=0)
    length = None if backbone.carries_state else objective.learned_length(backbone)
    for row in rows:
        check_ids(row, num_ids)
        _check_length(row, length)
    found: dict[int, TokenScores] = {}
    for batch in _batches(rows):
        ids = _padded([rows[number] for number in batch], backbone.embedding.device)
        scored = _score(backbone, head, ids, num_ids, min(topn, num_ids))
        for number, scores in zip(batch, zip(*scored, strict=True), strict=True):
            found[number] = _without_padding(*scores, length=len(rows[number]))
    return [found[number] for number in range(len(rows))]


def check_ids(ids: Sequence[int], num_ids: int) -> None:
    """Check that ids are of a tokenizer.

    Raises:
        CorpusError: one is not.
    """
    if ids and not 0 <= min(ids) <= max(ids) < num_ids:
        wrong = max(ids) if min(ids) >= 0 else min(ids)
        raise CorpusError(
            f"The id {wrong:,} is not one of the model's tokenizer, which has the ids 0 to "
            f"{num_ids - 1:,}; these ids come from another tokenizer: give the text instead."
        )


def _check_length(row: Sequence[int], length: int | None) -> None:
    if not row:
        raise CorpusError("A row has no ids; give the id of a token to begin with, at least.")
    if length is not None and len(row) > length:
        raise CorpusError(
            f"A text has {len(row):,} tokens, and the model reads {length:,} at once; shorten the "
            "text, or score it piece by piece."
        )


def _batches(rows: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Numbers of rows of similar length, as many as fill a batch."""
    batch: list[int] = []
    for number in sorted(range(len(rows)), key=lambda number: -len(rows[number])):
        if batch and (len(batch) + 1) * len(rows[batch[0]]) > BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(number)
    if batch:
        yield batch


def _padded(rows: Sequence[Sequence[int]], device: torch.device) -> Tensor:
    """Ids (B, T); no token sees the padding, which is at its right."""
    width = max(map(len, rows))
    return torch.tensor([[*row, *[0] * (width - len(row))] for row in rows], device=device)


def _score(
    backbone: Backbone, head: TokenHead, ids: Tensor, num_ids: int, topn: int
) -> tuple[list[Any], list[Any], list[Any]]:
    """Return the log-probability of each next id, (B, T), and the likeliest with theirs, (B, T, K).

    The next id of the last one is not known; what stands there is not looked at.
    """
    targets = torch.cat((ids[:, 1:], ids[:, :1]), 1)
    size, start = max(LOGITS // (num_ids * len(ids)), 1), 0
    parts = []
    for states in _states(backbone, ids):
        for piece in torch.split(states, size, dim=1):  # (B, t, D)
            logits = head(piece).float()  # (B, t, V)
            sums = logits.logsumexp(-1, keepdim=True)
            wanted = targets[:, start : start + piece.shape[1], None]
            best, tokens = logits[..., :num_ids].topk(topn)
            parts.append(((logits.gather(-1, wanted) - sums)[..., 0], best - sums, tokens))
            start += piece.shape[1]
    log_probs, best, tokens = (torch.cat(part, 1).tolist() for part in zip(*parts, strict=True))
    return log_probs, best, tokens


def _states(backbone: Backbone, ids: Tensor) -> Iterator[Tensor]:
    """Yield the states of some positions of all rows at a time, (B, t, D)."""
    if not backbone.carries_state:
        yield backbone(Inputs(ids, visibility="causal")).last
        return
    carried: tuple[Tensor, ...] = ()
    for piece in torch.split(ids, PIECE_TOKENS, dim=1):
        states = backbone(Inputs(piece.contiguous(), visibility="causal", carried=carried))
        carried = states.carried
        yield states.last


def _without_padding(
    log_probs: list[float], best: list[list[float]], tokens: list[list[int]], *, length: int
) -> TokenScores:
    likeliest = [
        list(zip(ids, values, strict=True))
        for ids, values in zip(tokens[:length], best[:length], strict=True)
    ]
    return TokenScores(log_probs[: length - 1], likeliest)
