"""What several recipes have time to read, by a clock that ticks whenever it is looked at."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest

from foretext.pretraining import affordable
from foretext.pretraining.affordable import affordable_text
from foretext.recipe import Recipe

TICK = 0.01  # seconds between two looks: what each measurement takes
ALWAYS = 2  # looks: at the beginning and at the end


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("text") / "long.txt"
    sentence = "the cat and the dog see a bird in the old house by the river"
    words = sentence.split(" ")
    lines = (" ".join(words[number % 7 :]) for number in range(6_000))
    path.write_text("".join(f"{line} .\n\n" for line in lines))
    return path


@pytest.fixture(autouse=True)
def short_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(affordable, "SAMPLE", 1 << 12)


def read(text: Path, seconds: float, *recipes: str) -> tuple[int | None, int]:
    """The bytes, and how often the clock was looked at."""
    ticks = count()
    small = [Recipe.load(name, ["tokenizer.vocab_size=400"]) for name in recipes if name != "glove"]
    small += [Recipe.load(name) for name in recipes if name == "glove"]
    found = affordable_text(small, text, seconds, timer=lambda: TICK * next(ticks))
    return found, next(ticks)


def test_a_text_that_there_is_time_for_is_read_whole(text: Path) -> None:
    assert read(text, 100.0, "modern-bert", "glove")[0] is None


def test_a_little_text_is_not_timed(text: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(affordable, "SAMPLE", 1 << 30)
    assert read(text, 0.0, "modern-bert") == (None, 1)


def test_more_work_has_time_for_less_text(text: Path) -> None:
    every = text.stat().st_size
    few, more = (read(text, 0.05, *names)[0] for names in (["glove"], ["glove", "modern-bert"]))
    assert more is not None
    assert more < (few or every)


def test_what_two_recipes_need_alike_is_timed_once(text: Path) -> None:
    assert read(text, 1.0, "modern-bert", "electra", "unilm") == read(text, 1.0, "modern-bert")
    (_, both), (_, one) = (read(text, 1.0, "modern-bert", *other) for other in (["gpt"], []))
    assert both - ALWAYS == 2 * (one - ALWAYS)


def test_a_block_is_always_read(text: Path) -> None:
    found, _ = read(text, 0.0, "modern-bert")
    assert found is None or found > 1 << 12
