"""A text of any size out of enwiki: repeated, but with other documents and ever more words.

The sentences of 200 MB are shuffled in each repetition, so that no document nearly repeats another
one, and some names get the number of the repetition, so that the vocabulary grows with the length
of the text to the power of 0.6 (Heaps' law). One document in fifty is planted: it repeats an
earlier one, with or without changes. Pairs of words within a sentence repeat, which those of a real
text do less; a matrix of co-occurrences is smaller than it would be there.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.harness import work_folder
from benchmarks.inputs import enwiki_text
from foretext.corpus.sentences import split_sentences

__all__ = ["repeated_text"]

BASE_BYTES = 200_000_000
SENTENCES = 12  # of a document: two kilobytes
LINE_SENTENCES = 4
PLANTED = 50  # of so many documents one repeats an earlier one
HEAPS = 0.6
FREQUENT = 2_000  # capitalised words that are no names, such as The
_NAME = re.compile(r"\b[A-Z][a-z]{2,}\b")
_SEED = 77


def repeated_text(num_bytes: int) -> Path:
    """A file of about so many bytes, an empty line after each document; made once."""
    path = work_folder() / f"repeated-{num_bytes}-bytes.txt"
    if path.exists():
        return path
    partial_path, left = path.with_suffix(".partial"), num_bytes
    with partial_path.open("wb") as file:
        for document in _documents(_sentences(min(BASE_BYTES, num_bytes))):
            left -= file.write(document)
            if left <= 0:
                break
    partial_path.rename(path)
    return path


def _sentences(num_bytes: int) -> list[str]:
    lines = enwiki_text(num_bytes).read_text("utf-8").split("\n")
    cut = (split_sentences(line).split("\n") for line in lines if len(line) > 80)
    return [sentence for sentences in cut for sentence in sentences]


def _documents(sentences: list[str]) -> Iterator[bytes]:
    """Yield documents without end."""
    rng = np.random.default_rng(_SEED)
    names = Counter(name for each in sentences for name in _NAME.findall(each))
    common = frozenset(name for name, _ in names.most_common(FREQUENT))
    repetition, number, earlier = 0, 0, b""
    while True:
        repetition += 1
        share = 0.0 if repetition == 1 else min(2 * _growth(repetition), 1.0)
        renamed = partial(_renamed, common, repetition, int(share * (1 << 32)))
        order = rng.permutation(len(sentences))
        for first in range(0, len(order) - SENTENCES, SENTENCES):
            document = _laid_out([sentences[at] for at in order[first : first + SENTENCES]])
            text = _NAME.sub(renamed, document).encode() if repetition > 1 else document.encode()
            number += 1
            if number % PLANTED == 0:
                yield earlier
            elif number % PLANTED == 1:
                earlier = text if number % (2 * PLANTED) == 1 else text.replace(b" the ", b" a ", 3)
            yield text


def _laid_out(sentences: list[str]) -> str:
    firsts = range(0, len(sentences), LINE_SENTENCES)
    lines = (" ".join(sentences[at : at + LINE_SENTENCES]) for at in firsts)
    return "\n".join(lines) + "\n\n"


def _growth(repetition: int) -> float:
    """How many words a repetition adds, as a share of those of the first one."""
    return float(repetition**HEAPS - (repetition - 1) ** HEAPS)


def _renamed(common: frozenset[str], repetition: int, bound: int, match: re.Match[str]) -> str:
    name = match[0]
    if name in common or zlib.crc32(name.encode(), repetition) >= bound:
        return name
    return f"{name}{repetition}"
