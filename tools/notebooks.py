"""Write each lesson of the course as a Jupyter notebook: ``python -m tools.notebooks FOLDER``.

A page is the source, a notebook is made of it and not kept. Prose becomes cells of Markdown, with
its pictures; a block of Python a cell of code; commands of a shell a cell whose lines begin with
``!``. A block ``output`` becomes what the cell before it printed. Other blocks stay in the prose.
"""

from __future__ import annotations

import base64
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tools.site.translations import without_stamp

__all__ = ["NEEDS_DATA", "lessons", "notebook_of", "write_notebooks"]

DOCS = Path(__file__).resolve().parents[1] / "docs"
NEEDS_DATA = "# needs FORETEXT_DATA"  # first line of a block that reads public data sets
SHELLS = ("console", "sh")

_BLOCK = re.compile(r"^```(python|console|sh|output) *([^\n]*)\n(.*?)^```[ ]*\n?", re.M | re.S)
_PICTURE = re.compile(r"!\[([^\]]*)\]\(([^)\s]+\.svg)\)")
_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?!https?:|#|attachment:)[^)\s]+\)")


def lessons(docs: Path = DOCS) -> list[Path]:
    """Return the pages of the course in every language, without their lists."""
    return sorted([*docs.glob("course/[0-9]*.md"), *docs.glob("*/course/[0-9]*.md")])


def notebook_of(page: Path) -> dict[str, Any]:
    """Return a page as a notebook of format 4.5."""
    cells: list[dict[str, Any]] = []
    for cell in _cells(page):
        if cell["cell_type"] == "output":
            if not cells or cells[-1]["cell_type"] != "code":
                first = cell["source"].split("\n")[0]
                raise ValueError(
                    f"{page}: the block of output that begins with '{first}' follows no code; put "
                    "it right behind the block of code that prints it."
                )
            cells[-1]["outputs"] = [
                {"output_type": "stream", "name": "stdout", "text": cell["source"]}
            ]
        else:
            cells.append({"id": f"cell-{len(cells) + 1}", **cell})
    python = {"name": "python3", "display_name": "Python 3", "language": "python"}
    metadata = {"kernelspec": python, "language_info": {"name": "python"}}
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": cells}


def write_notebooks(folder: Path, docs: Path = DOCS) -> list[Path]:
    """Write all lessons below `folder`, in the tree of the pages; return their paths."""
    written = []
    for page in lessons(docs):
        path = folder / page.relative_to(docs).with_suffix(".ipynb")
        path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(notebook_of(page), ensure_ascii=False, indent=1) + "\n"
        path.write_text(text, encoding="utf-8")
        written.append(path)
    return written


def _cells(page: Path) -> Iterator[dict[str, Any]]:
    text = without_stamp(page.read_text(encoding="utf-8"))
    end = 0
    for block in _BLOCK.finditer(text):
        yield from _prose(text[end : block.start()], page)
        language, file, source = block[1], block[2].strip(), block[3].rstrip("\n")
        end = block.end()
        if language == "output":
            yield {"cell_type": "output", "source": source + "\n"}
        else:
            yield _code(_source(language, file, source))
    yield from _prose(text[end:], page)


def _prose(text: str, page: Path) -> Iterator[dict[str, Any]]:
    """A cell of Markdown with its pictures, if there is any text; links within docs are cut."""
    if not text.strip():
        return
    pictures = {Path(name).name: page.parent / name for _, name in _PICTURE.findall(text)}
    text = _PICTURE.sub(lambda found: f"![{found[1]}](attachment:{Path(found[2]).name})", text)
    cell: dict[str, Any] = {"cell_type": "markdown", "metadata": {}}
    cell["source"] = _LINK.sub(r"\1", text).strip()
    if pictures:
        cell["attachments"] = {
            name: {"image/svg+xml": base64.b64encode(path.read_bytes()).decode()}
            for name, path in pictures.items()
        }
    yield cell


def _code(source: str) -> dict[str, Any]:
    tags = ["raises-exception"] if source.startswith(NEEDS_DATA) else []  # without the data sets
    metadata: dict[str, Any] = {"tags": tags} if tags else {}
    return {
        "cell_type": "code", "metadata": metadata, "execution_count": None, "outputs": [],
        "source": source,
    }  # fmt: skip


def _source(language: str, file: str, source: str) -> str:
    if language == "python":
        return f"%%writefile {file}\n{source}" if file else source
    lines = source.replace("\\\n", " ").split("\n")
    if language == "console":  # what a command prints does not belong into the cell
        lines = [line.removeprefix("$ ") for line in lines if line.startswith(("$ ", "# "))]
    return "\n".join(line if not line or line.startswith("#") else f"!{line}" for line in lines)


if __name__ == "__main__":
    for path in write_notebooks(Path(sys.argv[1])):
        print(path)
