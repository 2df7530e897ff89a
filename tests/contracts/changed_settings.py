"""Other values of a setting, and the question whether any of them changes what is shown.

Each contract on settings says what it shows: a network, files of a run, answers. A setting is
named ``"owner: section.name"``, or ``"section.name"`` where that holds for every owner.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import numpy as np
import pytest

from foretext.base.config import Config
from foretext.base.errors import ForetextError

__all__ = [
    "Settings",
    "assert_obeyed",
    "digest",
    "found_in",
    "missing_tests",
    "others",
    "shown_arrays",
]

Settings = Mapping[str, Any]
NUMBERS = [0.5, 0.3, 0.1, 0.9, 2, 4, 8, 3, 1, 16, 12, 24, 2.0, 1.5, 4.0, 0.0, 0, 100, 64]


def choices(annotation: Any) -> Iterator[Any]:
    """The words that a setting can be."""
    if get_origin(annotation) is Literal:
        yield from get_args(annotation)
    else:
        for part in get_args(annotation):
            yield from choices(part)


def others(config: Config, name: str) -> Iterator[Any]:
    """Other values that a setting can have."""
    kind, now = type(config), getattr(config, name)
    for value in [True, False, *choices(kind.model_fields[name].annotation), *NUMBERS, ["word"]]:
        same = value == now and isinstance(value, bool) == isinstance(now, bool)
        if not same and kind.allows(name, value):
            yield value


def found_in(table: Mapping[str, Any], owners: Iterable[str], setting: str) -> Any:
    """What a table says of a setting: of one owner, or of all."""
    keys = (*(f"{owner}: {setting}" for owner in owners), setting)
    return next((table[key] for key in keys if key in table), None)


def assert_obeyed(
    setting: str, values: Iterable[Any], usual: str, shown: Callable[[Any], str]
) -> None:
    """Check that the first value that is not refused changes what is shown."""
    refused = []
    for value in values:
        try:
            found = shown(value)
        except (ForetextError, ValueError) as error:
            refused.append(f"{setting} = {value!r}: {error}")
            continue
        assert found != usual, f"{setting} = {value!r} changes nothing"
        return
    pytest.fail("every other value was refused: " + "\n".join(refused[-3:]))


def missing_tests(reasons: Iterable[str]) -> list[str]:
    """The tests that reasons name, and that are not there."""
    named = {path for reason in reasons for path in re.findall(r"tests/\S+\.py", reason)}
    return [path for path in sorted(named) if not (Path(__file__).parents[2] / path).is_file()]


def digest(parts: Iterable[Any]) -> str:
    """One short text for all parts."""
    return hashlib.sha256("\n".join(map(str, parts)).encode()).hexdigest()


def shown_arrays(arrays: Mapping[str, Any]) -> list[str]:
    """Shape and bytes of each array; settings that stand in the same file are not among them."""
    found = []
    for name, value in sorted(arrays.items()):
        array = np.ascontiguousarray(value)
        found.append(f"{name} {array.shape} {hashlib.sha256(array.tobytes()).hexdigest()}")
    return found


def shown_losses(path: Path) -> list[str]:
    """The losses of a run and its figures of held-out text, without the times of the clock."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    return [json.dumps(_without_times(json.loads(line))) for line in lines]


def _without_times(record: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: value
        for name, value in record.items()
        if "loss" in name or name == "step" or name.startswith("valid_")
    }
