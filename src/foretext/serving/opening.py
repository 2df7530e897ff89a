"""Which models a server is to have: their names, and what is refused before it starts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from foretext.artifact import load, load_task, opened_run
from foretext.base.errors import ModelFileError, SettingError
from foretext.base.replacement import refuse_unfinished
from foretext.tasks.fasttext.bin_file import holds_classifier

__all__ = ["named_places", "open_model"]

_NAME = re.compile(r"[\w.:/@+-]{1,100}")  # also of other scripts; it stands in logs and metrics


def named_places(given: Sequence[str]) -> dict[str, Path]:
    """Return the models that a user names, PATH or NAME=PATH each, by their names.

    A model without a name has that of its folder or file.

    Raises:
        SettingError: two have one name, or a name has other signs than words.
        ModelFileError: there is nothing at a path, or what is there is not finished.
    """
    places: dict[str, Path] = {}
    for each in given:
        name, place = _named(each)
        if not _NAME.fullmatch(name):
            raise SettingError(f"'{name}' is no name of a model; give one, as in NAME={place}.")
        if name in places:
            raise SettingError(
                f"{places[name]} and {place} are both named '{name}'; give one another name, as in "
                f"{name}-2={place}."
            )
        _check(place)
        places[name] = place
    return places


def open_model(place: Path) -> Any:
    """Open a model to be served; of fastText's files, those of classifiers are classifiers.

    Raises:
        ForetextError: as of `foretext.load`.
    """
    return load_task(place) if _is_classifier_file(place) else load(place)


def _named(given: str) -> tuple[str, Path]:
    name, equals, place = given.partition("=")
    if equals and not Path(given).exists():
        return name, Path(place)
    path = Path(given)
    return (path if path.name else path.resolve()).name, path


def _check(place: Path) -> None:
    if not place.exists():
        raise ModelFileError(
            f"There is nothing at {place}; give the folder of a run or of a model, or a vector "
            "file."
        )
    refuse_unfinished(opened_run(place).path, ModelFileError)


def _is_classifier_file(place: Path) -> bool:
    return place.suffix in (".bin", ".ftz") and place.is_file() and holds_classifier(place)
