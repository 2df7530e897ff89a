"""One job of foretext's whose threads may have to wait for a core; figures as JSON.

``python -m benchmarks.busy_program JOB FOLDER``
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.inputs import enwiki_paragraphs
from benchmarks.language_models import model_folder

__all__ = ["JOBS"]

NUM_PARAGRAPHS = 600
SHORT_ROWS = {
    "vocab_size": 4000,
    "next_sentence": False,
    "row_length": 128,
    "max_length": 128,
    "batch_examples": 16,
}


def embedding(folder: Path) -> Callable[[], object]:
    from foretext.language_model import LanguageModel

    model, texts = LanguageModel.load(model_folder("minilm")), enwiki_paragraphs(NUM_PARAGRAPHS)
    model.embed(texts[:64])
    return lambda: model.embed(texts)


def training(size: str, num_steps: int, folder: Path) -> Callable[[], object]:
    from foretext import Recipe, pretrain

    corpus = folder / "busy-paragraphs.txt"
    corpus.write_text("\n\n".join(enwiki_paragraphs(4 * NUM_PARAGRAPHS)), encoding="utf-8")

    def train(steps: int) -> object:
        # As if a user had chosen them: a plan would replace other settings, the steps too.
        recipe = Recipe.from_settings(size, {**SHORT_ROWS, "steps": steps})
        return pretrain(recipe, corpus, folder / "busy-run", overwrite=True)

    train(2)  # compiles
    return partial(train, num_steps)


JOBS: dict[str, Callable[[Path], Callable[[], object]]] = {
    "encoding 600 paragraphs, 6 × 384": embedding,
    "60 steps of bert-mini": partial(training, "bert-mini", 60),
    "200 steps of bert-tiny": partial(training, "bert-tiny", 200),
}


def main() -> None:
    job, folder = sys.argv[1:]
    run = JOBS[job](Path(folder))
    began, before = time.perf_counter(), os.times()
    run()
    wall, after = time.perf_counter() - began, os.times()
    cpu = after.user + after.system - before.user - before.system
    print(json.dumps({"wall": wall, "cpu": cpu}))


if __name__ == "__main__":
    main()
