"""What is timed of a sample: all of it, or its beginning where words take long to find."""

from __future__ import annotations

from pathlib import Path

import pytest

from foretext.corpus import Corpus
from foretext.data.segmenter import Segmenter
from foretext.pretraining.plan import planner
from foretext.pretraining.plan.sample import CorpusSample
from foretext.recipe import Recipe

LOOKS = [0.0, 1.0, 5.0, 7.0]  # the tokenizer takes a second, the list four, the text two


@pytest.mark.parametrize("is_slow", [False, True])
def test_words_that_take_long_are_timed_on_the_beginning(
    animal_text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_slow: bool
) -> None:
    names = tmp_path / "names.txt"
    names.write_text("happy dog\n")
    recipe = Recipe.load("ernie", [f'objective.entities="{names}"', "tokenizer.vocab_size=120"])
    sample = CorpusSample(Corpus(animal_text))
    first, second = sample.texts[0].split("\n\n", 100)[:100], sample.texts[0]
    sample.texts = ["\n\n".join(first) + "\n\n", second.split("\n\n", 100)[-1]]
    sample.corpus_bytes, sample.whole = 10 * sample.num_bytes, False
    monkeypatch.setattr(planner, "usable_cores", lambda: 2)
    monkeypatch.setattr(Segmenter, "is_slow", is_slow)
    looks = iter(LOOKS)
    encoded = planner._encode(recipe, sample, tmp_path / "tokens", lambda: next(looks))
    assert encoded.tokens.units is not None
    if is_slow:
        assert encoded.num_bytes == len(sample.texts[0].encode())
        assert encoded.tokens.num_documents == 100
    else:
        assert encoded.num_bytes == sample.num_bytes
        assert encoded.tokens.num_documents == 400
    share = sample.corpus_bytes / encoded.num_bytes
    assert encoded.seconds == pytest.approx(10 + 4 + 2 * share / (2 if is_slow else 1))
