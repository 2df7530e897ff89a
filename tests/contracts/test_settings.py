"""What holds for the settings of every class."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator

import pytest

import foretext
from foretext.config import Config


def import_all() -> None:
    for module in pkgutil.walk_packages(foretext.__path__, "foretext."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)


def subclasses(config: type[Config]) -> Iterator[type[Config]]:
    for each in config.__subclasses__():
        yield from (each, *subclasses(each))


import_all()
CONFIGS = sorted(
    {each for each in subclasses(Config) if each.__module__.startswith("foretext.")},
    key=lambda each: (each.__module__, each.__qualname__),
)


@pytest.mark.parametrize(
    "config", CONFIGS, ids=lambda each: f"{each.__module__}.{each.__qualname__}"
)
def test_every_setting_has_a_sentence(config: type[Config]) -> None:
    for name, field in config.model_fields.items():
        sentence = field.description
        assert sentence, f"{config.__qualname__}.{name}: write a docstring under it"
        assert sentence[0].isupper() or sentence.startswith("muon")
        assert sentence.endswith("."), sentence
        assert "\n" not in sentence


def test_there_are_many() -> None:
    assert len(CONFIGS) > 30
