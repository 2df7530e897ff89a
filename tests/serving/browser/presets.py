"""Models whose answers are known beforehand, so that a test knows what has to be drawn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import SettingError
from foretext.generation.decoding import Decoding

__all__ = ["Mood", "Names", "Pairs", "Parts", "Reader", "Scores", "Writer", "presets"]

LABELS = ("good", "bad", "<b>odd</b>")


class Classes(NamedTuple):
    """Probabilities of labels, as a predictor gives them."""

    labels: tuple[str, ...]
    probabilities: NDArray[np.float64]  # (N, C)


class Explained(NamedTuple):
    """An explanation that is a record already."""

    kept: dict[str, Any]

    def record(self) -> dict[str, Any]:
        return self.kept


class Preset:
    """What a server needs to know of a model."""

    kind = "preset"
    abilities: tuple[str, ...] = ()
    fields: tuple[str, ...] = ("text",)
    labels: tuple[str, ...] = ()
    text_framing = None  # it reads texts of any length

    def served_facts(self) -> dict[str, Any]:
        return {"fields": list(self.fields), "labels": list(self.labels) or None}


class Mood(Preset):
    """Every word speaks for a label as much as it has letters; "not" speaks against it."""

    abilities = ("predict", "explain")
    labels = LABELS

    def class_answers(self, inputs: Sequence[tuple[str, ...]]) -> Classes:
        return Classes(self.labels, np.tile([0.7, 0.2, 0.1], (len(inputs), 1)))

    def explain(
        self, inputs: Sequence[tuple[str, ...]], label: str | None, *, method: str
    ) -> list[Explained]:
        return [self._explained(texts, label or self.labels[0]) for texts in inputs]

    def _explained(self, texts: tuple[str, ...], label: str) -> Explained:
        if "fail" in texts[0]:
            raise SettingError("This text cannot be explained.")
        words = [
            word
            for field, text in zip(self.fields, texts, strict=True)
            for word in _of(text, field)
        ]
        facts = {"value": 1.0, "base": 0.0, "method": "occlusion", "predictions": len(words)}
        return Explained({"label": label, "probability": 0.7, **facts, "words": words})


def _of(text: str, field: str) -> Iterable[dict[str, Any]]:
    """Words with their places in characters."""
    end = 0
    for word in text.split():
        start = text.index(word, end)
        end = start + len(word)
        weight = -1.0 if word == "not" else 0.0 if word == "." else len(word) / 10
        yield {"text": word, "start": start, "end": end, "weight": weight, "field": field}


class Pairs(Mood):
    """The same of two texts."""

    fields = ("text_a", "text_b")


class Scores(Preset):
    """A score in place of labels."""

    abilities = ("predict",)
    fields = ("text_a", "text_b")

    def class_answers(self, inputs: Sequence[tuple[str, ...]]) -> None:
        return None

    def options(self, k: int | None, threshold: float | None) -> None:
        return None

    def records(self, inputs: Sequence[tuple[str, ...]], options: None) -> list[dict[str, Any]]:
        return [{"score": 0.25} for _ in inputs]


class Names(Preset):
    """Words that begin with a capital are entities, each of a kind of its own."""

    abilities = ("tag",)

    def answered(self, inputs: Iterable[tuple[str]]) -> Iterable[dict[str, Any]]:
        for (text,) in inputs:
            words = [word for word in _of(text, "text") if word["text"][0].isupper()]
            yield {"text": text, "spans": [_span(word) for word in words]}


def _span(word: dict[str, Any]) -> dict[str, Any]:
    place = {name: word[name] for name in ("text", "start", "end")}
    return {**place, "label": f"KIND{word['text'][0]}", "probability": 0.5}


class Parts(Preset):
    """Each word is tagged with its number of letters."""

    abilities = ("tag",)

    def answered(self, inputs: Iterable[tuple[str]]) -> Iterable[dict[str, Any]]:
        for (text,) in inputs:
            yield {"text": text, "tags": [[word, f"L{len(word)}"] for word in text.split()]}


class Reader(Preset):
    """Answers that there is none, then with the first and the last word of the passage."""

    abilities = ("answer",)
    fields = ("question", "context")

    def answered(
        self, inputs: Iterable[tuple[str, str]], k: int | None
    ) -> Iterable[dict[str, Any]]:
        for question, context in inputs:
            words = [*_of(context, "context")]
            spans = [{name: word[name] for name in ("text", "start", "end")} for word in words]
            none = {"text": "", "start": None, "end": None, "probability": 0.5}
            answers = [none, {**spans[0], "probability": 0.3}, {**spans[-1], "probability": 0.1}]
            yield {"question": question, "context": context, "answers": answers[:k]}


class Output(NamedTuple):
    """A text that was written."""

    text: str

    def record(self) -> dict[str, Any]:
        return {"text": self.text, "score": -0.5, "ended": len(self.text) < 20}


class Aligned(NamedTuple):
    """Words of both texts, and weights."""

    source: list[str]
    output: list[str]
    weights: NDArray[np.float64]
    layer: int


class Writer(Preset):
    """Turns the order of words around, so that the first belongs to the last."""

    abilities = ("translate", "alignment")
    fields = ("source",)
    decoding = Decoding()

    def predict_top(self, texts: Sequence[str], k: int, **_: Any) -> list[list[Output]]:
        return [[Output(" ".join(reversed(text.split())))] * k for text in texts]

    def alignment(self, source: str, output: str) -> Aligned:
        words, size = source.split(), len(source.split())
        weights = np.full((size, size), 0.1) + np.eye(size)[::-1] * 0.7
        return Aligned(words, output.split(), weights, 1)


def presets() -> dict[str, Any]:
    """Return one of each by name."""
    return {
        "mood": Mood(),
        "both": Pairs(),
        "scores": Scores(),
        "names": Names(),
        "parts": Parts(),
        "reader": Reader(),
        "writer": Writer(),
    }
