"""What holds for the settings of every class."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator

import pytest

import foretext
from foretext.base.config import Config


def import_all() -> None:
    for module in pkgutil.walk_packages(foretext.__path__, "foretext."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)


def subclasses(config: type[Config]) -> Iterator[type[Config]]:
    for each in config.__subclasses__():
        yield from (each, *subclasses(each))


def sentence_of(config: type[Config], name: str) -> str | None:
    """The docstring under a setting, in its class or in the base whose setting it changes."""
    bases = [each for each in config.__mro__ if issubclass(each, Config)]
    fields = [each.model_fields[name] for each in bases if name in each.model_fields]
    return next((field.description for field in fields if field.description), None)


import_all()
CONFIGS = sorted(
    {each for each in subclasses(Config) if each.__module__.startswith("foretext.")},
    key=lambda each: (each.__module__, each.__qualname__),
)


@pytest.mark.parametrize(
    "config", CONFIGS, ids=lambda each: f"{each.__module__}.{each.__qualname__}"
)
def test_every_setting_has_a_sentence(config: type[Config]) -> None:
    for name in config.model_fields:
        sentence = sentence_of(config, name)
        assert sentence, f"{config.__qualname__}.{name}: write a docstring under it"
        assert sentence[0].isupper() or sentence.startswith("muon")
        assert sentence.endswith("."), sentence
        assert "\n" not in sentence


def test_there_are_many() -> None:
    assert len(CONFIGS) > 30


def test_arrays_of_json_are_tuples() -> None:
    class Sizes(Config):
        sizes: tuple[int, ...] = ()
        pairs: tuple[tuple[str, float], ...] = ()
        limit: int | None = 3

    read = Sizes.model_validate_json('{"sizes": [1, 2], "pairs": [["a", 0.5]], "limit": null}')
    assert read == Sizes(sizes=(1, 2), pairs=(("a", 0.5),), limit=None)
