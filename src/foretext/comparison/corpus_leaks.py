"""Texts of rows that stand in a corpus, found in one pass over it, in bounded memory.

Letters and digits alone are compared: of each text eight windows of 32 bytes, which lie evenly in
it, are looked for at every place of the corpus. So it does not matter how either of them is divided
into lines and documents. The windows are compared by polynomial hashes (Karp and Rabin 1987).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foretext.comparison.leaks import SHOWN, Leak
from foretext.corpus.blocks import Beginning
from foretext.corpus.corpus import Corpus

__all__ = ["corpus_leak"]

Hashes = NDArray[np.uint64]

STEPS = (1, 2, 4, 8, 16)  # windows that are put together in pairs: 2, 4, 8, 16 and 32 bytes
WINDOW = 2 * STEPS[-1]
MOST_WINDOWS = 8  # of a row
MOSTLY = 0.75  # share of its windows from which a text stands in the corpus
MOST_ROWS = 20_000  # that are looked for
BLOCK = 1 << 18  # characters of the corpus at a time: its arrays fit the processor's cache
BASE = 0x9E3779B97F4A7C15  # of the polynomial; odd
TABLE_BITS = 23  # of a hash, by which most places of the corpus are passed over

PLAIN = bytes(range(256)).lower()  # ASCII alone has another case
DROPPED = bytes(code for code in range(128) if not chr(code).isalnum())


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
    inside = [row for (row, _), rate in zip(long, rates, strict=True) if rate >= MOSTLY]
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
