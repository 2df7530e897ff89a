"""Real text on every machine with Python: the docstrings of its own source files.

The files are parsed, never imported or run. The text depends on the installed packages, so it is
for demonstrations, not for measurements.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from foretext.base.errors import CorpusError
from foretext.base.files import atomic_file
from foretext.corpus.sentences import split_sentences
from foretext.demonstration.prose import prose_paragraphs
from foretext.demonstration.python_files import (
    Definition,
    definitions_in,
    python_files,
    python_folders,
)
from foretext.messages import message
from foretext.progress import Progress

__all__ = ["Docstring", "harvest_docstrings", "write_docstrings"]

LIMIT_BYTES = 30_000_000
SHORTEST_TEXT = 200  # characters of a string that is documentation, but not a docstring


class Docstring(NamedTuple):
    """One document, and its package."""

    package: str
    text: str  # one sentence per line


def harvest_docstrings(
    folders: Sequence[Path] | None = None,
    *,
    limit_bytes: int = LIMIT_BYTES,
) -> Iterator[Docstring]:
    """Yield a document for each docstring, one sentence per line, no paragraph twice.

    Args:
        folders: with ``.py`` files; None: the standard library and the installed packages. The
            order of the documents depends only on their content and names.
        limit_bytes: of all documents in UTF-8.
    """
    seen: set[int] = set()
    num_bytes = 0
    for package, docstring in _docstrings(folders or python_folders()):
        document = _document(docstring, seen)
        num_bytes += len(document.encode()) + 2
        if num_bytes > limit_bytes:
            return
        if document:
            yield Docstring(package, document)


def write_docstrings(
    path: Path,
    folders: Sequence[Path] | None = None,
    *,
    limit_bytes: int = LIMIT_BYTES,
    quiet: bool = False,
) -> list[Docstring]:
    """Write the docstrings to `path`, one sentence per line, an empty line after each document.

    Returns:
        The documents, with their packages.

    Raises:
        CorpusError: there is no docstring in any folder.
        OutputError: `path` cannot be written.
    """
    folders = folders or python_folders()
    documents = []
    with (
        atomic_file(path) as temporary,
        temporary.open("w", encoding="utf-8", newline="\n") as file,
    ):
        with Progress(
            message("progress.reading_docstrings"), limit_bytes, "bytes", quiet=quiet
        ) as progress:
            for document in harvest_docstrings(folders, limit_bytes=limit_bytes):
                written = f"{document.text}\n\n"
                file.write(written)
                documents.append(document)
                progress.advance(len(written.encode()))
            progress.total = progress.done  # as much as there is, or as is wanted
        if not documents:
            names = ", ".join(str(folder) for folder in folders)
            raise CorpusError(f"{names}: no docstring was found; use a text of your own instead.")
    return documents


def _docstrings(folders: Sequence[Path]) -> Iterator[Docstring]:
    for file in python_files(folders):
        yield from (Docstring(file.package, text) for text in _texts(file.module))


def _texts(module: ast.Module) -> Iterator[str]:
    """Yield docstrings and long top-level strings of a file."""
    yield from _own_docstring(module)
    for statement in module.body:
        if isinstance(statement, Definition):
            for definition in definitions_in(statement):
                yield from _own_docstring(definition)
        elif isinstance(statement, ast.Assign | ast.Expr):
            yield from _long_texts(statement)


def _own_docstring(node: ast.Module | Definition) -> Iterator[str]:
    if docstring := ast.get_docstring(node, clean=False):
        yield docstring


def _long_texts(statement: ast.stmt) -> Iterator[str]:
    """Yield documentation kept in dictionaries and calls, as in `pydoc_data` and numpy."""
    for node in ast.walk(statement):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and len(node.value) >= SHORTEST_TEXT
            and "\n\n" in node.value
        ):
            yield node.value


def _document(docstring: str, seen: set[int]) -> str:
    """Return the paragraphs that are not in `seen` yet, one sentence per line, and add them."""
    fresh = []
    text = docstring.encode("utf-8", "ignore").decode().replace("\ufffd", "")
    for paragraph in prose_paragraphs(text):
        if (key := hash(paragraph.lower())) not in seen:
            seen.add(key)
            fresh.append(paragraph)
    return split_sentences("\n".join(fresh))
