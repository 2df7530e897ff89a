"""Labels that suggestions save on ag_news: rounds of 50, texts by chance and by `suggest`.

Each draw begins with 50 texts by chance, the same ones for both; a third road begins with 50 that
cover the texts. The pool is a part of the training subset, all of whose texts are known, without
labels, to the word vectors.
"""

from __future__ import annotations

import csv
import lzma
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from io import TextIOWrapper
from typing import Any, NamedTuple

import numpy as np

from benchmarks.harness import Row, data_folder
from foretext.suggestion.suggest import By

__all__ = ["PACKAGES", "rows"]

PACKAGES = ("foretext", "scikit-learn", "numpy")
STEP, MOST, DRAWS = 50, 500, 4
NUM_POOL, NUM_TESTED = 6_000, 3_000
SHOWN = (100, 200, 300, 400, 500)  # labels
TARGETS = {"words and word2vec": (0.84, 0.85), "linear": (0.75, 0.78)}

Curve = list[float]  # the accuracy with 50, 100, ... labels


class Texts(NamedTuple):
    """Texts with their labels."""

    texts: list[str]
    labels: list[str]

    @classmethod
    def read(cls, name: str) -> Texts:
        """Read a file of ag_news; title and text are one."""
        path = data_folder() / "ag_news" / name
        with TextIOWrapper(lzma.open(path), encoding="utf-8") as file:
            found = [(" ".join(row[1:]), row[0]) for row in csv.reader(file)]
        return cls([text for text, _ in found], [label for _, label in found])


def rows() -> Iterator[Row]:
    """Accuracy by number of labels, and labels until an accuracy is reached."""
    every = Texts.read("train_subset.csv.xz")
    pool = _of(every, np.random.default_rng(0).permutation(len(every.texts))[:NUM_POOL].tolist())
    test = Texts(*(part[:NUM_TESTED] for part in Texts.read("test.csv.xz")))
    for name, learn in _learners().items():
        yield from _of_model(name, learn, pool, test)


def _of_model(name: str, learn: Callable[..., Any], pool: Texts, test: Texts) -> Iterator[Row]:
    ways = {
        "chance": [_curve(learn, pool, test, draw, None, covers=False) for draw in range(DRAWS)],
        "suggest": [_curve(learn, pool, test, draw, "both", covers=False) for draw in range(DRAWS)],
        "from the first": [
            _curve(learn, pool, test, draw, "both", covers=True) for draw in range(DRAWS)
        ],
    }
    for ours, begin in (("suggest", ""), ("from the first", ", the first 50 by coverage")):
        for number in SHOWN:
            yield Row(
                f"{name}, {number} labels{begin}: accuracy (deviation of {DRAWS} draws)",
                "chance",
                _mean([curve[number // STEP - 1] for curve in ways[ours]]),
                _mean([curve[number // STEP - 1] for curve in ways["chance"]]),
            )
        for target in TARGETS[name]:
            need = {
                way: _labels_to(np.mean(curves, axis=0), target) for way, curves in ways.items()
            }
            work = f"{name}{begin}: labels to a mean accuracy of {target}"
            yield Row(work, "chance", _shown(need[ours]), _shown(need["chance"]))


@cache
def _vectors() -> Any:
    import foretext as ft

    texts = Texts.read("train_subset.csv.xz").texts
    return ft.Word2Vec(vector_size=100, epochs=5, min_count=2, workers=1).fit(texts).vectors_


def _learners() -> dict[str, Callable[..., Any]]:
    import foretext as ft

    return {
        "words and word2vec": lambda texts, labels: ft.EmbeddingClassifier(
            [_vectors()], words=True
        ).fit(texts, labels),
        "linear": lambda texts, labels: ft.LinearClassifier().fit(texts, labels),
    }


def _curve(
    learn: Callable[..., Any], pool: Texts, test: Texts, draw: int, by: By | None, *, covers: bool
) -> Curve:
    """Learn from more and more labels.

    Args:
        learn: makes a model of texts and labels.
        pool: to label texts of.
        test: to measure on.
        draw: number of the draw.
        by: what texts are suggested by; None: by chance.
        covers: whether the first ones are suggested too, by coverage.
    """
    import foretext as ft

    order = np.random.default_rng(draw).permutation(len(pool.texts)).tolist()
    places = {text: place for place, text in enumerate(pool.texts)}
    chosen = order[:STEP]
    if covers:
        first = ft.suggest(_vectors(), pool.texts, STEP, seed=draw, quiet=True)
        chosen = [places[text] for text in first.texts]
    found: Curve = []
    while len(chosen) <= MOST:
        texts, labels = _of(pool, chosen)
        model = learn(texts, labels)
        found.append(float(np.mean(np.array(model.predict(test.texts)) == np.array(test.labels))))
        if by is None:
            chosen = order[: len(chosen) + STEP]
            continue
        more = ft.suggest(
            model, pool.texts, STEP, by=by, labelled=list(zip(texts, labels, strict=True)),
            seed=draw, quiet=True,
        )  # fmt: skip
        chosen = [*chosen, *(places[text] for text in more.texts)]
    return found


def _of(pool: Texts, places: Sequence[int]) -> Texts:
    return Texts([pool.texts[each] for each in places], [pool.labels[each] for each in places])


def _labels_to(curve: Sequence[float], target: float) -> int | None:
    return next((STEP * at for at, value in enumerate(curve, 1) if value >= target), None)


def _shown(number: int | None) -> str:
    return f"more than {MOST}" if number is None else str(number)


def _mean(values: Sequence[float]) -> str:
    return f"{np.mean(values):.3f} ({np.std(values):.3f})"
