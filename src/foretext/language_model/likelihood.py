"""How likely a text is to a causal language model.

The text is one stream, as in pretraining: a line is a sentence and is encoded by itself, line ends
within a document are not predicted; each document is followed by the end token, which is predicted
like any other, and another one stands before the first.

A model that carries its state reads the stream once, from its beginning to its end, so that each
token sees all that stands before it. Any other reads it in windows: a window moves on by `stride`
tokens and predicts only these; they see what the window holds before them, so that each token but
the first ones sees at least ``max_length - stride`` others.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from foretext.backbones.base import Backbone
from foretext.base.errors import CorpusError, SettingError
from foretext.data.batch import Inputs
from foretext.language_model.abilities import cannot
from foretext.language_model.networks import Network
from foretext.nn.token_head import TokenHead
from foretext.objectives.base import Objective
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer

__all__ = ["Likelihood", "measure_likelihood", "sliding_windows"]

BATCH_TOKENS = 1 << 13  # positions of a batch of windows
PIECE_TOKENS = 1 << 11  # positions that are read at a time where the state is carried


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
