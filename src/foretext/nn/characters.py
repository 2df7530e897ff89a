"""Words by their characters: spelling helps where a word is rare or has no vector.

A convolution and the largest of each feature (Ma & Hovy 2016, section 2.1), or the last states of
an LSTM from each end (Lample et al. 2016, section 4.1), beside a word's vector; or convolutions of
several widths in place of one (Kim et al. 2016). A word that occurs many times in a batch is read
once.

N: different words of a batch, K: characters of a word, E: features of a word.

Convolutions of several widths over the characters of words, and the largest of each feature.
There are few characters, so what a character adds to a window at a place in it is looked up in a
table, and a window is a sum of rows. Gradients flow through the largest windows alone: backward
visits one window for each feature of a word, not all. For short words on a CPU that takes a third
of the time of convolutions.

N: words, K: characters of a word, W: characters of the widest window, E: features, A: ids.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from foretext.nn.convolution import Convolution
from foretext.nn.highway import Highway
from foretext.nn.recurrent import RecurrentLayer, row_lengths

__all__ = ["CharacterCNN", "CharacterLSTM", "CharacterWords", "largest_windows"]

WIDTH = 3  # characters of a window


class CharacterCNN(nn.Module):
    """Windows of three characters, then tanh of the largest over the word.

    Args:
        num_characters: ids, including 0 for none.
        dim: width of a character's vector.
        num_features: E.
    """

    def __init__(self, num_characters: int, dim: int, num_features: int) -> None:
        super().__init__()
        self.vectors = _drawn(num_characters, dim)
        self.convolution = Convolution(dim, num_features, WIDTH)

    def forward(self, characters: Tensor) -> Tensor:
        """Read (B, T, K) ids, 0 after a word's end, as (B, T, E); a word without any as zeros."""
        words, places = _distinct(characters)
        absent = (words == 0).unsqueeze(-1)  # (N, K, 1)
        maps = self.convolution(self.vectors(words).masked_fill(absent, 0))  # (N, K, E)
        # A word without characters has tanh(0) = 0, whatever the bias.
        largest = maps.masked_fill(absent, -torch.inf).amax(1)
        return torch.tanh(largest.masked_fill(absent.all(1), 0))[places]


class CharacterLSTM(nn.Module):
    """The state after the last character from the left, and after the first from the right.

    Args:
        num_characters: ids, including 0 for none.
        dim: width of a character's vector.
        num_features: E, half of them from each end.
    """

    def __init__(self, num_characters: int, dim: int, num_features: int) -> None:
        super().__init__()
        self.dim = num_features // 2  # of each direction
        self.vectors = _drawn(num_characters, dim)
        self.layer = RecurrentLayer("lstm", dim, self.dim, bidirectional=True)

    def forward(self, characters: Tensor) -> Tensor:
        """Read (B, T, K) ids, 0 after a word's end, as (B, T, E); a word without any as zeros."""
        words, places = _distinct(characters)
        lengths = row_lengths(words > 0)
        assert lengths is not None
        states = self.layer(self.vectors(words), lengths)  # (N, K, E)
        rows = torch.arange(words.shape[0], device=words.device)
        left, right = states[rows, (lengths - 1).clamp(min=0)], states[:, 0]
        ends = torch.cat((left[:, : self.dim], right[:, self.dim :]), -1)
        return ends.masked_fill((lengths == 0).unsqueeze(-1), 0)[places]


class CharacterWords(nn.Module):
    """Vectors of words from their characters alone (Kim et al. 2016, sections 2.2 and 2.3).

    Convolutions of several widths, the largest of each feature over a word and an activation, then
    highway layers and a linear map.

    Args:
        num_characters: ids, including 0 for none.
        dim: width of a character's vector.
        features: by width of a window, in characters.
        num_highways: highway layers.
        word_dim: width of a word's vector, D.
        normed: whether features and vectors have a layer norm. All features are positive; without
            norms the steps of an optimizer add up in every unit above, and words look alike.
    """

    def __init__(
        self,
        num_characters: int,
        dim: int,
        features: Mapping[int, int],
        num_highways: int,
        word_dim: int,
        *,
        normed: bool,
    ) -> None:
        super().__init__()
        self.vectors = _drawn(num_characters, dim)
        self.windows = nn.ParameterList(
            torch.empty(number, dim, width) for width, number in features.items()
        )
        total = sum(features.values())  # E
        self.bias = nn.Parameter(torch.zeros(total))
        self.feature_norm = nn.LayerNorm(total) if normed else nn.Identity()
        self.highways = nn.Sequential(*(Highway(total) for _ in range(num_highways)))
        self.projection = nn.Linear(total, word_dim)
        self.norm = nn.LayerNorm(word_dim) if normed else nn.Identity()
        for weight in self.windows:
            bound = (dim * weight.shape[2]) ** -0.5
            nn.init.uniform_(weight, -bound, bound)

    def forward(self, words: Tensor) -> Tensor:
        """Read words (N, K), 0 after a word's end, as vectors (N, D)."""
        largest = largest_windows(words, self.vectors.weight, list(self.windows))
        features = self.feature_norm(F.relu(largest + self.bias))
        vectors: Tensor = self.norm(self.projection(self.highways(features)))
        return vectors


def _distinct(characters: Tensor) -> tuple[Tensor, Tensor]:
    """Return the different words (N, K) of (B, T, K), and which of them is where, (B, T)."""
    if torch.compiler.is_exporting():  # a graph reads each word: it cannot know which are equal
        every = characters.flatten(0, 1)
        return every, torch.arange(every.shape[0]).view(characters.shape[:2])
    words, places = torch.unique(characters.flatten(0, 1), dim=0, return_inverse=True)
    return words, places.view(characters.shape[:2])


def _drawn(num_characters: int, dim: int) -> nn.Embedding:
    vectors = nn.Embedding(num_characters, dim)
    bound = (3 / dim) ** 0.5  # Ma & Hovy 2016, section 3.1: a variance of 1 / dim
    nn.init.uniform_(vectors.weight, -bound, bound)
    return vectors


def largest_windows(words: Tensor, vectors: Tensor, weights: Sequence[Tensor]) -> Tensor:
    """Return the largest value of each feature over the windows of each word, (N, E), at least 0.

    A window begins at each character, and reads zeros behind the end of its word. One that holds
    nothing counts too, so that the width of the batch makes no difference: no value is below 0.

    Args:
        words: (N, K) ids, 0 behind the end.
        vectors: (A, D) of the ids; that of 0 is taken as zeros.
        weights: (E_i, D, W_i) of each width; there is no bias.
    """
    widest = max(weight.shape[2] for weight in weights)
    kernel = torch.cat([F.pad(weight, (0, widest - weight.shape[2])) for weight in weights])
    exact = torch.promote_types(vectors.dtype, torch.float32)
    real = F.pad(vectors[1:], (0, 0, 1, 0)).to(exact)
    table = (real @ kernel.permute(2, 1, 0).to(exact)).flatten(0, 1)  # (W A, E)
    lengths, order = (words != 0).sum(1).sort(descending=True)
    windows = F.pad(words[order], (0, widest)).unfold(1, widest, 1)  # (N, K + 1, W)
    places = windows.long() + len(vectors) * torch.arange(widest, device=words.device)
    largest = _apply(table, places, lengths)[order.argsort()]
    return largest.to(vectors.dtype)


class _LargestWindows(torch.autograd.Function):
    """The largest windows of words, and the gradients of those alone."""

    @staticmethod
    def forward(ctx: Any, table: Tensor, places: Tensor, lengths: Tensor) -> Tensor:
        """Find the largest window after window, of the words that are as long, the longest first.

        Args:
            ctx: of autograd.
            table: (W A, E).
            places: (N, K + 1, W) rows of the table; of the last window those of zeros.
            lengths: (N,) of the words, which decrease.
        """
        num_words, K = places.shape[0], places.shape[1] - 1
        largest = table.new_zeros(num_words, table.shape[1])
        window = torch.full_like(largest, K, dtype=torch.int16)
        starts = torch.arange(K, device=lengths.device)
        for start, longer in enumerate((lengths[:, None] > starts).sum(0).tolist()):
            sums = F.embedding_bag(places[:longer, start], table, mode="sum")
            window[:longer].masked_fill_(sums > largest[:longer], start)
            torch.maximum(largest[:longer], sums, out=largest[:longer])
        ctx.save_for_backward(places, window)
        ctx.table_shape = table.shape
        return largest

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        places, window = ctx.saved_tensors[0], ctx.saved_tensors[1].long()
        total = gradient.new_zeros(ctx.table_shape)  # (W A, E)
        features = torch.arange(total.shape[1], device=total.device)
        for place in places.unbind(2):  # (N, K + 1) each
            cells = place.gather(1, window) * len(features) + features  # (N, E)
            total.view(-1).index_add_(0, cells.view(-1), gradient.reshape(-1))
        return total, None, None


_apply: Callable[..., Tensor] = _LargestWindows.apply
