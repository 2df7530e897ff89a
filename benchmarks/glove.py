"""GloVe against the authors' C program and plain numpy: CPU time, final cost, quality, memory.

The C program is measured where the environment variable GLOVE_BINARY names the folder with its
programs (``vocab_count``, ``cooccur``, ``shuffle``, ``glove``), built as its Makefile builds them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path

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
from benchmarks.inputs import enwiki_words

__all__ = ["PACKAGES", "rows"]

PACKAGES = ("foretext", "numba", "numpy")
NUM_WORDS = 5_000_000
TWIN_WORDS = 200_000  # for plain numpy, which is slow
EPOCHS = 3
PAIRS = 3
C_PROGRAM = "Stanford GloVe, default build"
TWIN = "plain numpy"


def rows() -> Iterator[Row]:
    """Measure both halves against each peer there is."""
    small = enwiki_words(TWIN_WORDS)
    run_program("benchmarks.glove_program", "foretext", small, work_folder(), 1, 1)  # compile
    if binaries := os.environ.get("GLOVE_BINARY"):
        yield from _against(C_PROGRAM, binaries, enwiki_words(NUM_WORDS), PAIRS, (2.0, 5.0))
    yield from _against(TWIN, "numpy", small, 1, (None, None))


def _against(
    peer: str, program: str, text: Path, pairs: int, must: tuple[float | None, float | None]
) -> Iterator[Row]:
    ours, theirs = paired(partial(_run, "foretext", text), partial(_run, program, text), pairs)
    for work, name, unit, needed in (
        ("co-occurrence, window 15: words a CPU-second", "count_cpu", "words", must[0]),
        ("training, d = 100: cells a CPU-second", "train_cpu_per_cell", "cells", must[1]),
    ):
        amount = 1.0 if unit == "cells" else ours[0]["words"]
        own, other = (f"{amount / median(runs, name) / 1e6:.2f} M" for runs in (ours, theirs))
        yield Row(work, peer, own, other, *ratios(ours, theirs, name), needed)
    if peer == C_PROGRAM:
        yield from _quality(ours, theirs)


def _quality(ours: list[Figures], theirs: list[Figures]) -> Iterator[Row]:
    for measure, work in (
        ("loss", f"weighted squared error in epoch {EPOCHS}"),
        ("WordSim-353", "WordSim-353"),
        ("count_mb", "co-occurrence, peak memory, MB"),
    ):
        own, other = (f"{median(runs, measure):.4g}" for runs in (ours, theirs))
        yield Row(work, C_PROGRAM, own, other)


def _run(program: str, text: Path, seed: int) -> Figures:
    folder = work_folder() / f"glove-{Path(program).name}"
    folder.mkdir(exist_ok=True)
    figures = run_program("benchmarks.glove_program", program, text, folder, EPOCHS, seed)
    vectors = folder / "vectors.txt"
    return figures | ({"WordSim-353": _wordsim(vectors)} if vectors.exists() else {})


def _wordsim(path: Path) -> float:
    from foretext.vectors.word_vectors import WordVectors

    pairs = data_folder() / "wordsim" / "EN-WS-353-ALL.txt"
    return WordVectors.load(path, format="glove").evaluate_word_pairs(pairs).spearman
