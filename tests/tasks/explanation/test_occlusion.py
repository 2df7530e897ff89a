"""Leaving out words: of a model whose words add up, the weights are those of the words."""

from __future__ import annotations

import numpy as np
import pytest

from foretext.tasks.explanation.occlusion import FEWEST
from tests.tasks.explanation.bag import WEIGHTS, Bag

LONG = " ".join(["word"] * 300 + ["bad"] + ["word"] * 400 + ["good"] + ["word"] * 299)


def test_each_word_weighs_what_it_adds() -> None:
    found = Bag().explain("a good film , bad end", "yes")
    weights = {word.text: word.weight for word in found.words}
    assert weights == pytest.approx({"a": 0, "film": 0, ",": 0, "end": 0, "good": 2, "bad": -3})
    assert (found.value, found.base, found.rest) == pytest.approx((-1, 0, 0))
    assert found.probability == pytest.approx(1 / (1 + np.e))
    assert found.num_predictions == 6 + 2


def test_without_a_label_it_is_the_most_probable_one() -> None:
    found = Bag().explain(["bad", "good"])
    assert [each.label for each in found] == ["no", "yes"]
    assert [each.words[0].weight for each in found] == pytest.approx([3, 2])


def test_inputs_are_asked_together() -> None:
    model = Bag()
    texts = ["a good film", "", "bad , bad end", "fine"]
    together = model.explain(texts, "yes")
    assert together == [Bag().explain(text, "yes") for text in texts]
    assert len(model.asked) == sum(each.num_predictions for each in together)


def test_a_text_without_words_is_what_it_is() -> None:
    for text in ("", " \n"):
        found = Bag().explain(text)
        assert found.words == ()
        assert found.value == found.base == found.rest == 0


@pytest.mark.parametrize("most", [64, 100, 256])
def test_the_words_that_decide_are_found_in_a_long_text(most: int) -> None:
    model = Bag()
    found = model.explain(LONG, "yes", most=most)
    assert found.num_predictions == len(model.asked) <= most
    heaviest = {word.text: word.weight for word in found.top(2)}
    assert heaviest == pytest.approx({word: WEIGHTS[word] for word in ("good", "bad")})
    assert "".join(word.text for word in found.words).replace(" ", "") == LONG.replace(" ", "")
    assert found.rest == pytest.approx(0)


def test_predictions_are_bounded_where_every_word_weighs() -> None:
    model = Bag()
    found = model.explain("good " * 5000, most=50)
    assert len(model.asked) <= 50
    assert sum(word.weight for word in found.words) == pytest.approx(10_000)


def test_a_text_of_many_rows_is_left_out_in_larger_parts() -> None:
    model = Bag(rows=20)
    found = model.explain(LONG, "yes", most=256)
    assert len(model.asked) <= 256 // 20
    assert {word.weight for word in found.top(2)} == {2, -3}
    model = Bag(rows=1000)
    assert model.explain(LONG, most=10).words
    assert len(model.asked) <= FEWEST + 2


def test_words_of_two_texts_are_never_left_out_together() -> None:
    model = Bag(fields=("text_a", "text_b"))
    found = model.explain((LONG, "a fine end"), "yes", most=40)
    assert {word.field for word in found.words} == {"text_a", "text_b"}
    for word in found.words:
        text = found.texts[word.field]
        assert text[word.start : word.end] == word.text
    assert sum(word.weight for word in found.words if word.field == "text_b") == pytest.approx(1)
    assert len(model.asked) <= 40
