"""Prepared inputs, made once from the public data sets."""

from __future__ import annotations

import lzma
import re
from pathlib import Path

from benchmarks.harness import data_folder, work_folder

__all__ = ["enwiki_text", "enwiki_words"]

NUM_WORDS = 17_000_000


def enwiki_text(num_bytes: int) -> Path:
    """The first lines of enwiki as it is, `num_bytes` at most."""
    path = work_folder() / f"enwiki-{num_bytes}-bytes.txt"
    if not path.exists():
        with lzma.open(data_folder() / "enwiki" / "enwiki.txt.xz") as source:
            content = source.read(num_bytes)
        path.write_bytes(content[: content.rfind(b"\n") + 1])
    return path


def enwiki_words(num_words: int = NUM_WORDS) -> Path:
    """The first lower-cased alphabetic tokens of enwiki, a paragraph a line, blanks between."""
    path = work_folder() / f"enwiki-{num_words}.txt"
    if path.exists():
        return path
    left = num_words
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
