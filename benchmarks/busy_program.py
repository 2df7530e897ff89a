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
NUM_STEPS = 60


def embedding(folder: Path) -> Callable[[], object]:
    from foretext.language_model import LanguageModel

    model, texts = LanguageModel.load(model_folder("minilm")), enwiki_paragraphs(NUM_PARAGRAPHS)
    model.embed(texts[:64])
    return lambda: model.embed(texts)


def training(folder: Path) -> Callable[[], object]:
    from foretext import Recipe, pretrain

    corpus = folder / "busy-paragraphs.txt"
    corpus.write_text("\n\n".join(enwiki_paragraphs(4 * NUM_PARAGRAPHS)), encoding="utf-8")

    recipe = Recipe.load("bert-mini").with_settings("objective", next_sentence=False)

    def train(num_steps: int) -> object:
        shorter = recipe.with_settings("training", steps=num_steps)
        return pretrain(shorter, corpus, folder / "busy-run", overwrite=True)

    train(2)  # compiles
    return partial(train, NUM_STEPS)


JOBS = {
    "encoding 600 paragraphs, 6 × 384": embedding,
    "60 steps of bert-mini": training,
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
