"""How an explanation is shown, and what JSON has of it."""

from __future__ import annotations

import json

from tests.tasks.explanation.bag import Bag


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
