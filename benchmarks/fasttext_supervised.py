"""fastText's classifier against the authors' C++ program: from a file of rows to a saved model.

The peer is the package ``fasttext`` of PyPI, as in `benchmarks.fasttext`. Both clocks start when
all is imported and compiled, and stop when the model is on disk, each in its own form: the program
writes a row for every bucket there is, foretext one for every row that was learned.
"""

from __future__ import annotations

import csv
import json
import lzma
from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import (
    Figures,
    Row,
    data_folder,
    median,
    paired,
    ratios,
    run_program,
    work_folder,
)

__all__ = ["PACKAGES", "labelled_file", "rows"]

PACKAGES = ("foretext", "numba", "numpy")
PEER = "fasttext 0.9.3 (C++)"
COMMON: dict[str, Any] = {"workers": 2}
WORKS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("r8", "r8", {"lr": 0.5, "epochs": 25}),
    ("r8, pairs of words", "r8", {"lr": 0.5, "epochs": 25, "word_ngrams": 2}),
    ("ag_news subset", "ag_news", {"lr": 0.25}),
    ("ag_news subset, pairs of words", "ag_news", {"lr": 0.25, "word_ngrams": 2}),
    ("imdb", "imdb", {"lr": 0.25}),
    ("imdb, pairs of words", "imdb", {"lr": 0.25, "word_ngrams": 2}),
)
FIGURES = (  # name, what it says, decimals, ratio to be met
    ("total_wall", "file to saved model, wall, s", 2, 1.5),
    ("total_cpu", "the same, CPU, s", 2, None),
    ("test_wall", "test file to its figures, wall, s", 2, None),
    ("peak_mb", "peak memory, MB", 0, None),
    ("saved_mb", "saved model, MB", 1, None),
)


def rows() -> Iterator[Row]:
    """Measure work after work."""
    if find_spec("fasttext") is None:
        yield Row("all", PEER, ours="not measured", theirs="not there: pip install fasttext")
        return
    for name, data, settings in WORKS:
        files = [labelled_file(data, part) for part in ("train", "test")]
        ours, theirs = paired(
            partial(_run, "foretext", files, settings), partial(_run, "fasttext", files, settings)
        )
        for figure, work, decimals, needed in FIGURES:
            own, other = (f"{median(runs, figure):.{decimals}f}" for runs in (ours, theirs))
            speed = ratios(ours, theirs, figure)
            yield Row(f"{name}: {work}", PEER, own, other, *speed, needed)
        own, other = (f"{median(runs, 'accuracy'):.4f}" for runs in (ours, theirs))
        yield Row(f"{name}: accuracy", PEER, own, other)


def labelled_file(data: str, part: str) -> Path:
    """Write the rows of a data set once as ``__label__x text``, shuffled."""
    path = work_folder() / f"{data}-{part}.labelled"
    if not path.exists():
        lines = [
            f"__label__{label} {' '.join(text.split())}\n" for label, text in _READ[data](part)
        ]
        order = np.random.default_rng(0).permutation(len(lines))
        partial_file = path.with_suffix(".partial")
        partial_file.write_text("".join(lines[index] for index in order), encoding="utf-8")
        partial_file.rename(path)
    return path


def _r8(part: str) -> Iterator[tuple[str, str]]:
    for line in _lines("r8", f"{part}.txt.xz"):
        label, text = line.split("\t")
        yield label, text


def _imdb(part: str) -> Iterator[tuple[str, str]]:
    for line in _lines("imdb", f"{part}.tsv.xz"):
        label, _, text = line.split("\t")
        yield label, text


def _ag_news(part: str) -> Iterator[tuple[str, str]]:
    name = "test.csv.xz" if part == "test" else "train_subset.csv.xz"
    for label, *texts in csv.reader(_lines("ag_news", name)):
        yield label, " ".join(texts).lower()


_READ = {"r8": _r8, "imdb": _imdb, "ag_news": _ag_news}


def _lines(folder: str, name: str) -> Iterator[str]:
    with lzma.open(data_folder() / folder / name, "rt", encoding="utf-8", newline="\n") as file:
        for line in file:
            yield line.rstrip("\n")


def _run(program: str, files: list[Path], settings: dict[str, Any], seed: int) -> Figures:
    given = json.dumps({**COMMON, **settings, "seed": seed})
    out = work_folder() / f"{program}-supervised"
    return run_program("benchmarks.fasttext_supervised_program", program, *files, out, given)
