"""Functions of Python packages and what their docstrings say: texts and the texts that they become.

A model that learns from them writes a docstring for a function. The pairs depend on the installed
packages, so they are for trying things out, not for measurements.
"""

from __future__ import annotations

import ast
import json
import zlib
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from foretext.base.errors import CorpusError
from foretext.base.files import atomic_file
from foretext.corpus.sentences import split_sentences
from foretext.demonstration.prose import prose_paragraphs
from foretext.demonstration.python_files import definitions_in, python_files, python_folders
from foretext.messages import message
from foretext.progress import Progress

__all__ = ["DocumentedFunction", "harvest_functions", "write_functions"]

LIMIT = 40_000
LONGEST_CODE = 1500  # characters
LONGEST_SUMMARY = 200
TESTED = 10  # one file in so many is for the test


class DocumentedFunction(NamedTuple):
    """A function or method, and what it does."""

    code: str  # signature and body, without docstrings, decorators and comments
    summary: str  # the first sentence of its docstring
    path: Path


def harvest_functions(folders: Sequence[str | Path] | None = None) -> Iterator[DocumentedFunction]:
    """Yield documented functions; no code and no sentence twice.

    Args:
        folders: with ``.py`` files; None: the standard library and the installed packages.
    """
    seen: set[str] = set()
    for file in python_files([Path(folder) for folder in folders or python_folders()]):
        for node in definitions_in(file.module):
            if isinstance(node, ast.ClassDef):
                continue
            summary, code = _summary(node), _code(node)
            if summary and code and not {summary, code} & seen:
                seen |= {summary, code}
                yield DocumentedFunction(code, summary, file.path)


def write_functions(
    train: str | Path,
    test: str | Path,
    folders: Sequence[str | Path] | None = None,
    *,
    limit: int = LIMIT,
    quiet: bool = False,
) -> tuple[int, int]:
    """Write JSON lines with `source`, the code, and `target`, the sentence.

    A tenth of the files is for the test: functions that stand together resemble each other.

    Args:
        train: path of what is learned from.
        test: path of what is measured with.
        folders: with ``.py`` files; None: the standard library and the installed packages.
        limit: of the functions.
        quiet: whether no progress is shown.

    Returns:
        How many functions each file has.

    Raises:
        CorpusError: there is no documented function.
        OutputError: a file cannot be written.
    """
    lines: tuple[list[str], list[str]] = [], []
    with Progress(
        message("progress.reading_functions"), limit, "functions", quiet=quiet
    ) as progress:
        for function in islice(harvest_functions(folders), limit):
            row = {"source": function.code, "target": function.summary}
            lines[_is_tested(function.path)].append(json.dumps(row, ensure_ascii=False) + "\n")
            progress.advance(1)
        progress.total = progress.done  # as many as there are, or as are wanted
    if not any(lines):
        raise CorpusError("No documented function was found; name folders with .py files.")
    for path, part in zip((train, test), lines, strict=True):
        with atomic_file(Path(path)) as temporary:
            temporary.write_text("".join(part), encoding="utf-8", newline="\n")
    return len(lines[0]), len(lines[1])


def _is_tested(path: Path) -> bool:
    """Whether the functions of a file are for the test, by its name and that of its folder."""
    return zlib.crc32("/".join(path.parts[-2:]).encode()) % TESTED == 0


def _summary(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """Return the first sentence of prose in the docstring; empty: there is none."""
    paragraph = next(prose_paragraphs(ast.get_docstring(node) or ""), "")
    sentence = split_sentences(paragraph).partition("\n")[0]
    return sentence if len(sentence) <= LONGEST_SUMMARY else ""


def _code(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """Return signature and body, or nothing where there is no body, or a long one.

    Docstrings and decorators are taken out of the tree, those of inner functions too.
    """
    for inner in definitions_in(node):
        inner.decorator_list = []
        if ast.get_docstring(inner, clean=False) is not None:
            inner.body = inner.body[1:]
    if not node.body or all(isinstance(line, ast.Pass | ast.Raise) for line in node.body):
        return ""
    for inner in definitions_in(node):
        inner.body = inner.body or [ast.Pass()]
    code = ast.unparse(node)
    return code if len(code) <= LONGEST_CODE else ""
