"""Labels of texts by one side, in a process of its own; figures as JSON.

``python -m benchmarks.prediction_program foretext|peer auto|int8|fp32|bf16 SIZE PAIR``

The peer in bfloat16 is at its best: given the texts sorted by length, so that batches have little
to fill up. In float32 it is as it ships.
"""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Callable
from typing import Any

from benchmarks.harness import work_folder
from benchmarks.labelled_texts import MAX_LENGTH, TEXTS, classifier_folder

NUM_TEXTS = {"mini": {"r8": 400, "imdb": 200}, "small": {"r8": 200, "imdb": 100}}
WARM_TEXTS = 64
BATCH = 32
Predict = Callable[[list[str]], list[str]]


def main() -> None:
    program, precision, size = sys.argv[1:4]
    predict = {"foretext": foretext_of, "peer": peer_of}[program](precision, size)
    figures, labels = {}, {}
    for data in TEXTS:
        texts = [text for _, text in data.rows("test", NUM_TEXTS[size][data.name])]
        predict(texts[:WARM_TEXTS])
        began = time.perf_counter()
        labels[data.name] = predict(texts)
        figures[data.name] = time.perf_counter() - began
    path = work_folder() / f"prediction-{program}-{precision}-{size}.json"
    path.write_text(json.dumps(labels), encoding="utf-8")
    print(json.dumps(figures))


def foretext_of(precision: Any, size: str) -> Predict:
    from foretext.tasks.classification.network import TextClassifier

    model: Any = TextClassifier.load(classifier_folder(size), precision=precision)
    return lambda texts: list(model.predict(texts))


def peer_of(precision: str, size: str) -> Predict:
    import torch
    from transformers import pipeline

    logging.disable(logging.WARNING)
    classify = pipeline(
        "text-classification",
        str(classifier_folder(size)),
        dtype={"fp32": torch.float32, "bf16": torch.bfloat16}[precision],
        device="cpu",
        batch_size=BATCH,
        truncation=True,
        max_length=MAX_LENGTH,
    )

    def predict(texts: list[str]) -> list[str]:
        order = list(range(len(texts)))
        if precision == "bf16":
            order.sort(key=lambda i: len(texts[i]))
        labels = [""] * len(texts)
        for i, found in zip(order, classify([texts[i] for i in order]), strict=True):
            labels[i] = found["label"]
        return labels

    return predict


if __name__ == "__main__":
    main()
