"""``vocabulary.tsv``: a line with the settings of a word tokenizer, then words and their counts.

In a spreadsheet a cell that begins with ``=`` is a formula, and one that begins with a quotation
mark can continue over lines. So such words get an apostrophe before them. The second cell of the
first line says so; files without it are older and contain words unchanged.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from foretext.base.errors import CorpusError
from foretext.base.files import atomic_file
from foretext.base.parsing import read_text
from foretext.kernels.word_table import MAX_WORD_BYTES
from foretext.tokenizers.vocabulary import UNKNOWN, Vocabulary

__all__ = ["read_vocabulary", "write_vocabulary"]

QUOTED = "words after '"  # the mark
LARGEST = 1 << 30  # bytes of the file
MOST = 2**63 - 1  # occurrences in all
_FORMULA = tuple("=+-@\t\r\"'")  # with the apostrophe itself, so that reading can remove it


def write_vocabulary(path: Path, settings: str, vocabulary: Vocabulary) -> None:
    """Write words and counts; `settings` is a line of JSON."""
    lines = [f"# {settings}\t{QUOTED}"]
    pairs = zip(vocabulary.words, vocabulary.counts.tolist(), strict=True)
    lines += [f"{_quoted(word)}\t{count}" for word, count in pairs]
    with atomic_file(path) as temporary:
        temporary.write_bytes("\n".join([*lines, ""]).encode())


def read_vocabulary(path: Path) -> tuple[str, Vocabulary]:
    """Return the settings, as unchecked JSON, and the vocabulary.

    Raises:
        CorpusError: the file is missing or damaged.
    """
    text = read_text(path, CorpusError, largest=LARGEST)
    first, *lines = text.removesuffix("\n").split("\n")
    settings, _, mark = first.removeprefix("# ").partition("\t")
    if mark not in ("", QUOTED):
        raise _damaged(path, 1, f"it says '{mark[:40]}', unknown to this version")
    counts: dict[str, int] = {}
    for number, line in enumerate(lines, 2):
        word, count = _pair(path, number, line)
        word = word.removeprefix("'") if mark else word
        if word in counts:
            raise _damaged(path, number, f"'{word}' occurs twice")
        if len(word.encode()) > MAX_WORD_BYTES:  # counting ignores longer ones
            raise _damaged(path, number, f"a word has {MAX_WORD_BYTES:,} bytes at most")
        counts[word] = count
    if next(iter(counts), None) != UNKNOWN:
        raise _damaged(path, 2, f"{UNKNOWN} must be the first word")
    if sum(counts.values()) > MOST:
        raise CorpusError(f"{path} is damaged: its counts are too large; fetch or write it again.")
    return settings, Vocabulary(list(counts), np.array(list(counts.values()), np.int64))


def _quoted(word: str) -> str:
    return f"'{word}" if word.startswith(_FORMULA) else word


def _pair(path: Path, number: int, line: str) -> tuple[str, int]:
    word, tab, count = line.partition("\t")
    if not tab or not (count.isascii() and count.isdecimal()) or len(count) > len(str(MOST)):
        raise _damaged(path, number, "a line must have a word, a tab and a count")
    return word, int(count)


def _damaged(path: Path, number: int, cause: str) -> CorpusError:
    return CorpusError(f"{path}, line {number} is damaged: {cause}; fetch or write it again.")
