"""Prepared inputs, made once from the public data sets."""

from __future__ import annotations

import lzma
import os
import re
from pathlib import Path

from benchmarks.harness import data_folder, work_folder

__all__ = ["enwiki_paragraphs", "enwiki_text", "enwiki_words", "num_words"]

NUM_WORDS = 17_000_000
PARAGRAPH_CHARACTERS = 40, 800  # of a paragraph, the shortest and the longest
PARAGRAPH_BYTES = 100_000_000  # of text that paragraphs come from


def enwiki_text(num_bytes: int) -> Path:
    """The first lines of enwiki as it is, `num_bytes` at most."""
    path = work_folder() / f"enwiki-{num_bytes}-bytes.txt"
    if not path.exists():
        with lzma.open(data_folder() / "enwiki" / "enwiki.txt.xz") as source:
            content = source.read(num_bytes)
        path.write_bytes(content[: content.rfind(b"\n") + 1])
    return path


def num_words(usual: int = NUM_WORDS) -> int:
    """How many words of text a benchmark reads: its usual number, or `FORETEXT_WORDS` if less."""
    return min(usual, int(os.environ.get("FORETEXT_WORDS", usual)))


def enwiki_words(number: int = NUM_WORDS) -> Path:
    """The first lower-cased alphabetic tokens of enwiki, a paragraph a line, blanks between."""
    path = work_folder() / f"enwiki-{number}.txt"
    if path.exists():
        return path
    left = number
    partial = path.with_suffix(".partial")
    with (
        lzma.open(data_folder() / "enwiki" / "enwiki.txt.xz", "rt", encoding="utf-8") as source,
        partial.open("w", encoding="utf-8") as target,
    ):
        for line in source:
            words = re.findall(r"[a-z]+", line.lower())[:left]
            if words:
                target.write(" ".join(words) + "\n")
                left -= len(words)
            if not left:
                break
    partial.rename(path)
    return path


def enwiki_paragraphs(num: int) -> list[str]:
    """Lines of 40 to 800 characters from all over the first 100 MB of enwiki, every n-th of them.

    Their mean is 380 characters.
    """
    shortest, longest = PARAGRAPH_CHARACTERS
    lines = enwiki_text(PARAGRAPH_BYTES).read_text("utf-8").split("\n")
    found = [line for line in lines if shortest <= len(line) <= longest]
    return found[:: len(found) // num][:num]
