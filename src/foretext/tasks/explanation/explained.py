"""What can explain its answers by words: `explain`, and what a class of models says for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

from foretext.base.errors import SettingError
from foretext.tasks.explanation.explanation import Explanation, explained_words
from foretext.tasks.explanation.occlusion import OCCLUSION, Answering, occlude
from foretext.tasks.explanation.weighed import Asked, Weighed
from foretext.tasks.explanation.words import Texts, places_of

__all__ = ["MOST", "Method", "explain"]

Method = Literal["auto", "linear", "occlusion", "gradient"]

MOST = 256  # rows that a network reads for one input, where nobody says


class Explainable(Answering, Protocol):
    """What `explain` asks of a model."""

    explained_by: tuple[str, ...]

    @property
    def title(self) -> str:
        """The name of its task."""

    @property
    def fields(self) -> tuple[str, ...]:
        """The texts of an input."""

    def word_spans(self, text: str) -> list[tuple[int, int]]:
        """Return where the words of a text start and end."""

    def weigh(self, asked: Asked, method: str) -> list[Weighed]:
        """Weigh the words of each input by another method than occlusion."""


def explain(
    model: Explainable,
    inputs: str | tuple[str, ...] | Sequence[str] | Sequence[tuple[str, ...]],
    label: str | None,
    method: Method,
    most: int,
) -> Explanation | list[Explanation]:
    """Say which words decided on answers of a model; see `Predictor.explain`."""
    chosen = _chosen(model, method)
    is_single = isinstance(inputs, str | tuple)
    given = _as_inputs([inputs] if is_single else inputs, model.fields)  # type: ignore
    if not given:
        return []
    asked = Asked(given, [places_of(texts, model.word_spans) for texts in given], label)
    left_out = chosen == OCCLUSION
    weighed = occlude(model, asked, most) if left_out else model.weigh(asked, chosen)
    found = [
        _explanation(model.fields, texts, each, chosen)
        for texts, each in zip(given, weighed, strict=True)
    ]
    return found[0] if is_single else found


def _chosen(model: Explainable, method: Method) -> str:
    known = model.explained_by
    if not known:
        raise SettingError(
            f"{model.title} cannot be explained by words: only labels and scores can, the answers "
            "of classification and matching."
        )
    if method == "auto":
        return known[0]
    if method not in known:
        raise SettingError(
            f"method = '{method}': the answers of this model can be explained by "
            f"{' or '.join(known)}."
        )
    return method


def _as_inputs(given: Sequence[str | Texts], fields: Sequence[str]) -> list[Texts]:
    """Return inputs as tuples of texts."""
    inputs = [(each,) if isinstance(each, str) else tuple(each) for each in given]
    for texts in inputs:
        if len(texts) != len(fields):
            needed = " and ".join(f"'{name}'" for name in fields)
            raise SettingError(
                f"explain takes inputs, or a list of inputs, that consist of {needed}; one of "
                f"these has {len(texts)} texts."
            )
    return inputs


def _explanation(fields: Sequence[str], texts: Texts, weighed: Weighed, method: str) -> Explanation:
    words = explained_words(texts, fields, weighed.places, weighed.weights.tolist())
    return Explanation(
        dict(zip(fields, texts, strict=True)), words, weighed.label, weighed.probability,
        weighed.value, weighed.base, method, weighed.num_predictions,
    )  # fmt: skip
