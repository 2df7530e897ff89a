"""Sub-words from word counts: the alphabet, the words as symbols, and the merges.

The merges equal those of the trainer of the `tokenizers` library on the same counts, one by one;
with `ties="first_met"` they equal the textbook's, which goes through the words in their order.
Counts have 64 bits; the library's have 32.
"""

from __future__ import annotations

from collections.abc import Sequence
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
    Words,
    merge_next,
    start_learner,
)

__all__ = ["Merges", "Rules", "Ties", "learn_merges", "merge_pairs"]

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
    return _merge(_begin(words, counts, rules), rules)


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
    begun = _begin(found.words, found.counts, rules)
    del found  # a third of all memory
    return _merge(begun, rules)


class _Begun(NamedTuple):
    words: Words
    tokens: LearnedTokens


def _begin(words: Sequence[str], counts: np.ndarray, rules: Rules) -> _Begun:
    """Words as symbols of the alphabet, and the tokens before the first merge."""
    alphabet = _alphabet(words, counts, rules)
    names = list(dict.fromkeys([*rules.special_tokens, *map(chr, alphabet)]))
    _check_size(len(names), len(rules.special_tokens), rules)
    symbols, names = _symbols(words, alphabet, names, rules)
    _check_size(len(names), len(rules.special_tokens), rules)
    return _Begun(_as_words(symbols, counts), _as_tokens(names, rules.vocab_size))


def _merge(begun: _Begun, rules: Rules) -> Merges:
    order = FIRST_MET if rules.ties == "first_met" else SMALLEST_IDS
    prefix = np.frombuffer((rules.prefix or "\0").encode("utf-32-le"), np.int32)
    longest = rules.max_token_length or np.iinfo(np.int32).max
    limits = Limits(rules.vocab_size, rules.min_count, longest, prefix, order)
    learner = start_learner(begun.words, begun.tokens, order)
    rows: list[np.ndarray] = []
    written = ROWS
    while written == ROWS:
        block = np.empty((ROWS, 3), np.int64)
        learner, written = merge_next(learner, limits, block)
        rows.append(block[:written])
    return _readable(learner.tokens, np.concatenate(rows))


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


def _readable(tokens: LearnedTokens, rows: np.ndarray) -> Merges:
    """Tokens and pairs as text; a pair that was merged twice keeps its last rank."""
    size = int(tokens.used[0])
    offsets = tokens.offsets.tolist()
    text = tokens.points[: offsets[size]].tobytes().decode("utf-32-le")
    names = [text[a:b] for a, b in pairwise(offsets[: size + 1])]
    pairs = [(names[left], names[right]) for left, right, _ in rows.tolist()]
    return Merges(names, list(dict.fromkeys(reversed(pairs)))[::-1])


def _check_size(num_tokens: int, num_special: int, rules: Rules) -> None:
    if num_tokens > rules.vocab_size:
        raise SettingError(
            f"vocab_size = {rules.vocab_size} has no room for the special tokens ({num_special}) "
            f"and the alphabet ({num_tokens - num_special} symbols); set it to more than "
            f"{num_tokens}" + ("." if rules.alphabet else ", or lower limit_alphabet.")
        )
