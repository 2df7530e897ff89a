"""The words that decided, behind a server."""

from __future__ import annotations

from typing import Any

import pytest

from foretext.base.errors import SettingError
from foretext.serving.abilities import ABILITIES
from foretext.serving.abilities.explain import Explain, ExplainOptions
from tests.serving.models import TEXTS


@pytest.mark.parametrize("name", ["linear", "classifier"])
def test_it_is_what_python_says(models: dict[str, Any], name: str) -> None:
    model = models[name]
    found = Explain(model).run([(text,) for text in TEXTS], ExplainOptions("sea"))
    assert found == [each.record() for each in model.explain(TEXTS, "sea")]
    assert [set(word) for word in found[0]["words"]] == [
        {"text", "start", "end", "weight"} for _ in TEXTS[0].split()
    ]


def test_words_of_pairs_name_their_text(models: dict[str, Any]) -> None:
    [found] = Explain(models["matcher"]).run([(TEXTS[0], TEXTS[1])], ExplainOptions())
    assert {word["field"] for word in found["words"]} == {"text_a", "text_b"}
    assert found["label"] in ("0", "1")


def test_what_cannot_be_explained_is_refused(models: dict[str, Any]) -> None:
    with pytest.raises(SettingError, match="Tagging cannot be explained by words"):
        Explain(models["tagger"]).run([("a text",)], ExplainOptions())
    with pytest.raises(SettingError, match=r"label = 'sky'.* 'land', 'sea'"):
        Explain(models["linear"]).run([("a text",)], ExplainOptions("sky"))


def test_who_offers_it_can_do_it(models: dict[str, Any]) -> None:
    offered = {name for name, model in models.items() if "explain" in model.abilities}
    assert offered == {"classifier", "linear", "matcher"}
    assert ABILITIES.resolve("explain") is Explain


def test_a_longer_text_costs_what_all_its_predictions_cost() -> None:
    ability = Explain(None)
    assert ability.cost(("word " * 100,)) > 50 * ability.cost(("word " * 10,))
