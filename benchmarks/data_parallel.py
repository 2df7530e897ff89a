"""Word vectors by two processes of one thread each, against one process of one thread.

Two cores of one chip are seldom twice as fast as one: they share a cache, the memory, and often the
power. Two trainings that share nothing, at the same time, show how far this machine goes; no two
processes that learn one model can be faster.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.harness import Figures, Row, median, ratios, run_program, work_folder
from benchmarks.inputs import enwiki_words

__all__ = ["PACKAGES", "rows"]

PACKAGES = ("foretext", "numba", "numpy")
FORMS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("word2vec", "skip-gram, negative sampling, d = 100", {"epochs": 2}),
    ("fasttext", "fastText skip-gram, d = 100", {"epochs": 1}),
    ("glove", "GloVe, d = 100", {"epochs": 4}),
)
PAIRS = 3
LEAST = 1.7  # an efficiency of 0.85


def rows() -> Iterator[Row]:
    """Measure form after form, A B C A B C; half of a ratio is the efficiency."""
    text = enwiki_words()
    folders = [work_folder(), work_folder() / "beside"]  # trainings keep their counts there
    folders[1].mkdir(exist_ok=True)
    for kind, name, settings in FORMS:
        run = partial(_train, kind, text, settings)
        for folder, processes in zip(folders, (2, 1), strict=True):
            _train(kind, text, {**settings, "epochs": 1}, folder, processes, 1)  # compiles
        measured = [
            (run(folders[0], 2, seed), _beside_itself(run, folders, seed), run(folders[0], 1, seed))
            for seed in range(1, PAIRS + 1)
        ]
        two, apart, one = map(list, zip(*measured, strict=True))
        for work, figures, least in (
            ("2 processes of 1 thread each, words or cells a second", two, LEAST),
            ("2 trainings that share nothing, at the same time, likewise", apart, None),
        ):
            ratio, spread = ratios(one, figures, "per_second")
            yield Row(
                f"{name}: {work}",
                "1 process of 1 thread",
                f"{median(figures, 'per_second') / 1e6:.2f} M: efficiency {ratio / 2:.2f}",
                f"{median(one, 'per_second') / 1e6:.2f} M",
                ratio,
                spread,
                least,
            )


def _beside_itself(run: Callable[..., Figures], folders: list[Path], seed: int) -> Figures:
    """Train in one process twice at the same time; returns the sum of both speeds."""
    with ThreadPoolExecutor(len(folders)) as pool:
        both = list(pool.map(lambda folder: run(folder, 1, seed), folders))
    return {"per_second": sum(figures["per_second"] for figures in both)}


def _train(
    kind: str, text: Path, settings: dict[str, Any], folder: Path, processes: int, seed: int
) -> Figures:
    given = {**settings, "processes": processes, "workers": processes, "seed": seed}
    return run_program("benchmarks.data_parallel_program", kind, text, folder, json.dumps(given))
