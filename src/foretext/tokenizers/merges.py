"""Sub-words from word counts: the alphabet, the words as symbols, and the merges.

The merges equal those of the trainer of the `tokenizers` library on the same counts, one by one;
with `ties="first_met"` they equal the textbook's, which goes through the words in their order.
Counts have 64 bits; the library's have 32.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np

from foretext.base.errors import SettingError
from foretext.corpus.blocks import Advance, Blocks
from foretext.corpus.counts import PortableCutter, count_words
from foretext.corpus.text_shards import TextShards
from foretext.kernels.merges import (
    FIRST_MET,
    SMALLEST_IDS,
    LearnedTokens,
    Limits,
    MergeLearner,
    Words,
    merge_next,
    start_learner,
)
from foretext.messages import message

__all__ = ["MergeStep", "Merges", "Merging", "Rules", "Ties", "learn_merges", "merge_pairs"]

Ties = Literal["smallest_ids", "first_met"]

NEWLINE = 10
COVERAGE = 0.9995  # of a text's characters, as in SentencePiece (Kudo and Richardson 2018)
USUAL_ALPHABET = 1_000
SLICE = 1 << 15  # words that become symbols at a time
ROWS = 1 << 9  # merges between two checks for an interrupt


class Rules(NamedTuple):
    """Which tokens can be learned."""

    vocab_size: int
    min_count: int = 1  # of a pair
    special_tokens: Sequence[str] = ()  # get the first ids
    alphabet: Sequence[str] = ()  # characters that it always contains
    limit_alphabet: int | Literal["auto"] | None = None  # the most frequent are kept
    max_token_length: int | None = None  # in characters
    prefix: str = ""  # of each symbol but a word's first
    suffix: str = ""  # of a word's last symbol
    ties: Ties = "smallest_ids"


class Merges(NamedTuple):
    """The learned tokens and merges."""

    tokens: list[str]  # by id
    pairs: list[tuple[str, str]]  # by rank


def merge_pairs(words: Sequence[str], counts: np.ndarray, rules: Rules) -> Merges:
    """Merge the most frequent pair until there are `vocab_size` tokens.

    There are fewer tokens if no pair that occurs `min_count` times is left.

    Args:
        words: W words, none with a newline.
        counts: (W,) int64, at least 1.
        rules: which tokens can be learned.

    Raises:
        SettingError: the special tokens and the alphabet alone are more than `vocab_size`.
    """
    return Merging(words, counts, rules).finish()


def learn_merges(
    corpus: Blocks,
    splitter: PortableCutter,
    rules: Rules,
    *,
    workers: int = 1,
    progress: Advance | None = None,
    shards: TextShards | None = None,
) -> Merges:
    """Count the words of a corpus and merge, as `merge_pairs` does.

    Raises:
        CorpusError: the corpus contains no text.
        SettingError: the special tokens and the alphabet alone are more than `vocab_size`.
    """
    found = count_words(corpus, splitter, workers=workers, progress=progress, shards=shards)
    merging = Merging(found.words, found.counts, rules)
    del found  # a third of all memory
    return merging.finish()


class MergeStep(NamedTuple):
    """One merge."""

    left: str
    right: str
    token: str
    pair_count: int
    left_count: int  # of each symbol before the merge
    right_count: int


class Merging:
    """Words as symbols of the alphabet, and the merges that join them one after another.

    Args:
        words: W words, none with a newline.
        counts: (W,) int64, at least 1.
        rules: which tokens can be learned.

    Raises:
        SettingError: the special tokens and the alphabet alone are more than `vocab_size`.
    """

    def __init__(self, words: Sequence[str], counts: np.ndarray, rules: Rules) -> None:
        alphabet = _alphabet(words, counts, rules)
        names = list(dict.fromkeys([*rules.special_tokens, *map(chr, alphabet)]))
        _check_size(len(names), len(rules.special_tokens), rules)
        symbols, names = _symbols(words, alphabet, names, rules)
        _check_size(len(names), len(rules.special_tokens), rules)
        self.rules = rules
        self.num_first = len(names)  # tokens before the first merge
        self._begun = _as_words(symbols, counts), _as_tokens(names, rules.vocab_size)
        self._learner: MergeLearner | None = None

    def finish(self) -> Merges:
        """Merge until the vocabulary is full, or no pair is left that occurs often enough."""
        rows: list[np.ndarray] = []
        while not rows or len(rows[-1]) == ROWS:
            rows.append(self._merge(ROWS))
        pairs = [(left, right) for left, right, _ in self._named(np.concatenate(rows))]
        return Merges(self.tokens, list(dict.fromkeys(reversed(pairs)))[::-1])

    def steps(self, number: int) -> Iterator[MergeStep]:
        """Merge a number of times, and yield what each merge joins and how often it occurs."""
        for _ in range(number):
            found, symbols = self._pair_counts(), self._symbol_counts()
            rows = self._merge(1)
            if not len(rows):
                return
            left, right = rows[0, :2].tolist()
            times = (found[left, right], int(symbols[left]), int(symbols[right]))
            yield MergeStep(*self._named(rows)[0], *times)

    @property
    def tokens(self) -> list[str]:
        """The tokens that there are now, by id; a pair that was merged twice has one."""
        tokens = self._begun[1] if self._learner is None else self._learner.tokens
        size = int(tokens.used[0])
        offsets = tokens.offsets.tolist()
        text = tokens.points[: offsets[size]].tobytes().decode("utf-32-le")
        return [text[a:b] for a, b in pairwise(offsets[: size + 1])]

    def words(self) -> list[list[str]]:
        """Return the words in the symbols that they have now, in their order."""
        names, words = self.tokens, self._started().words
        return [
            [names[symbol] for symbol in words.symbols[start : start + length].tolist()]
            for start, length in zip(words.starts.tolist(), self._lengths().tolist(), strict=True)
        ]

    def _started(self) -> MergeLearner:
        if self._learner is None:
            self._learner = start_learner(*self._begun, self._order)
        return self._learner

    @property
    def _order(self) -> int:
        return FIRST_MET if self.rules.ties == "first_met" else SMALLEST_IDS

    def _merge(self, number: int) -> np.ndarray:
        """Merge, and return left, right and new token of each merge, (M, 3) with M to `number`."""
        rules = self.rules
        prefix = np.frombuffer((rules.prefix or "\0").encode("utf-32-le"), np.int32)
        longest = rules.max_token_length or np.iinfo(np.int32).max
        limits = Limits(rules.vocab_size, rules.min_count, longest, prefix, self._order)
        block = np.empty((number, 3), np.int64)
        self._learner, written = merge_next(self._started(), limits, block)
        return block[:written]

    def _named(self, rows: np.ndarray) -> list[tuple[str, str, str]]:
        names = self.tokens
        return [(names[left], names[right], names[new]) for left, right, new in rows.tolist()]

    def _pair_counts(self) -> dict[tuple[int, int], int]:
        pairs = self._started().pairs
        size = int(pairs.used[0])
        keys, counts = pairs.keys[:size].tolist(), pairs.counts[:size].tolist()
        return {
            (key >> 32, key & 0xFFFFFFFF): count for key, count in zip(keys, counts, strict=True)
        }

    def _symbol_counts(self) -> np.ndarray:
        """Return how often each symbol stands in the words now."""
        words, lengths = self._started().words, self._lengths()
        before = np.cumsum(lengths) - lengths
        at = np.arange(int(lengths.sum())) + np.repeat(words.starts - before, lengths)
        counts = np.repeat(words.counts, lengths).astype(np.float64)  # exact up to 2^53
        return np.bincount(words.symbols[at], counts, minlength=self.rules.vocab_size + 1)

    def _lengths(self) -> np.ndarray:
        """Return how many symbols each word has now; what stands behind its end is no more."""
        words = self._started().words
        ends = np.flatnonzero(words.symbols == words.end)
        lengths: np.ndarray = ends[np.searchsorted(ends, words.starts)] - words.starts
        return lengths


def _alphabet(words: Sequence[str], counts: np.ndarray, rules: Rules) -> list[int]:
    """Code points of the alphabet, ascending; those that `rules` name count as most frequent."""
    frequency = np.zeros(0x110000, np.float64)  # exact up to 2^53
    for start in range(0, len(words), SLICE):
        points, ends = _points(words[start : start + SLICE])
        lengths = np.diff(ends, prepend=-1)
        weights = np.repeat(counts[start : start + SLICE], lengths)
        frequency += np.bincount(points, weights, minlength=0x110000)
    frequency[NEWLINE] = 0
    frequency[[ord(character) for character in rules.alphabet]] = np.inf
    met = np.flatnonzero(frequency)
    most_frequent = met[np.argsort(-frequency[met], kind="stable")]
    return sorted(most_frequent[: _alphabet_size(frequency[most_frequent], rules)].tolist())


def _alphabet_size(frequencies: np.ndarray, rules: Rules) -> int:
    """The number of characters that are kept, by their falling frequencies (C,).

    "auto" is 1,000, or more where the script needs it: a text of Chinese has some thousands
    that are frequent. They leave a quarter of the vocabulary to what is merged.
    """
    if rules.limit_alphabet != "auto":
        return len(frequencies) if rules.limit_alphabet is None else rules.limit_alphabet
    covered = np.cumsum(np.where(np.isinf(frequencies), 0, frequencies))
    needed = 1 + int(np.searchsorted(covered, COVERAGE * covered[-1]))
    return max(USUAL_ALPHABET, min(needed, rules.vocab_size * 3 // 4))


def _symbols(
    words: Sequence[str], alphabet: list[int], names: list[str], rules: Rules
) -> tuple[np.ndarray, list[str]]:
    """Words as symbols, each followed by the end mark, and the names of all symbols.

    A character with a prefix or suffix is another symbol; symbols are in order of occurrence.
    """
    small = rules.vocab_size < 0xFFFF
    end = 0xFFFF if small else -1
    ids = {name: index for index, name in enumerate(names)}
    place = np.full(0x110000, len(alphabet), np.int64)  # index in the alphabet
    place[alphabet] = np.arange(len(alphabet))
    marked = np.full((len(alphabet) + 1) * 4, -1, np.int64)  # symbol of a character, by its marks
    parts: list[np.ndarray] = []
    for start in range(0, len(words), SLICE):
        points, _ = _points(words[start : start + SLICE])
        is_end = points == NEWLINE
        inner = ~np.concatenate([[True], is_end[:-1]])
        last = np.concatenate([is_end[1:], [False]])
        codes = place[points] * 4 + inner * 2 + last
        kept = (codes < len(alphabet) * 4) | is_end
        codes, is_end = codes[kept], is_end[kept]
        for code in _in_order_met(codes[~is_end]):
            if marked[code] < 0:
                name = (
                    (rules.prefix if code & 2 else "")
                    + chr(alphabet[code >> 2])
                    + (rules.suffix if code & 1 else "")
                )
                marked[code] = ids.setdefault(name, len(ids))
        symbols = np.where(is_end, end, marked[codes])
        parts.append(symbols.astype(np.uint16 if small else np.int32))
    return np.concatenate(parts), list(ids)


def _points(words: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Code points of words, a newline after each, and where the newlines are."""
    text = "\n".join([*words, ""])
    points = np.frombuffer(text.encode("utf-32-le"), np.int32)
    ends = np.flatnonzero(points == NEWLINE)
    assert len(ends) == len(words), "a word holds a newline"
    return points, ends


def _in_order_met(codes: np.ndarray) -> list[int]:
    found, first = np.unique(codes, return_index=True)
    return found[np.argsort(first)].tolist()  # type: ignore[no-any-return]


def _as_words(symbols: np.ndarray, counts: np.ndarray) -> Words:
    end = 0xFFFF if symbols.dtype == np.uint16 else -1
    ends = np.flatnonzero(symbols == end)
    starts = np.concatenate([[0], ends[:-1] + 1])
    longest = int((ends - starts).max())
    return Words(symbols, starts, np.ascontiguousarray(counts, np.int64), end, longest)


def _as_tokens(names: list[str], vocab_size: int) -> LearnedTokens:
    text = "".join(names)
    offsets = np.zeros(vocab_size + 2, np.int64)
    np.cumsum([len(name) for name in names], out=offsets[1 : len(names) + 1])
    points = np.zeros(len(text) + 1024, np.int32)
    points[: len(text)] = np.frombuffer(text.encode("utf-32-le"), np.int32)
    return LearnedTokens(
        points,
        offsets,
        np.ones(vocab_size + 1, np.int32),
        np.zeros(1 << (2 * vocab_size).bit_length(), np.int64),
        np.array([len(names)], np.int64),
    )


def _check_size(num_tokens: int, num_special: int, rules: Rules) -> None:
    if num_tokens > rules.vocab_size:
        key = "bytes" if rules.alphabet else "symbols"
        counts = {"special": num_special, "alphabet": num_tokens - num_special, "all": num_tokens}
        raise SettingError(message(f"options.vocab_size.{key}", size=rules.vocab_size, **counts))
