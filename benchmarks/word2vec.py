"""word2vec against gensim: training CPU time, file to saved vectors, quality, memory."""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

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
from benchmarks.inputs import enwiki_words, num_words

__all__ = ["PACKAGES", "rows"]

PACKAGES = ("foretext", "gensim", "numba", "numpy")
COMMON: dict[str, Any] = {
    "window": 5,
    "sample": 1e-3,
    "min_count": 5,
    "epochs": 3,
    "workers": 2,
    "min_alpha": 1e-4,
    "alpha": 0.025,
}
FORMS: tuple[tuple[str, dict[str, Any], float], ...] = (
    (
        "skip-gram, negative sampling, d = 100",
        {"model": "skipgram", "loss": "ns", "negative": 5, "vector_size": 100},
        5,
    ),
    (
        "CBOW, negative sampling, d = 100",
        {"model": "cbow", "loss": "ns", "negative": 5, "vector_size": 100},
        3,
    ),
    (
        "skip-gram, hierarchical, d = 100",
        {"model": "skipgram", "loss": "hs", "vector_size": 100, "epochs": 1},
        3,
    ),
    (
        "CBOW, hierarchical, d = 100",
        {"model": "cbow", "loss": "hs", "vector_size": 100, "epochs": 1},
        3,
    ),
    (
        "skip-gram, negative sampling, d = 300",
        {"model": "skipgram", "loss": "ns", "negative": 5, "vector_size": 300, "epochs": 1},
        4,
    ),
)


def rows() -> Iterator[Row]:
    """Measure form after form."""
    text = enwiki_words(num_words())
    run_program("benchmarks.word2vec_program", "foretext", *_warm_up(text))
    for name, settings, must in FORMS:
        ours, theirs = paired(
            partial(_train, "foretext", text, settings), partial(_train, "gensim", text, settings)
        )
        words = num_words() * {**COMMON, **settings}["epochs"]
        yield Row(
            f"{name}: training, words a CPU-second",
            "gensim, corpus_file",
            f"{words / median(ours, 'train_cpu') / 1e6:.2f} M",
            f"{words / median(theirs, 'train_cpu') / 1e6:.2f} M",
            *ratios(ours, theirs, "train_cpu"),
            must,
        )
        if name == FORMS[0][0]:
            yield _wall(ours, theirs, "gensim, corpus_file")
            lines = [_train("gensim-lines", text, settings, 1)]
            yield _wall(ours[:1], lines, "gensim, iterable of lines (its default)")
            yield _memory(ours, theirs)
        yield from _quality(name, ours, theirs)


def _wall(ours: list[Figures], theirs: list[Figures], peer: str) -> Row:
    return Row(
        "the same, file to saved vectors, wall",
        peer,
        f"{median(ours, 'total_wall'):.1f} s",
        f"{median(theirs, 'total_wall'):.1f} s",
        *ratios(ours, theirs, "total_wall"),
        4,
    )


def _memory(ours: list[Figures], theirs: list[Figures]) -> Row:
    return Row(
        "the same, peak memory",
        "gensim, corpus_file",
        f"{median(ours, 'peak_mb'):.0f} MB",
        f"{median(theirs, 'peak_mb'):.0f} MB",
        *ratios(ours, theirs, "peak_mb"),
        1,
    )


def _quality(name: str, ours: list[Figures], theirs: list[Figures]) -> Iterator[Row]:
    for measure in ("WordSim-353", "analogies"):
        yield Row(
            f"{name}: {measure}, mean of seeds",
            "gensim, corpus_file",
            _mean_and_range(ours, measure),
            _mean_and_range(theirs, measure),
        )


def _mean_and_range(runs: list[Figures], measure: str) -> str:
    values = [run[measure] for run in runs]
    return f"{statistics.mean(values):.3f} ({min(values):.3f} to {max(values):.3f})"


def _train(program: str, text: Path, settings: dict[str, Any], seed: int) -> Figures:
    out = work_folder() / f"{program}.bin"
    given = json.dumps({**COMMON, **settings, "seed": seed})
    figures = run_program("benchmarks.word2vec_program", program, text, out, given)
    return figures | _scores(out)


def _scores(path: Path) -> Figures:
    from foretext.vectors.word_vectors import WordVectors

    vectors = WordVectors.load(path)
    data = data_folder()
    pairs = vectors.evaluate_word_pairs(data / "wordsim" / "EN-WS-353-ALL.txt")
    questions = data / "analogy" / "questions-words.txt"
    analogies = vectors.evaluate_word_analogies(questions, restrict_vocab=30_000)
    return {"WordSim-353": pairs.spearman, "analogies": analogies.accuracy}


def _warm_up(text: Path) -> tuple[object, ...]:
    """Compile every kernel on a small part of the text, outside of what is measured."""
    small = work_folder() / "warm-up.txt"
    with text.open("rb") as source:
        small.write_bytes(source.read(1_000_000))
    settings = {**COMMON, **FORMS[0][1], "epochs": 1}
    return small, work_folder() / "warm-up.bin", json.dumps(settings)
