"""Hot paths of word vectors: how fast a short training is, and how fast its parts are alone."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import work_folder
from benchmarks.limits_measured import Measured, TimedRun, best_seconds, text_file, timed_runs
from benchmarks.limits_needs import (
    ARITHMETIC,
    classifier_needs,
    fasttext_needs,
    glove_needs,
    mean_path_length,
    neighbor_needs,
    num_pairs,
    skipgram_needs,
)
from foretext.kernels.compile import kernel
from foretext.kernels.glove import GROUP, Cells, Parameters, train_tiles
from foretext.kernels.simd import aligned_zeros, padded
from foretext.kernels.skipgram import skipgram_gradients, skipgram_update

__all__ = ["PATHS"]

DIM, WINDOW, NEGATIVE = 100, 5, 5
TEXT_BYTES = 4_000_000
FEW_WORDS = 60  # of a text whose rows stay in the nearest caches
NUM_DOCUMENTS, DOCUMENT_WORDS, NUM_LABELS = 4_000, 60, 8
NUM_KINDS, FEW_KINDS = 30_000, 15  # words of these documents
NUM_WORDS, QUERIES, TILE, TOPN = 100_000, 256, 2048, 10  # neighbours, as `search` cuts them
WINDOWS = 20_000  # that are learned again and again


def skipgram(loss: str) -> Measured:
    """One epoch; beside it the arithmetic of one window, and a text of few words."""
    import foretext as ft

    settings: dict[str, Any] = {
        "vector_size": DIM, "window": WINDOW, "loss": loss, "epochs": 1, "workers": 1,
        "valid_rate": 0.0, "seed": 1,
    }  # fmt: skip
    with _trainings() as trainings:
        ft.Word2Vec(**settings).fit(text_file(TEXT_BYTES))
        ft.Word2Vec(**settings, sample=0).fit(_few_words())
    found = []
    for training in trainings:
        learner, seconds = training.of.learner, training.seconds
        words, pairs, centres, kept = _met(learner)
        outputs = 1.0 + NEGATIVE
        if loss == "hs":
            outputs = mean_path_length(learner.counts[1:].tolist(), kept[1:].tolist())
        matrix_bytes = learner._outputs.nbytes
        found.append((words / seconds, skipgram_needs(DIM, pairs, centres, outputs, matrix_bytes)))
    (speed, needs), (few, few_needs) = found
    between = _gflops(
        ("one window again and again, products among loads and sigmoids", _window_rate()),
        (
            f"windows and outputs drawn, {FEW_WORDS} words that stay near",
            few * few_needs[ARITHMETIC],
        ),
        ("this text, its rows from L2 and L3", speed * needs[ARITHMETIC]),
    )
    return Measured("word", speed, needs, between)


def _trainings() -> AbstractContextManager[list[TimedRun]]:
    """The trainings of word2vec and its relatives: the time of their loops, which are compiled."""
    from foretext.vectors.hogwild import Hogwild

    return timed_runs(Hogwild, lambda run: run.learner.compile())


def _met(learner: Any) -> tuple[float, float, float, Any]:
    """Words of the text; pairs and centres of a word; how often each word is kept."""
    kept = learner.counts * learner._keep
    lengths = np.diff(learner.slices.sentence_starts)
    words = float(lengths.sum())
    centres = float(kept.sum()) / words
    return words, num_pairs(centres * lengths, WINDOW) / words, centres, kept


def _few_words() -> Path:
    """As long a text, of words drawn evenly from few."""
    path = work_folder() / f"{FEW_WORDS}-words.txt"
    if not path.exists():
        rng = np.random.default_rng(0)
        names = np.array(
            [f"w{chr(97 + number // 26)}{chr(97 + number % 26)}" for number in range(FEW_WORDS)]
        )
        rows = names[rng.integers(FEW_WORDS, size=(20_000, 25))]
        path.write_text("".join(" ".join(row) + "\n" for row in rows), encoding="utf-8")
    return path


def _window_rate() -> float:
    """Operations a second of both kernels of skip-gram on the same rows, in the nearest cache."""
    stride, contexts = padded(DIM), np.arange(WINDOW + 2) % (WINDOW + 1)
    inputs, outputs = aligned_zeros(WINDOW + 1, stride), aligned_zeros(NEGATIVE + 1, stride)
    inputs += np.random.default_rng(0).random(inputs.size, np.float32) - np.float32(0.5)
    arrays = (inputs, contexts, outputs, np.arange(NEGATIVE + 1), np.zeros(16, np.float32))
    scratch = (
        np.zeros(contexts.size * 6 + 16, np.float32),
        np.zeros(contexts.size * stride, np.float32),
    )
    seconds = best_seconds(lambda: _windows(*arrays, *scratch, stride, WINDOW + 1, WINDOWS))
    return WINDOWS * (WINDOW + 1) * (NEGATIVE + 1) * 6 * DIM / seconds


@kernel(_nrt=False)
def _windows(
    inputs: Any, contexts: Any, outputs: Any, rows: Any, labels: Any, gradients: Any, delta: Any,
    stride: int, count: int, times: int,
) -> None:  # fmt: skip
    for _ in range(times):
        rate = np.float32(0.001)
        skipgram_gradients(
            inputs, contexts, count, outputs, rows, 0, 1, stride, labels, rate, gradients
        )
        skipgram_update(inputs, contexts, count, outputs, rows, 0, 1, stride, gradients, delta)


def glove() -> Measured:
    """Epochs over counted cells, without counting and without laying out tiles."""
    import foretext as ft
    from foretext.vectors.tile_descent import TileDescent

    shares: list[float] = []
    with timed_runs(
        TileDescent, lambda run: shares.append(_share_in_groups(run.tiles.cells))
    ) as trainings:
        for epochs in (1, 3):  # the first one compiles
            ft.GloVe(vector_size=DIM, epochs=epochs, workers=1).fit(text_file(TEXT_BYTES))
    _, history, seconds = trainings[-1]
    cells, share = history[-1]["cells"], shares[-1]
    needs = glove_needs(DIM, GROUP)
    near = _near_cells()
    between = (
        f"cells of one row, again and again: {near / 1e6:.1f} M a second; "
        f"this text: {cells / seconds / 1e6:.1f} M, {share:.0%} of them {GROUP} at a time"
    )
    return Measured("cell", cells / seconds, needs, between)


def _share_in_groups(cells: Any) -> float:
    """The share of cells of which a row has enough in its tile to learn a group at once."""
    tiles = np.repeat(np.arange(len(cells.tile_starts) - 1), np.diff(cells.tile_starts))
    met = np.unique(tiles * (1 << 16) + cells.rows[: len(tiles)], return_counts=True)[1]
    return float((met // GROUP * GROUP).sum() / met.sum())


def _near_cells(num: int = 40_000) -> float:
    """Cells a second, all in one row and four columns, so that nothing leaves the nearest cache."""
    rng = np.random.default_rng(0)
    stride = padded(DIM + 2)
    words, contexts = (aligned_zeros(GROUP, 2 * stride) for _ in range(2))
    for records in (words, contexts):
        records.reshape(GROUP, 2, stride)[:, 0] = rng.random(stride, np.float32) / DIM
        records.reshape(GROUP, 2, stride)[:, 1] = 1
    cells = Cells(
        np.zeros(num, np.uint16),
        (np.arange(num) % GROUP).astype(np.uint16),
        np.ones(num + 16, np.float32),
        np.ones(num + 16, np.float32),
        np.array([0, num]),
    )
    parameters = Parameters(words, contexts, stride, np.array([0, GROUP]))
    tiles, losses = np.zeros(1, np.int64), np.zeros(1)
    return num / best_seconds(lambda: train_tiles(cells, parameters, tiles, 0.05, losses))


def fasttext() -> Measured:
    """One epoch of skip-gram with n-grams."""
    import foretext as ft

    settings: dict[str, Any] = {
        "vector_size": DIM, "window": WINDOW, "epochs": 1, "workers": 1, "valid_rate": 0.0,
        "seed": 1,
    }  # fmt: skip
    with _trainings() as trainings:
        ft.FastText(**settings).fit(text_file(TEXT_BYTES // 2))
        ft.FastText(**settings, sample=0).fit(_few_words())
    found = []
    for training in trainings:
        learner, seconds = training.of.learner, training.seconds
        words, pairs, centres, kept = _met(learner)
        subwords = learner._model.subwords
        units = float((np.diff(subwords.starts) * kept).sum() / kept.sum())
        num_bytes = learner._model.inputs.nbytes
        needs = fasttext_needs(DIM, pairs, centres, 1 + NEGATIVE, units, num_bytes)
        found.append((words / seconds, needs))
    (speed, needs), (few, few_needs) = found
    between = _gflops(
        (f"{FEW_WORDS} words whose rows stay near", few * few_needs[ARITHMETIC]),
        (
            "this text, rows of n-grams and of noise from L2 and L3",
            speed * needs[ARITHMETIC],
        ),
    )
    return Measured("word", speed, needs, between)


def _gflops(*parts: tuple[str, float]) -> str:
    return "; ".join(f"{name}: {rate / 1e9:.0f} GFLOP/s" for name, rate in parts)


def classifier() -> Measured:
    """Five epochs of fastText's classifier with pairs of words, its loop alone."""
    from foretext.tasks.fasttext.classifier import FastTextClassifier
    from foretext.tasks.fasttext.config import PROGRAM_DEFAULTS

    settings = PROGRAM_DEFAULTS | {"word_ngrams": 2, "dim": DIM, "workers": 1, "seed": 1}
    with _trainings() as trainings:
        for kinds in (FEW_KINDS, NUM_KINDS):
            FastTextClassifier(**settings).fit(_labelled_file(kinds))
    found = []
    for training in trainings:
        learner, seconds = training.of.learner, training.seconds
        documents = learner.features.documents
        num, words = len(documents.starts) - 1, documents.token_starts[-1]
        num_bytes = learner.inputs.nbytes
        of_one = (DIM, len(documents.rows) / num, words / num, NUM_LABELS, num_bytes)
        found.append((PROGRAM_DEFAULTS["epochs"] * words / seconds, classifier_needs(*of_one)))
    (few, few_needs), (speed, needs) = found
    between = _gflops(
        (f"documents of {FEW_KINDS} words, whose rows stay near", few * few_needs[ARITHMETIC]),
        ("these documents, rows of words and pairs from L3 and memory", speed * needs[ARITHMETIC]),
    )
    return Measured("word", speed, needs, between)


def _labelled_file(num_kinds: int) -> Path:
    """Drawn documents: word number n by Zipf's law, a label each."""
    path = work_folder() / f"drawn-{num_kinds}.labelled"
    if not path.exists():
        rng = np.random.default_rng(0)
        chances = 1 / np.arange(1, num_kinds + 1)
        shape = (NUM_DOCUMENTS, DOCUMENT_WORDS)
        rows = rng.choice(num_kinds, shape, p=chances / chances.sum())
        lines = [
            f"__label__{number % NUM_LABELS} {' '.join(f'w{word}' for word in row)}\n"
            for number, row in enumerate(rows)
        ]
        path.write_text("".join(lines), encoding="utf-8")
    return path


def neighbors(at_once: int) -> Measured:
    """So many questions in one call; beside them the products of vectors alone."""
    import foretext as ft

    vectors = np.random.default_rng(0).standard_normal((NUM_WORDS, DIM), dtype=np.float32)
    known = ft.WordVectors([f"w{number}" for number in range(NUM_WORDS)], vectors)
    asked = known.index_to_key[:at_once]
    tile = NUM_WORDS if at_once == 1 else TILE
    queries = vectors[:at_once]
    scores = np.empty((at_once, tile), np.float32)

    def products() -> None:
        for start in range(0, NUM_WORDS - tile + 1, tile):
            np.matmul(queries, vectors[start : start + tile].T, out=scores)

    seconds = best_seconds(lambda: known.neighbors(asked, TOPN))
    alone = best_seconds(products)
    scored = NUM_WORDS // tile * tile * DIM
    speed = f"{scored * 4 / alone / 1e9:.2g} GB/s"
    if at_once > 1:
        speed = f"{2 * at_once * scored / alone / 1e9:.2g} GFLOP/s"
    between = f"products alone, in numpy's library: {alone / seconds:.0%} of the time, at {speed}"
    needs = neighbor_needs(NUM_WORDS, DIM, at_once)
    return Measured("query", at_once / seconds, needs, between)


PATHS: dict[str, Callable[[], Measured | None]] = {
    "skip-gram, negative sampling": partial(skipgram, "ns"),
    "skip-gram, hierarchical softmax": partial(skipgram, "hs"),
    "GloVe": glove,
    "fastText, skip-gram with n-grams": fasttext,
    "fastText's classifier, pairs of words": classifier,
    f"neighbours, {QUERIES} queries at once": partial(neighbors, QUERIES),
    "neighbours, one query at a time": partial(neighbors, 1),
}
