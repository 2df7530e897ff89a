"""One counting of pairs and one training of GloVe by one program; figures as JSON.

``python -m benchmarks.glove_program foretext|numpy|BINARIES TEXT FOLDER EPOCHS SEED``
"""

from __future__ import annotations

import json
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.harness import peak_megabytes

Figures = dict[str, float]

DIM, WINDOW, X_MAX, EXPONENT, RATE, THREADS = 100, 15, 100.0, 0.75, 0.05, 2
MIN_COUNT, MEMORY_GB = 5, 2
TWIN_CELLS = 100_000


def foretext_figures(text: Path, folder: Path, epochs: int, seed: int) -> Figures:
    """The component as the pipeline calls it; the layout of tiles is part of the training."""
    from foretext.corpus import Corpus
    from foretext.data import write_tokens
    from foretext.progress.run_context import RunContext
    from foretext.tokenizers import WordTokenizer
    from foretext.vectors.glove import GloVe

    config = WordTokenizer.Config(pre_tokenizer="whitespace", min_count=MIN_COUNT)
    tokenizer = WordTokenizer.learn(config, Corpus(text), workers=THREADS)
    settings = GloVe.Config.checked(
        {"epochs": epochs, "seed": seed, "workers": THREADS, "memory": f"{MEMORY_GB}GB"}, "vectors"
    )
    with tempfile.TemporaryDirectory(dir=folder) as place:
        tokens = write_tokens(Corpus(text), tokenizer, Path(place, "tokens"))
        learner = GloVe(settings, tokenizer.vocabulary, tokens)
        cpu = time.process_time()
        counted = learner._count(RunContext(Path(place)))
        count_cpu = time.process_time() - cpu
        count_mb = peak_megabytes()
        cpu = time.process_time()
        history = learner.train(RunContext(Path(place)))
        train_cpu = time.process_time() - cpu
    learner.vectors().save(folder / "vectors.txt", format="glove")
    return {
        "words": tokens.train.num_tokens,
        "cells": counted.num_cells,
        "count_cpu": count_cpu,
        "count_mb": count_mb,
        "train_cpu_per_cell": train_cpu / history[-1]["cells"],
        "loss": _epoch_loss([(r["epoch"], r["loss"]) for r in history], epochs),
    }


def _epoch_loss(records: Sequence[tuple[float, float]], epochs: int) -> float:
    """The mean over the records of the last epoch, which are equally long but for the last."""
    return float(np.mean([loss for epoch, loss in records if epoch > epochs - 1]))


def c_figures(binaries: Path, text: Path, folder: Path, epochs: int, seed: int) -> Figures:
    """The four programs one after another, as their demo script calls them."""
    vocabulary, cells, shuffled = (folder / name for name in ("vocab.txt", "cells", "shuffled"))
    quiet = ["-verbose", "0"]
    _c_cpu([binaries / "vocab_count", "-min-count", MIN_COUNT, *quiet], text, vocabulary)
    count = [binaries / "cooccur", "-memory", MEMORY_GB, "-window-size", WINDOW, *quiet]
    overflow = ["-overflow-file", folder / "overflow"]
    count_cpu, _ = _c_cpu([*count, "-vocab-file", vocabulary, *overflow], text, cells)
    count_mb = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    temporary = ["-temp-file", folder / "temporary", "-seed", seed]
    _c_cpu([binaries / "shuffle", "-memory", MEMORY_GB, *quiet, *temporary], cells, shuffled)
    train = [binaries / "glove", "-save-file", folder / "vectors", "-input-file", shuffled]
    train += ["-vocab-file", vocabulary, "-vector-size", DIM, "-x-max", X_MAX, "-iter", epochs]
    train += ["-threads", THREADS, "-eta", RATE, "-alpha", EXPONENT, "-verbose", 1, "-seed", seed]
    train_cpu, words = _c_cpu(train)
    num_cells = cells.stat().st_size // 16
    return {
        "cells": num_cells,
        "count_cpu": count_cpu,
        "count_mb": count_mb,
        "train_cpu_per_cell": train_cpu / (epochs * num_cells),
        "loss": 2 * float(re.findall(r"cost: ([\d.]+)", words)[-1]),  # it prints halves
    }


def _c_cpu(
    command: Sequence[object], source: Path | None = None, target: Path | None = None
) -> tuple[float, str]:
    """CPU seconds of a program, and what it said."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        list(map(str, command)),
        stdin=source.open("rb") if source else None,
        stdout=target.open("wb") if target else subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        check=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    user, system = after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime
    return user + system, done.stderr.decode()


def numpy_figures(text: Path, seed: int) -> Figures:
    """What one would write in numpy: pairs sorted by np.unique, cells learned one by one."""
    sentences = [line.split() for line in text.read_text(encoding="utf-8").splitlines()]
    counts = Counter(word for sentence in sentences for word in sentence)
    ids = {w: i for i, (w, n) in enumerate(counts.most_common()) if n >= MIN_COUNT}
    cpu = time.process_time()
    cells, values = _numpy_counts([[ids[w] for w in s if w in ids] for s in sentences], len(ids))
    count_cpu = time.process_time() - cpu
    chosen = np.random.default_rng(seed).permutation(len(cells))[:TWIN_CELLS]
    rows, columns = np.divmod(cells[chosen], len(ids))
    cpu = time.process_time()
    _numpy_descent(rows, columns, values[chosen], len(ids))
    train_cpu = time.process_time() - cpu
    return {"count_cpu": count_cpu, "train_cpu_per_cell": train_cpu / len(chosen)}


def _numpy_counts(sentences: list[list[int]], vocab_size: int) -> tuple[np.ndarray, np.ndarray]:
    """Cell numbers and counts; each sentence is followed by as many gaps as a window is long."""
    gap = np.full(WINDOW, -1)
    text = np.concatenate([part for sentence in sentences for part in (np.array(sentence), gap)])
    keys, weights = [], []
    for distance in range(1, WINDOW + 1):
        left, right = text[:-distance], text[distance:]
        inside = (left >= 0) & (right >= 0)
        left, right = left[inside].astype(np.int64), right[inside].astype(np.int64)
        keys += [left * vocab_size + right, right * vocab_size + left]
        weights += [np.full(2 * len(left), 1 / distance)]
    cells, where = np.unique(np.concatenate(keys), return_inverse=True)
    return cells, np.bincount(where, np.concatenate(weights))


def _numpy_descent(
    rows: np.ndarray, columns: np.ndarray, counts: np.ndarray, vocab_size: int
) -> None:
    """One epoch of AdaGrad."""
    rng = np.random.default_rng(0)
    words, contexts = (
        ((rng.random((vocab_size, DIM + 2)) - 0.5) / DIM).astype(np.float32) for _ in range(2)
    )
    words[:, DIM + 1] = contexts[:, DIM] = 1.0  # each side's bias stands against a 1
    word_squares, context_squares = np.ones_like(words), np.ones_like(contexts)
    word_squares[:, DIM + 1] = context_squares[:, DIM] = np.inf
    logs, weights = np.log(counts), np.minimum(counts / X_MAX, 1) ** EXPONENT
    for i, j, log, weight in zip(rows, columns, logs, weights, strict=True):
        step = np.float32(RATE * weight * (words[i] @ contexts[j] - log))
        word_step, context_step = step * contexts[j], step * words[i]
        word_squares[i] += word_step**2
        context_squares[j] += context_step**2
        words[i] -= word_step / np.sqrt(word_squares[i])
        contexts[j] -= context_step / np.sqrt(context_squares[j])


def main() -> None:
    """Parse, measure, print."""
    program, text, folder, epochs, seed = sys.argv[1:]
    if program == "foretext":
        figures = foretext_figures(Path(text), Path(folder), int(epochs), int(seed))
    elif program == "numpy":
        figures = numpy_figures(Path(text), int(seed))
    else:
        figures = c_figures(Path(program), Path(text), Path(folder), int(epochs), int(seed))
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
