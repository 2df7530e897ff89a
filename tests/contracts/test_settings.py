"""What holds for the settings of every class."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from typing import ClassVar

import pytest

import foretext
from foretext.base.config import Config
from foretext.base.errors import SettingError


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


PAIRS = [(config, *pair) for config in CONFIGS for pair in config.ordered_settings()]


def values_out_of_order(config: type[Config], low: str, high: str) -> tuple[float, float]:
    """The least value that the higher of two settings may have, and a larger one that both may."""
    candidates = [*range(1, 40), *(number / 100 for number in range(1, 100))]
    both = [each for each in candidates if config.allows(low, each) and config.allows(high, each)]
    return max(both), min(both)


@pytest.mark.parametrize(
    ("config", "low", "high"),
    PAIRS,
    ids=lambda each: each if isinstance(each, str) else each.__qualname__,
)
def test_a_least_value_above_a_greatest_is_refused(
    config: type[Config], low: str, high: str
) -> None:
    larger, smaller = values_out_of_order(config, low, high)
    with pytest.raises(SettingError, match=rf"{low} = .* is more than {high} = .*; lower {low}"):
        config.checked({low: larger, high: smaller}, "section")


def test_pairs_of_least_and_greatest_are_found() -> None:
    names = {(config.__qualname__, low, high) for config, low, high in PAIRS}
    assert {
        ("QualityRules", "min_words", "max_words"),
        ("QualityRules", "min_mean_word_length", "max_mean_word_length"),
        ("Decoding", "min_new_tokens", "max_new_tokens"),
        ("TextToTextHead.Config", "min_new_tokens", "max_new_tokens"),
        *((f"{name}", "min_alpha", "alpha") for name in ("Word2Vec.Config", "FastText.Config")),
        ("Doc2VecConfig", "min_alpha", "alpha"),
    } <= names


def test_a_pair_of_other_names_is_declared() -> None:
    class Cooling(Config):
        never_above: ClassVar = {"cold": "hot"}
        cold: float = 1.0
        hot: float | None = None
        max_cold: float = 0.0  # no min_cold

    assert Cooling(cold=3.0).hot is None
    assert Cooling(cold=3.0, hot=3.0).cold == 3
    with pytest.raises(SettingError, match=r"\[tea\] cold = 3.5 is more than hot = 3.0"):
        Cooling.checked({"cold": 3.5, "hot": 3.0}, "tea")


def test_there_are_many() -> None:
    assert len(CONFIGS) > 30


def test_arrays_of_json_are_tuples() -> None:
    class Sizes(Config):
        sizes: tuple[int, ...] = ()
        pairs: tuple[tuple[str, float], ...] = ()
        limit: int | None = 3

    read = Sizes.model_validate_json('{"sizes": [1, 2], "pairs": [["a", 0.5]], "limit": null}')
    assert read == Sizes(sizes=(1, 2), pairs=(("a", 0.5),), limit=None)
