from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from foretext.messages import in_language
from foretext.nn.scalar_mix import ScalarMix
from foretext.shown import Table, TokenLines
from foretext.tasks.class_answers import ClassAnswers
from foretext.tasks.explanation import Explanation
from foretext.tasks.explanation.explained import ExplainedWord
from foretext.tasks.showing import label_parts, mix_parts, views_table, word_weight_parts


def test_the_mix_of_layers_is_a_softmax_times_a_scale() -> None:
    """Scores 0 and ln 3 weigh 1/4 and 3/4; a scale of 2 makes 1/2 and 3/2 of them."""
    mix = ScalarMix(2)
    with torch.no_grad():
        mix.scores.copy_(torch.tensor([0.0, math.log(3)]))
        mix.scale.fill_(2.0)
    with in_language("en"):
        note, table = mix_parts(mix, ["embeddings", "layer 1"])
    assert "γ = 2.0000" in note.to_json()["text"]
    assert isinstance(table, Table)
    assert [row[0] for row in table.rows] == ["embeddings", "layer 1"]
    np.testing.assert_allclose([row[2] for row in table.rows], [0.25, 0.75], atol=1e-4)
    np.testing.assert_allclose([row[3] for row in table.rows], [0.5, 1.5], atol=1e-4)
    states = torch.randn(2, 1, 3, 4)
    expected = 0.5 * states[0] + 1.5 * states[1]
    torch.testing.assert_close(mix([*states]), expected)


def test_labels_stand_in_the_order_of_their_probabilities() -> None:
    answers = ClassAnswers(("a", "b", "c"), np.array([[0.2, 0.7, 0.1]]), False)
    with in_language("en"):
        table = label_parts(answers)[-1]
    assert isinstance(table, Table)
    assert table.rows == (("b", 0.7), ("a", 0.2), ("c", 0.1))


def test_words_are_marked_that_weigh_a_fifth_of_the_heaviest() -> None:
    weights = {"good": 1.0, "not": -0.5, "the": 0.19}
    words = [ExplainedWord(word, 0, 0, weight, "text") for word, weight in weights.items()]
    explained = Explanation(
        {"text": "good not the"}, tuple(words), "fine", 0.7, 0.9, 0.1, "linear", 1
    )
    with in_language("en"):
        note, lines, table = word_weight_parts(explained)
    assert "0.100 without a word, 0.900 with all of them; 0.110" in note.to_json()["text"]
    assert isinstance(lines, TokenLines)
    assert lines.lines[0].marks == ("for", "against", "")
    assert isinstance(table, Table)
    assert table.rows == (("good", 1.0), ("not", -0.5), ("the", 0.19))


def test_views_say_what_they_say_alone() -> None:
    each = np.array([[0.9, 0.1], [0.4, 0.6]])
    with in_language("en"):
        table = views_table(["yes", "no"], [("network", 0.7), ("linear", 0.3)], each)
    assert table.columns[2:] == ("yes", "no")
    assert table.rows == (("network", 0.7, 0.9, 0.1), ("linear", 0.3, 0.4, 0.6))


def test_an_input_without_a_word_has_no_words_to_show() -> None:
    explained = Explanation({"text": ""}, (), "fine", 0.7, 0.9, 0.9, "linear", 1)
    assert word_weight_parts(explained) == []


@pytest.mark.parametrize("several", [False, True])
def test_it_says_whether_a_text_has_one_label(several: bool) -> None:
    answers = ClassAnswers(("a", "b"), np.array([[0.2, 0.7]]), several)
    with in_language("en"):
        (note, _) = label_parts(answers)
    assert ("any number" in note.to_json()["text"]) == several
