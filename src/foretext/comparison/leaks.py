"""Rows that are in two parts at once, where a score says how well they are remembered.

Texts of rows that stand in a corpus, found in one pass over it, in bounded memory. Letters and
digits alone are compared: of each text eight windows of 32 bytes, which lie evenly in it, are
looked for at every place of the corpus. So it does not matter how either of them is divided into
lines and documents. The windows are compared by polynomial hashes (Karp and Rabin 1987).
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foretext.base.counted import counted
from foretext.base.errors import CorpusError
from foretext.corpus.blocks import Beginning
from foretext.corpus.corpus import Corpus
from foretext.data.rows.in_memory import NO_TEXT, text_key
from foretext.messages import message

__all__ = ["Leak", "corpus_leak", "find_leaks"]

MOSTLY = 0.5  # share of rows from which a file is refused
SHOWN = 5  # places

GRAVE = 0.01  # share from which it changes scores

PLACES = {"train": "the rows to learn from", "valid": "the held-out rows"}
WHY = {
    "train": "scores on them say how well they are remembered",
    "valid": "models are chosen by them",
}
PAIRS = (
    ("test", "train"),
    ("test", "valid"),
    ("valid", "train"),
)  # a part, and where it must not be

Hashes = NDArray[np.uint64]

STEPS = (1, 2, 4, 8, 16)  # windows that are put together in pairs: 2, 4, 8, 16 and 32 bytes
WINDOW = 2 * STEPS[-1]
MOST_WINDOWS = 8  # of a row
MOSTLY_IN_CORPUS = 0.75  # share of its windows from which a text stands in the corpus
MOST_ROWS = 20_000  # that are looked for
BLOCK = 1 << 18  # characters of the corpus at a time: its arrays fit the processor's cache
BASE = 0x9E3779B97F4A7C15  # of the polynomial; odd
TABLE_BITS = 23  # of a hash, by which most places of the corpus are passed over

PLAIN = bytes(range(256)).lower()  # ASCII alone has another case
DROPPED = bytes(code for code in range(128) if not chr(code).isalnum())


@dataclass(frozen=True)
class Leak:
    """Rows of one part that are in another one too.

    Attributes:
        part: that should be new: "valid" or "test".
        inside: the other one.
        rows: that are in both.
        total: rows of `part`.
        places: of the first ones, ``file:line``.
        searched: share of `inside` that was read.
    """

    part: str
    inside: str
    rows: int
    total: int
    places: tuple[str, ...]
    searched: float = 1.0

    @property
    def rate(self) -> float:
        """Share of `part` that is in both."""
        return self.rows / self.total

    @property
    def is_grave(self) -> bool:
        """Whether it changes scores: a warning, not a note."""
        return self.rate >= GRAVE

    def __str__(self) -> str:
        key = f"findings.leak.{self.inside}{'' if self.searched >= 1 else '_searched'}"
        return message(
            key,
            rows=self.rows,
            total=self.total,
            part=message(f"findings.part.{self.part}"),
            rate=self.rate,
            place=self.places[0],
            searched=self.searched,
        )


def find_leaks(parts: Mapping[str, Sequence[Any]]) -> list[Leak]:
    """Return which rows have a text that is in another part too; rows without text are left out.

    Args:
        parts: rows by "train", "valid" and "test".

    Raises:
        CorpusError: most rows of a part are in another one, so that they measure nothing.
    """
    keys = {part: [text_key(row.text) for row in rows] for part, rows in parts.items()}
    known = {part: {*found} - {NO_TEXT} for part, found in keys.items()}
    found = [_leak(part, inside, parts[part], keys[part], known[inside]) for part, inside in PAIRS]
    return [leak for leak in found if leak is not None]


def _leak(
    part: str, inside: str, rows: Sequence[Any], keys: Sequence[bytes], known: Container[bytes]
) -> Leak | None:
    both = [row for row, key in zip(rows, keys, strict=True) if key in known]
    if not both:
        return None
    leak = Leak(part, inside, len(both), len(rows), tuple(row.place for row in both[:SHOWN]))
    if leak.rate >= MOSTLY:
        raise CorpusError(
            f"--{part}: {leak.rows:,} of {counted(leak.total, 'row')} ({leak.rate:.1%}) are among "
            f"{PLACES[inside]} too, such as {leak.places[0]}; {WHY[inside]}, so give other rows, "
            f"or leave --{part} out."
        )
    return leak


def corpus_leak(
    rows: Sequence[Any],
    corpus: Corpus,
    part: str = "test",
    is_over: Callable[[], bool] = lambda: False,
) -> Leak | None:
    """Return which rows have a text that stands in a corpus; None: none has.

    Texts shorter than a window say nothing, since they occur everywhere, and are not counted.

    Args:
        rows: of which a sample is looked for where they are many.
        corpus: read from its beginning.
        part: what the rows are.
        is_over: ends the pass before the end of the corpus.

    Raises:
        CorpusError: the corpus cannot be read.
    """
    some = rows[:: -(-len(rows) // MOST_ROWS)] if rows else rows
    windows = [_some_windows(row.text) for row in some]
    long = [(row, found) for row, found in zip(some, windows, strict=True) if len(found)]
    if not long:
        return None
    wanted, places = np.unique(np.concatenate([found for _, found in long]), return_inverse=True)
    text = Beginning(corpus)
    with text.stopped(is_over):
        is_found = _search(wanted, text)[places]  # (windows of all rows,)
    ends = np.cumsum([len(found) for _, found in long])
    rates = [each.mean() for each in np.split(is_found, ends[:-1])]
    inside = [row for (row, _), rate in zip(long, rates, strict=True) if rate >= MOSTLY_IN_CORPUS]
    if not inside:
        return None
    shown = tuple(row.place for row in inside[:SHOWN])
    return Leak(part, "corpus", len(inside), len(long), shown, text.share)


def _search(wanted: Hashes, corpus: Corpus) -> NDArray[np.bool_]:
    """Return which of the hashes, sorted, occur in a corpus."""
    shift = np.uint64(64 - TABLE_BITS)
    table = np.zeros(1 << TABLE_BITS, np.bool_)
    table[wanted >> shift] = True
    is_found = np.zeros(len(wanted), np.bool_)
    for block in corpus.blocks(BLOCK):
        hashes = _hashes(_letters(block))
        likely = hashes[table[hashes >> shift]]
        at = np.searchsorted(wanted, likely)
        at[at == len(wanted)] = 0
        is_found[at[wanted[at] == likely]] = True
    return is_found


def _some_windows(text: str) -> Hashes:
    """Return the hashes of windows of a text, as many as are looked for.

    They lie within its lines, which may be two texts of a row; in short lines there are none.
    """
    every = np.concatenate([_hashes(_letters(line)) for line in text.split("\n")])
    every = every if len(every) else _hashes(_letters(text))
    if not len(every):
        return every
    number = min(MOST_WINDOWS, 1 + (len(every) - 1) // WINDOW)
    return every[np.linspace(0, len(every) - 1, number).astype(np.intp)]


def _letters(text: str) -> bytes:
    """Return the letters and digits of a text, in lower case where they are ASCII."""
    return text.encode().translate(PLAIN, DROPPED)


def _hashes(letters: bytes) -> Hashes:
    """Return the hash of the window that begins at each byte, (len(letters) - WINDOW + 1,)."""
    if len(letters) < WINDOW:
        return np.empty(0, np.uint64)
    hashes = np.frombuffer(letters, np.uint8).astype(np.uint64) + np.uint64(1)
    for step in STEPS:
        power = np.uint64(pow(BASE, step, 1 << 64))
        hashes = hashes[:-step] * power + hashes[step:]
    return hashes * np.uint64(BASE)
