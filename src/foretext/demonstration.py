"""The main job end to end on text that every Python installation has."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from foretext.corpus.docstrings import write_docstrings
from foretext.files import refuse_existing
from foretext.pipeline import run_recipe
from foretext.recipe import Recipe
from foretext.report.run_report import report_run
from foretext.vectors.word_vectors import WordVectors

__all__ = ["Demonstration", "demonstrate"]

SETTINGS = ("vectors.epochs=10", "tokenizer.min_count=5", 'corpus.documents="blank_line"')
LIMIT_BYTES = 6_000_000  # about a million words, and half of the time that all would take
ASKED = ("array", "string", "error", "file", "thread", "red", "first", "maximum", "http", "january")


class Demonstration(NamedTuple):
    """What the demonstration made."""

    text: Path  # the docstrings of this Python installation
    run: Path
    report: Path
    vectors: WordVectors
    asked: list[str]  # words worth a look, of those that were learned


def demonstrate(
    output: Path, *, overwrite: bool = False, quiet: bool = False, limit_bytes: int = LIMIT_BYTES
) -> Demonstration:
    """Gather docstrings, learn word vectors of them, and write the report.

    Raises:
        OutputError: `output` holds a demonstration already, or cannot be written.
    """
    text, run = output / "docstrings.txt", output / "run"
    refuse_existing(text, overwrite=overwrite)
    write_docstrings(text, limit_bytes=limit_bytes, quiet=quiet)
    recipe = Recipe.load("word2vec", SETTINGS)
    vectors = run_recipe(recipe, text, run, overwrite=overwrite, quiet=quiet).vectors
    asked = [word for word in ASKED if word in vectors]
    report = report_run(run, title="word2vec on Python's docstrings", neighbors_of=asked)
    return Demonstration(text, run, report, vectors, asked)
