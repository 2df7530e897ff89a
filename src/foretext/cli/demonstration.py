"""The main job end to end on text that every Python installation has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from foretext.base.files import atomic_file, refuse_existing
from foretext.demonstration.docstrings import Docstring, write_docstrings
from foretext.finetuning.recipe import TaskRecipe
from foretext.finetuning.run import run_finetuning
from foretext.pretraining.pretraining import run_recipe
from foretext.recipe import Recipe
from foretext.report.run_report import report_run
from foretext.vectors.word_vectors import WordVectors

__all__ = ["Demonstration", "demonstrate"]

SETTINGS = ("vectors.epochs=10", "tokenizer.min_count=5", 'corpus.documents="blank_line"')
LIMIT_BYTES = 6_000_000  # about a million words, and half of the time that all would take
WORDS = ("array", "string", "error", "file", "thread", "red", "first", "maximum", "http", "january")
FEW = 10  # labels of each package, of which a second classifier learns, beside texts without labels
NUM_PACKAGES, FEWEST_TEXTS, TEST_EVERY = 6, 20, 5  # of the rows that a classifier learns from


class Demonstration(NamedTuple):
    """What the demonstration made."""

    text: Path  # the docstrings of this Python installation
    run: Path
    report: Path
    vectors: WordVectors
    words: list[str]  # words worth a look, of those that were learned
    classifier: Path  # a run that tells from a docstring which package it is of
    figures: dict[str, Any]  # of the classifier, on docstrings that it did not learn from
    few: Path  # a run that tells the same from a few labels
    few_facts: dict[str, Any]  # of that run: "rows", "test", and "baseline" with those of TF-IDF


def demonstrate(
    output: Path, *, overwrite: bool = False, quiet: bool = False, limit_bytes: int = LIMIT_BYTES
) -> Demonstration:
    """Gather docstrings, learn word vectors of them, and classifiers by many labels and by few.

    Raises:
        OutputError: `output` holds a demonstration already, or cannot be written.
    """
    text, run, classifier = output / "docstrings.txt", output / "run", output / "classifier"
    refuse_existing(text, overwrite=overwrite)
    documents = write_docstrings(text, limit_bytes=limit_bytes, quiet=quiet)
    recipe = Recipe.load("word2vec", SETTINGS)
    vectors = run_recipe(recipe, text, run, overwrite=overwrite, quiet=quiet).model
    words = [word for word in WORDS if word in vectors]
    report = report_run(run, title="word2vec on Python's docstrings", neighbors_of=words)
    train, test, few_rows = _write_rows(output, documents)
    chosen = {"classifier": {"pretrained_vectors": str(run), "dim": vectors.vector_size}}
    task = TaskRecipe("classification", "fasttext", train, test=test, settings=chosen)
    learned = run_finetuning(task, classifier, overwrite=overwrite, quiet=quiet)
    report_run(classifier, title="Which package a docstring is from")
    figures = learned.facts["test"]
    few = output / "few"
    task = TaskRecipe(
        "classification", "embeddings", few_rows, test=test, unlabelled=train, beside=(str(run),),
    )  # fmt: skip
    facts = run_finetuning(task, few, overwrite=overwrite, quiet=quiet).facts
    report_run(few, title="Which package a docstring is from, by few labels")
    return Demonstration(text, run, report, vectors, words, classifier, figures, few, facts)


def _write_rows(output: Path, documents: Sequence[Docstring]) -> tuple[Path, Path, Path]:
    """Write docstrings of the largest packages: four fifths to learn from, one to be tested.

    The third file has a few rows of each package, of those to learn from.
    """
    counts = Counter(document.package for document in documents)
    packages = {name for name, size in counts.most_common(NUM_PACKAGES) if size >= FEWEST_TEXTS}
    rows = [(package, text) for package, text in documents if package in packages]
    tested = rows[::TEST_EVERY]
    kept = [row for place, row in enumerate(rows) if place % TEST_EVERY]
    seen, few = Counter[str](), []
    for package, text in kept:
        seen[package] += 1
        few += [(package, text)] if seen[package] <= FEW else []
    paths = output / "train.tsv", output / "test.tsv", output / "few.tsv"
    for path, chosen in zip(paths, (kept, tested, few), strict=True):
        lines = [f"{package}\t{' '.join(text.split())}\n" for package, text in chosen]
        with atomic_file(path) as temporary:
            temporary.write_text("".join(["label\ttext\n", *lines]), encoding="utf-8", newline="\n")
    return paths
