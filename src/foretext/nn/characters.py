"""Words by their characters: spelling helps where a word is rare or has no vector.

A convolution and the largest of each feature (Ma & Hovy 2016, section 2.1), or the last states of
an LSTM from each end (Lample et al. 2016, section 4.1), beside a word's vector; or convolutions of
several widths in place of one (Kim et al. 2016). A word that occurs many times in a batch is read
once.

N: different words of a batch, K: characters of a word, E: features of a word.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from foretext.nn.character_windows import largest_windows
from foretext.nn.convolution import Convolution
from foretext.nn.highway import Highway
from foretext.nn.recurrent import RecurrentLayer, row_lengths

__all__ = ["CharacterCNN", "CharacterLSTM", "CharacterWords"]

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
        rows = torch.arange(len(words), device=words.device)
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
    words, places = torch.unique(characters.flatten(0, 1), dim=0, return_inverse=True)
    return words, places.view(characters.shape[:2])


def _drawn(num_characters: int, dim: int) -> nn.Embedding:
    vectors = nn.Embedding(num_characters, dim)
    bound = (3 / dim) ** 0.5  # Ma & Hovy 2016, section 3.1: a variance of 1 / dim
    nn.init.uniform_(vectors.weight, -bound, bound)
    return vectors
