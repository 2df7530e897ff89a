"""One classifier by one of the two programs; figures as JSON.

``python -m benchmarks.fasttext_supervised_program foretext|fasttext TRAIN TEST OUT SETTINGS``
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.harness import peak_megabytes
from benchmarks.word2vec_program import cpu_seconds

Learn = Callable[[Path, Path], Callable[[Path], float]]  # train, save; what then tests


def by_foretext(settings: dict[str, Any]) -> Learn:
    """The estimator and its folder."""
    from foretext.tasks.fasttext.classifier import FastTextClassifier
    from foretext.tasks.fasttext.config import PROGRAM_DEFAULTS

    def learn(train: Path, out: Path) -> Callable[[Path], float]:
        classifier = FastTextClassifier(**PROGRAM_DEFAULTS | settings).fit(train)
        classifier.save(out, overwrite=True)
        return lambda test: float(classifier.evaluate(test)["accuracy"])

    return learn


def by_fasttext(settings: dict[str, Any]) -> Learn:
    """The program and its file; it takes no seed."""
    import fasttext

    names = {"epochs": "epoch", "workers": "thread", "word_ngrams": "wordNgrams"}
    given = {names.get(name, name): value for name, value in settings.items() if name != "seed"}

    def learn(train: Path, out: Path) -> Callable[[Path], float]:
        model = fasttext.train_supervised(str(train), verbose=0, **given)
        model.save_model(f"{out}.bin")
        return lambda test: float(model.test(str(test))[1])

    return learn


def main() -> None:
    """Parse, train, test, print; foretext warms up on a few lines first.

    The program must not: of a small matrix it fills no more than a tenth for each thread, and on
    what memory holds in the rest its training may end with "Encountered NaN".
    """
    program, *paths, settings = sys.argv[1:]
    train, test, out = map(Path, paths)
    learn = (by_foretext if program == "foretext" else by_fasttext)(json.loads(settings))
    began = time.perf_counter()
    if program == "foretext":
        few = train.with_suffix(".few")
        few.write_text("".join(train.read_text(encoding="utf-8").splitlines(keepends=True)[:200]))
        learn(few, out)(few)  # machine code is made or loaded
    figures = {"start_wall": time.perf_counter() - began}
    wall, cpu = time.perf_counter(), cpu_seconds()
    evaluate = learn(train, out)
    figures["total_wall"] = time.perf_counter() - wall
    figures["total_cpu"] = cpu_seconds() - cpu
    wall = time.perf_counter()
    figures["accuracy"] = evaluate(test)
    figures["test_wall"] = time.perf_counter() - wall
    saved = [out.with_name(f"{out.name}.bin")] if program == "fasttext" else out.iterdir()
    figures["saved_mb"] = sum(path.stat().st_size for path in saved) / 1e6
    figures["peak_mb"] = peak_megabytes()
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
