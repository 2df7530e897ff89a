from __future__ import annotations

import numpy as np
import pytest

from foretext.data.rows import LabelledPair, LabelledText
from foretext.tasks.class_answers import ClassAnswers
from foretext.tasks.confusion import confusion


def texts(*labels: str | tuple[str, ...]) -> list[LabelledText]:
    sets = [(each,) if isinstance(each, str) else each for each in labels]
    return [LabelledText(f"text {n}", own, f"a.csv:{n}") for n, own in enumerate(sets, 1)]


def test_errors_come_the_surest_first_with_their_places() -> None:
    answers = ClassAnswers(("a", "b"), np.array([[0.9, 0.1], [0.6, 0.4], [0.7, 0.3]]))
    found = answers.findings(texts("a", "b", "b"))
    assert found["num_errors"] == 2
    assert found["errors"] == [
        {
            "text": f"text {n}",
            "right": "b",
            "given": "a",
            "probability": sure,
            "place": f"a.csv:{n}",
        }
        for n, sure in ((3, 0.7), (2, 0.6))
    ]
    assert found["confusion"] == {"labels": ["a", "b"], "counts": [[1, 0], [2, 0]]}
    assert found["confused"] == [{"right": "b", "given": "a", "count": 2}]


def test_reliability_leaves_empty_bins_out() -> None:
    answers = ClassAnswers(("a", "b"), np.array([[0.9, 0.1], [0.9, 0.1], [0.4, 0.6]]))
    found = answers.findings(texts("a", "b", "b"))
    assert [each["size"] for each in found["reliability"]] == [1, 2]
    # by hand: 1/3 of |0.6 - 1| and 2/3 of |0.9 - 1/2|
    assert found["calibration_error"] == pytest.approx(0.4)


def test_labels_of_sets_are_decisions_of_their_own() -> None:
    answers = ClassAnswers(("a", "b"), np.array([[0.9, 0.8], [0.2, 0.7]]), is_multi_label=True)
    found = answers.findings(texts(("a",), ("b",)))
    [error] = found["errors"]
    assert (error["right"], error["given"], error["probability"]) == ("a", "a, b", 0.8)
    assert sum(each["size"] for each in found["reliability"]) == 4
    assert "confusion" not in found


def test_an_error_in_a_label_that_was_never_learned_says_nothing_of_its_probability() -> None:
    answers = ClassAnswers(("a", "b"), np.array([[0.9, 0.1]]), is_multi_label=True)
    [error] = answers.findings(texts(("a", "new")))["errors"]
    assert (error["right"], error["given"], error["probability"]) == ("a, new", "a", None)


def test_both_texts_of_a_pair_are_shown() -> None:
    pair = LabelledPair("one", "two " * 200, "a", None, "a.csv:1")
    answers = ClassAnswers(("a", "b"), np.array([[0.2, 0.8]]), of_pairs=True)
    [error] = answers.findings([pair])["errors"]
    assert error["text_a"] == "one"
    assert len(error["text_b"]) <= 301
    assert error["text_b"].endswith("…")


def test_labels_that_were_not_learned_stand_at_the_end() -> None:
    assert confusion(["z", "b"], ["a", "a"], ["b", "a"])["confusion"] == {
        "labels": ["b", "a", "z"],
        "counts": [[0, 1, 0], [0, 0, 0], [0, 1, 0]],
    }


def test_many_labels_have_pairs_alone() -> None:
    labels = [str(number) for number in range(41)]
    found = confusion(labels, [*labels[1:], "0"], labels)
    assert "confusion" not in found
    assert len(found["confused"]) == 30
