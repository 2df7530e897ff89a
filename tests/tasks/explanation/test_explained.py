"""What `explain` takes and refuses."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from foretext.base.errors import SettingError
from foretext.tasks.explanation.explained import FEWEST
from tests.tasks.explanation.bag import WEIGHTS, Bag

LONG = " ".join(["word"] * 300 + ["bad"] + ["word"] * 400 + ["good"] + ["word"] * 299)


def test_one_input_gives_one_explanation_and_a_list_a_list() -> None:
    model = Bag()
    assert model.explain("good") == model.explain(("good",)) == model.explain(["good"])[0]
    assert model.explain([]) == []


@pytest.mark.parametrize("inputs", [("a", "b"), [("a", "b")]])
def test_inputs_of_another_number_of_texts_are_refused(inputs: Any) -> None:
    with pytest.raises(SettingError, match="'text'; one of these has 2 texts"):
        Bag().explain(inputs)


def test_the_input_that_is_of_another_kind_is_named() -> None:
    with pytest.raises(SettingError, match=r"inputs\[1\] = \('b', 'c'\): give a text"):
        Bag().explain(["a", ("b", "c")])  # type: ignore[list-item]


def test_a_method_that_the_model_does_not_have_is_refused() -> None:
    with pytest.raises(SettingError, match=r"'gradient': .* can be explained by occlusion"):
        Bag().explain("good", method="gradient")


def test_other_answers_are_refused() -> None:
    class Other(Bag):
        explained_by = ()

    with pytest.raises(SettingError, match="Bag of words cannot be explained by words"):
        Other().explain("good")


def test_marks_show_sign_and_size_without_colour() -> None:
    found = Bag().explain("a good film , bad end", "yes")
    assert str(found) == "yes 0.2689\ta [+2.00 good] film , [-3.00 bad] end"


def test_light_words_are_not_marked() -> None:
    assert Bag().explain("slight bad", "no").marked("text") == "slight [+3.00 bad]"
    assert Bag().explain("a b").marked("text") == "a b"


def test_the_heaviest_words_come_first() -> None:
    found = Bag().explain("fine good bad", "yes")
    assert [word.text for word in found.top(2)] == ["bad", "good"]


def test_json_has_all_words_and_names_the_text_of_each_where_there_are_several() -> None:
    found = Bag().explain("a good", "yes").record()
    assert json.loads(json.dumps(found)) == found
    assert found == {
        "label": "yes",
        "probability": 0.880797,
        "value": 2.0,
        "base": 0.0,
        "method": "occlusion",
        "predictions": 4,
        "words": [
            {"text": "a", "start": 0, "end": 1, "weight": 0.0},
            {"text": "good", "start": 2, "end": 6, "weight": 2.0},
        ],
    }
    pair = Bag(fields=("text_a", "text_b")).explain(("a", "good")).record()
    assert [word["field"] for word in pair["words"]] == ["text_a", "text_b"]


def test_a_notebook_shows_text_as_text() -> None:
    shown = Bag().explain("<b>good</b> good", "yes")._repr_html_()
    assert "&lt;b&gt;good" in shown
    assert "title='+2.000'>good<sup>+2.0</sup>" in shown


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
