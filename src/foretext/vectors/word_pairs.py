"""Do the cosines of word pairs rank as people rank them? WordSim-353, SimLex-999 and their kin."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import EvaluationError
from foretext.base.representation import Represented
from foretext.metrics import pearson, spearman
from foretext.vectors.lookup import first_rows
from foretext.vectors.neighbors import unit_rows
from foretext.vectors.pair_file import ScoredPair, read_pair_file

__all__ = ["WordPairResult", "evaluate_pairs"]


@dataclass(frozen=True, repr=False)
class WordPairResult(Represented):
    """How well cosines agree with people; NaN where one side never varies."""

    spearman: float  # -1 to 1, rank correlation
    pearson: float  # -1 to 1
    num_pairs: int  # compared
    num_skipped: int  # a word is not in the vocabulary; with dummy4unknown they are compared too
    unknown_words: tuple[str, ...]  # in the order of the file
    num_composed: int = 0  # of the pairs compared: a word has its vector from n-grams alone
    composed_words: tuple[str, ...] = ()  # in the order of the file
    columns: tuple[str, ...] = ()  # of both words and of the score: names, or numbers from 1

    def summary(self) -> dict[str, Any]:
        """Return what Python and a notebook show of the result."""
        return {
            "Spearman": self.spearman,
            "Pearson": self.pearson,
            "pairs": self.num_pairs,
            "pairs with unknown words": self.num_skipped,
            "unknown words": self.unknown_words or None,
        }

    def __str__(self) -> str:
        composed = f", {self.num_composed} with unseen words" if self.num_composed else ""
        return (
            f"Spearman {self.spearman:.3f}, Pearson {self.pearson:.3f} on {self.num_pairs} pairs"
            f"{composed}; {self.num_skipped} with unknown words"
        )


def evaluate_pairs(
    words: Sequence[str],
    vectors: NDArray[np.float32],
    path: Path,
    *,
    restrict_vocab: int | None = 300_000,
    case_insensitive: bool = True,
    dummy4unknown: bool = False,
    compose: Callable[[str], NDArray[np.float32] | None] | None = None,
    columns: Sequence[str] | None = None,
) -> WordPairResult:
    """Compare the cosines of `vectors` (V, D) with the scores in the file `path`.

    Only the first `restrict_vocab` words count as known. Other words get a vector (D,) by `compose`
    where it has one. Pairs with a word that is still unknown are left out, or have cosine 0 with
    `dummy4unknown`. `columns` are those of both words and of the score, by name or by number from
    1; None: they are found, and the result says which they are.

    Raises:
        EvaluationError: a line is malformed, or fewer than two pairs can be compared.
    """
    read = read_pair_file(path, columns)
    pairs = read.pairs
    known = first_rows(words[:restrict_vocab], case_insensitive)
    terms = list(dict.fromkeys(word for pair in pairs for word in pair[:2]))
    keys = {term: term.upper() if case_insensitive else term for term in terms}
    seen = {term: vectors[known[key]] for term, key in keys.items() if key in known}
    composed = _composed([term for term in terms if term not in seen], compose)
    found = seen | composed
    is_known = np.array([a in found and b in found for a, b, _ in pairs], dtype=np.bool_)
    has_composed = np.array([a in composed or b in composed for a, b, _ in pairs], dtype=np.bool_)
    used = np.ones_like(is_known) if dummy4unknown else is_known
    if used.sum() < 2 or not is_known.any():
        raise EvaluationError(
            f"{path}: {is_known.sum()} of its {len(pairs)} pairs are in the vocabulary, too few to "
            f"compare; are the words in the language and letter case of the vectors?"
        )
    scores, cosines = np.array([pair.score for pair in pairs]), _cosines(pairs, found)
    return WordPairResult(
        spearman=spearman(scores[used], cosines[used]),
        pearson=pearson(scores[used], cosines[used]),
        num_pairs=int(used.sum()),
        num_skipped=int((~is_known).sum()),
        unknown_words=tuple(term for term in terms if term not in found),
        num_composed=int((is_known & has_composed).sum()),
        composed_words=tuple(composed),
        columns=read.columns,
    )


def _composed(
    words: Sequence[str], compose: Callable[[str], NDArray[np.float32] | None] | None
) -> dict[str, NDArray[np.float32]]:
    if compose is None:
        return {}
    vectors = ((word, compose(word)) for word in words)
    return {word: vector for word, vector in vectors if vector is not None}


def _cosines(
    pairs: Sequence[ScoredPair], found: Mapping[str, NDArray[np.float32]]
) -> NDArray[np.float32]:
    """Return the cosine of each pair (P,), 0 where a word has no vector."""
    nothing = np.zeros_like(next(iter(found.values())))
    firsts = unit_rows(np.array([found.get(pair.first, nothing) for pair in pairs]))  # (P, D)
    seconds = unit_rows(np.array([found.get(pair.second, nothing) for pair in pairs]))
    cosines: NDArray[np.float32] = np.einsum("pd,pd->p", firsts, seconds)
    return cosines
