"""How likely a text is to a causal language model, in windows that slide over it.

The text is one stream, as in pretraining: a line is a sentence and is encoded by itself, line ends
within a document are not predicted; each document is followed by the end token, which is predicted
like any other, and another one stands before the first. A window moves on by `stride` tokens and
predicts only these; they see what the window holds before them, so that each token but the first
ones sees at least ``max_length - stride`` others.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

import numpy as np
import torch
from numpy.typing import NDArray

from foretext.data.batch import Inputs
from foretext.errors import CorpusError, SettingError
from foretext.language_model.abilities import cannot
from foretext.language_model.networks import Network
from foretext.nn.token_head import TokenHead
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer

__all__ = ["Likelihood", "measure_likelihood", "sliding_windows"]

BATCH_TOKENS = 1 << 13  # positions of a batch of windows


@dataclass(frozen=True)
class Likelihood:
    """The summed loss over a text, and the lengths that it is divided by."""

    nll: float  # -log P of the whole text, in nats
    num_tokens: int  # predicted, the end of each document among them
    num_words: int  # between blanks, and one for the end of each document
    num_bytes: int  # of the sentences in UTF-8, and one for the end of each document
    num_unknown: int  # tokens that hide what stood in the text

    @property
    def loss(self) -> float:
        """Nats a token."""
        return self.nll / self.num_tokens

    @property
    def perplexity(self) -> float:
        """exp(nll / tokens); it compares models with one tokenizer only."""
        return math.exp(self.loss)

    @property
    def word_perplexity(self) -> float:
        """exp(nll / words): the end of each document counts as a word.

        It compares models with different tokenizers, provided that none has unknown tokens. Where
        each line is a document these are the words that the Penn Treebank's figures are divided by,
        with ``</s>`` at each line's end. WikiText's figures count empty lines as words, too.
        """
        return math.exp(self.nll / self.num_words)

    @property
    def bits_per_byte(self) -> float:
        """Bits that coding by the model needs for a byte of the text."""
        return self.nll / math.log(2) / self.num_bytes


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
        stride: tokens that a window predicts; None: half of the model's length.

    Raises:
        SettingError: the model is not causal, or has no such stride.
        CorpusError: there is no text.
    """
    objective, length = network.objective, network.backbone.max_length
    if objective is None or not objective.scores_text:
        raise cannot("perplexity", "a causal model (GPT)", objective)
    head, end = objective.token_head, objective.end
    assert head is not None, f"{type(objective).__name__} scores texts and has no token head"
    assert end is not None, f"{type(objective).__name__} scores texts and has no end token"
    stride = max(length // 2, 1) if stride is None else stride
    if not 1 <= stride <= length:
        raise SettingError(f"stride = {stride}: the model's windows have 1 to {length} tokens.")
    texts = [[line for line in text.split("\n") if line] for text in documents]
    stream = _stream(tokenizer, texts, end)
    if len(stream) < len(texts) + 2:  # nothing but ends
        raise CorpusError("There is no text whose likelihood could be measured.")
    nll = 0.0
    for ids, fresh in sliding_windows(stream, length, stride):
        nll += _summed_loss(network, head, ids, fresh)
    unknown = tokenizer.special.unknown
    return Likelihood(
        nll,
        len(stream) - 1,
        len(texts) + sum(len(line.split()) for lines in texts for line in lines),
        len(texts) + sum(len(line.encode()) for lines in texts for line in lines),
        0 if unknown is None else int((stream == unknown).sum()),
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


def _summed_loss(
    network: Network, head: TokenHead, ids: NDArray[np.int64], fresh: NDArray[np.bool_]
) -> float:
    device = network.backbone.embedding.device
    rows, scored = torch.from_numpy(ids).to(device), torch.from_numpy(fresh).to(device)
    states = network.backbone(Inputs(rows[:, :-1].contiguous(), visibility="causal")).last
    return float(head.score(states[scored], rows[:, 1:][scored]).loss.double())
