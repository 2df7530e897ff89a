"""The fenced blocks of a Markdown file, and the commands in those of a shell."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import NamedTuple

__all__ = ["Block", "blocks_of", "commands_of", "links_of"]

_FENCE = re.compile(r"^```([\w+-]*) *([^\n]*)\n(.*?)^```\s*$", re.M | re.S)
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_ASSIGNMENT = re.compile(r"[A-Z_]+=")


class Block(NamedTuple):
    """One fenced block."""

    path: Path
    line: int  # of its first line of text
    language: str
    text: str
    file: str = ""  # that the text belongs into, as in "```python model.py"; empty: none

    def __str__(self) -> str:
        return f"{self.path.name}, line {self.line}"


def blocks_of(path: Path) -> list[Block]:
    """Return the blocks of a file, in order."""
    text = path.read_text(encoding="utf-8")
    return [
        Block(path, text.count("\n", 0, match.start()) + 2, match[1], match[3], match[2].strip())
        for match in _FENCE.finditer(text)
    ]


def commands_of(block: Block) -> list[list[str]]:
    """Return the commands of a ``console`` or ``sh`` block, each as its words.

    In ``console`` a command stands after ``$ `` and the other lines are what it prints; in ``sh``
    every line is one. Commands joined by ``&&`` are told apart, comments and settings of the
    environment before a command are dropped.
    """
    text = block.text.replace("\\\n", " ")
    if block.language == "console":
        lines = [line[2:] for line in text.split("\n") if line.startswith("$ ")]
    else:
        lines = text.split("\n")
    commands = []
    for line in lines:
        for part in line.split("&&"):
            words = shlex.split(part, comments=True)
            while words and _ASSIGNMENT.match(words[0]):
                del words[0]
            if words:
                commands.append(words)
    return commands


def links_of(path: Path) -> list[str]:
    """Return the links of a file that lead to other files, without what follows ``#``."""
    prose = _FENCE.sub("", path.read_text(encoding="utf-8"))
    links = (link.partition("#")[0] for link in _LINK.findall(prose))
    return [link for link in links if link and "://" not in link and not link.startswith("mailto:")]
