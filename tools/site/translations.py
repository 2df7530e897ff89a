"""Whether every English page has a Chinese page, and that page says what the English one says now.

A Chinese page begins with a comment that names its English page and the hash of its text:

    <!-- translation of guides/word2vec.md, sha256 0123456789abcdef -->

When the English page changes, the hash no longer fits. The translator looks at the difference,
corrects the Chinese page, and renews its comment:

    python -m tools.site stamp guides/word2vec.md

Blocks of code are equal on both pages, but for comments; pictures and what commands print may be
in the language of the page.
``docs/zh/untranslated.txt`` names the pages that have no translation yet, one a line. README.zh.md
is the Chinese page of README.md, and follows the same rules.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

from tests.docs.markdown import Block, blocks_of

from tools.site.tree import DOCS, translated_pages

__all__ = ["PageError", "fingerprint", "problems", "stamp", "untranslated", "without_stamp"]

README = "README.md"  # beside docs/, as its Chinese page is
UNTRANSLATED = "untranslated.txt"
PROSE = ("text", "output")  # languages of blocks whose words may be translated
_STAMP = re.compile(r"\A<!-- translation of (\S+), sha256 ([0-9a-f]{16}) -->\n+")
_COMMENT = re.compile(r"(?:^|(?<=\s))(?:#|//) ?.*$", re.M)


class PageError(Exception):
    """A page that is named does not exist."""


def fingerprint(text: str) -> str:
    """Return sixteen digits of the hash of a text."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:16]


def untranslated(docs: Path = DOCS) -> list[str]:
    """Return the pages that have no translation yet."""
    file = docs / "zh" / UNTRANSLATED
    return file.read_text(encoding="utf-8").split() if file.is_file() else []


def without_stamp(text: str) -> str:
    """Return the text of a Chinese page without its first comment."""
    return _STAMP.sub("", text)


def stamp(page: str, docs: Path = DOCS) -> Path:
    """Write the hash of an English page into its Chinese page; return that page.

    Raises:
        PageError: one of them does not exist.
    """
    english, chinese = _files(page, docs)
    for file in (english, chinese):
        if not file.is_file():
            raise PageError(f"There is no {file}. Name a page by its path below docs/.")
    head = f"<!-- translation of {page}, sha256 {fingerprint(_text(english))} -->\n\n"
    chinese.write_text(head + without_stamp(_text(chinese)), encoding="utf-8")
    return chinese


def problems(docs: Path = DOCS) -> Iterator[str]:
    """Yield what is wrong, a sentence each."""
    pages, waiting = translated_pages(docs), untranslated(docs)
    for page in waiting:
        if page not in pages:
            yield f"docs/zh/{UNTRANSLATED}: there is no page docs/{page}; delete the line."
    for page in pages:
        if not (docs / "zh" / page).is_file():
            if page not in waiting:
                yield (
                    f"docs/{page} has no Chinese page: write docs/zh/{page}, or name it in "
                    f"docs/zh/{UNTRANSLATED}."
                )
        elif page in waiting:
            yield f"docs/zh/{page} exists; delete its line in docs/zh/{UNTRANSLATED}."
        else:
            yield from _differences(page, docs)
    for file in sorted((docs / "zh").rglob("*.md")):
        page = file.relative_to(docs / "zh").as_posix()
        if page not in pages:
            yield f"docs/zh/{page} translates no page: there is no docs/{page}."
    if (docs.parent / README).is_file():
        yield from _differences(README, docs)


def _files(page: str, docs: Path) -> tuple[Path, Path]:
    """Return an English page and its Chinese one."""
    if page == README:
        return docs.parent / README, docs.parent / "README.zh.md"
    return docs / page, docs / "zh" / page


def _differences(page: str, docs: Path) -> Iterator[str]:
    """Yield why the Chinese page does not say what the English one says."""
    english, chinese = _files(page, docs)
    ours_name, their_name = (
        file.relative_to(docs.parent).as_posix() for file in (english, chinese)
    )
    found = _STAMP.match(_text(chinese))
    if found is None or found[1] != page:
        yield f"{their_name} has no stamp: run `python -m tools.site stamp {page}`."
    elif found[2] != fingerprint(_text(english)):
        yield (
            f"{their_name} is older than {ours_name}: translate what changed, then run "
            f"`python -m tools.site stamp {page}`."
        )
    for ours, theirs in zip_longest(blocks_of(english), blocks_of(chinese)):
        if ours is None or theirs is None:
            more = ours_name if theirs is None else their_name
            yield f"{more}, line {(ours or theirs).line}: only this page has the block."
        elif _code(ours) != _code(theirs):
            yield (
                f"{their_name}, line {theirs.line}: the block differs from that in line "
                f"{ours.line} of {ours_name}; only comments may."
            )


def _code(block: Block) -> tuple[str, ...]:
    """Return what a translation must keep of a block."""
    if block.language in PROSE:
        return (block.language, block.file)
    lines = (line.rstrip() for line in _COMMENT.sub("", block.text).split("\n"))
    return (block.language, block.file, *(line for line in lines if line))


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")
