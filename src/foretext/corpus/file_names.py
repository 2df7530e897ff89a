"""Which strings are names of files: so that nothing is learned from file names by mistake."""

from __future__ import annotations

import glob
import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from foretext.corpus.compression import without_compression_suffix
from foretext.corpus.source import STANDARD_INPUT
from foretext.corpus.sources import SUFFIXES, at_home

__all__ = ["MOST_FEW", "are_few_words", "looks_like_path", "names_file"]

_LONGEST = 4096  # characters of a path
MOST_FEW = 16
_ROOTS = ("/", "./", "../", "~/", "~\\", ".\\", "..\\")
_OTHER_SUFFIXES = (".json", ".conll", ".parquet", ".arrow", ".xml", ".md")
_WORD = re.compile(r"[!-~]+")  # ASCII without blanks


def names_file(given: Any) -> bool:
    """Whether something is a path, a URL, ``-``, or a string that a file or a glob answers to."""
    if isinstance(given, Path):
        return True
    if not isinstance(given, str) or not 0 < len(given) <= _LONGEST or "\n" in given:
        return False
    if given == STANDARD_INPUT:
        return True
    if "://" in given:
        return re.fullmatch(r"[\w+.-]+://\S+", given) is not None
    try:
        if at_home(Path(given)).exists():
            return True
    except (OSError, ValueError):  # too long, NUL
        return False
    return _has_blank_free_magic(given) and any(glob.iglob(given, recursive=True))  # noqa: PTH207


def looks_like_path(text: str) -> bool:
    """Whether a string that names no file was probably meant to: a root or a suffix, no blanks."""
    if not text or len(text) > _LONGEST or any(map(str.isspace, text)):
        return False
    suffix = PurePosixPath(without_compression_suffix(text)).suffix.lower()
    return suffix in SUFFIXES or suffix in _OTHER_SUFFIXES or text.startswith(_ROOTS)


def are_few_words(texts: Sequence[str]) -> bool:
    """Whether texts are a few single words, which are sooner folders than something to learn."""
    return 0 < len(texts) <= MOST_FEW and all(_WORD.fullmatch(text) for text in texts)


def _has_blank_free_magic(text: str) -> bool:
    return glob.has_magic(text) and not any(map(str.isspace, text))
