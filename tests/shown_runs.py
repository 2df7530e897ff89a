"""What must hold of everything that is shown of a trained model."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from typing import Any

from foretext.messages import LANGUAGES, in_language
from foretext.shown import Shown

__all__ = ["check_shown", "numbers_of", "parts_of"]


def check_shown(model: Any, given: Any) -> list[Shown]:
    """Show in each language: JSON round trips, numbers are finite, nothing is empty."""
    found = {}
    for language in LANGUAGES:
        with in_language(language):
            shown = model.show(given)
            data = [each.to_json() for each in shown]  # the legend is in the language, too
            found[language] = data
        assert json.loads(json.dumps(data, allow_nan=False)) == data
        assert data
        for each in data:
            assert each["title"].strip()
            assert each["parts"]
            assert all(math.isfinite(number) for number in numbers_of(each))
    assert _shape(found["en"]) == _shape(found["zh"])
    assert found["en"] != found["zh"]
    return shown


def parts_of(shown: Sequence[Shown], kind: str) -> list[dict[str, Any]]:
    """The parts of one kind, as JSON has them."""
    parts = [part.to_json() for each in shown for part in each.parts]
    return [part for part in parts if part["kind"] == kind]


def numbers_of(value: Any) -> Iterator[float]:
    """All numbers in what JSON has."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from numbers_of(each)
    elif isinstance(value, int | float):
        yield value


def _shape(data: list[dict[str, Any]]) -> list[list[str]]:
    return [[part["kind"] for part in each["parts"]] for each in data]
