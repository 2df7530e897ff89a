"""One training of fastText by one of the two programs; figures as JSON.

``python -m benchmarks.fasttext_program foretext|fasttext FILE OUT SETTINGS``
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.harness import peak_megabytes
from benchmarks.word2vec_program import cpu_seconds


def train_foretext(path: Path, out: Path, settings: dict[str, Any]) -> dict[str, float]:
    """The estimator does all; the training's own share is taken from around its loop."""
    import foretext as ft
    from foretext.vectors.hogwild import Hogwild

    spent: dict[str, float] = {}
    run = Hogwild.run

    def measured(self: Hogwild) -> Any:
        cpu = cpu_seconds()
        state = run(self)
        spent["train_cpu"] = cpu_seconds() - cpu
        return state

    Hogwild.run = measured  # type: ignore[method-assign]
    began = time.perf_counter()
    vectors = ft.FastText(**settings, pre_tokenizer="whitespace", valid_rate=0.0).fit(path).vectors_
    vectors.save(out, "fasttext")
    return spent | {"total_wall": time.perf_counter() - began}


def train_fasttext(path: Path, out: Path, settings: dict[str, Any]) -> dict[str, float]:
    """Its training's share is what more than no epoch at all costs; it takes no seed."""
    import fasttext

    names = {"vector_size": "dim", "epochs": "epoch", "workers": "thread"}
    given = {names.get(name, name): value for name, value in settings.items() if name != "seed"}
    began = cpu_seconds()
    fasttext.train_unsupervised(str(path), **given | {"epoch": 0}, verbose=0)
    without, wall = cpu_seconds() - began, time.perf_counter()
    began = cpu_seconds()
    model = fasttext.train_unsupervised(str(path), **given, verbose=0)
    spent = {"train_cpu": cpu_seconds() - began - without}
    model.save_model(str(out))
    return spent | {"total_wall": time.perf_counter() - wall}


def main() -> None:
    """Parse, train, print."""
    program, path, out, settings = sys.argv[1:]
    train = train_foretext if program == "foretext" else train_fasttext
    figures = train(Path(path), Path(out), json.loads(settings))
    figures["peak_mb"] = peak_megabytes()
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
