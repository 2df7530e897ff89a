"""Whether a run that is resumed has the settings that it began with."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from foretext.base.errors import SettingError
from foretext.messages import message

__all__ = ["check_same"]


def check_same(
    folder: str | Path,
    kept: Mapping[str, Any],
    given: Mapping[str, Any],
    free: Collection[str] = (),
) -> None:
    """Refuse to resume with other settings than a run began with.

    Args:
        folder: of the run, as the user named it.
        kept: what it began with: values by name, or sections of them.
        given: the same, now.
        free: names of settings that may change between a run and its resume.

    Raises:
        SettingError: with the first setting that differs, and both values.
    """
    old, new = _flat(kept), _flat(given)
    for name in sorted(old.keys() | new.keys()):
        before, now = old.get(name), new.get(name)
        is_same = before == now or _as_json(before) == _as_json(now)
        if not is_same and name.rpartition(".")[2] not in free:
            raise SettingError(
                message(
                    "files.run.other_setting",
                    folder=folder,
                    name=name,
                    before=repr(before),
                    now=repr(now),
                )
            )


def _flat(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return values by "section.name"; those of no section by their name."""
    found: dict[str, Any] = {}
    for name, value in settings.items():
        if isinstance(value, Mapping):
            found |= {f"{name}.{inner}": each for inner, each in value.items()}
        else:
            found[name] = value
    return found


def _as_json(value: Any) -> str:
    """Return a value as files keep it: a tuple is a list there."""
    return json.dumps(value, sort_keys=True, default=str)
