"""Lines in, records out, without any network: the part of `Predictor` that all tasks share."""

from __future__ import annotations

import json
from typing import Any

import pytest

from foretext.base.errors import CorpusError
from foretext.data.rows import LabelledText, line_input
from foretext.tasks.class_answers import ClassAnswers
from foretext.tasks.classification.linear import LinearClassifier
from foretext.tasks.examining import examine

TEXTS, LABELS = ["a fine film", "a bad film", "fine", "bad"] * 3, ["good", "poor"] * 6


@pytest.fixture(scope="module")
def model() -> LinearClassifier:
    return LinearClassifier().fit(TEXTS, LABELS)


def rows() -> list[LabelledText]:
    return [LabelledText(text, (own,), "a:1") for text, own in zip(TEXTS, LABELS, strict=True)]


def test_lines_become_records(model: LinearClassifier) -> None:
    first, second = model.predictions(["fine", '{"text": "bad"}'], k=2)
    assert (first["text"], second["text"]) == ("fine", "bad")
    assert [each["label"] for each in first["labels"]] == ["good", "poor"]
    assert model.shown(second).startswith("poor ")


def test_what_a_run_keeps_of_a_model_is_json(model: LinearClassifier) -> None:
    described = json.loads(json.dumps(model.described()))
    assert described["watched"] == ["accuracy", "macro_f1"]
    assert (described["title"], described["labels"]) == ("Classification", 2)
    assert "(1, 2)" in described["usage"]


def test_rows_are_examined_once(model: LinearClassifier) -> None:
    found = examine(model, rows(), learned_from=rows()[:2])
    assert found["figures"] == model.figures(rows())
    assert found["learned"] == {"good": 1, "poor": 1}
    assert found["num_errors"] == 0


def test_the_answers_of_others_are_examined_beside_those_of_a_model(
    model: LinearClassifier,
) -> None:
    majority = LinearClassifier.task.majority([*rows(), *rows()[:1]])
    beside = examine(model, rows(), beside={"majority": majority})["beside"]["majority"]
    assert beside["figures"]["accuracy"] == 0.5
    assert "labels" not in beside["figures"]  # the table
    assert beside["difference"]["value"] == 0.5
    assert beside["difference"]["is_certain"]


def test_findings_may_have_the_answers_of_others_beside() -> None:
    class Beside(ClassAnswers):
        def findings(self, rows: Any, beside: Any = None) -> Any:
            return {"labels": {name: each.most_probable() for name, each in beside.items()}}

    class Compared(LinearClassifier):
        def answer_rows(self, rows: Any) -> ClassAnswers:
            found = super().answer_rows(rows)
            return Beside(found.labels, found.probabilities)

    model = Compared().fit(TEXTS, LABELS)
    majority = LinearClassifier.task.majority([*rows(), *rows()[:1]])
    assert majority is not None
    found = examine(model, rows(), beside={"majority": majority})
    assert found["labels"] == {"majority": ["good"] * 12}
    assert "confusion" not in found


def test_one_answer_to_all_rows_is_named(model: LinearClassifier) -> None:
    always = LinearClassifier.task.majority(rows()[:1])
    sentence = always.answers(rows()).degenerate(rows())
    assert sentence == (
        "All 12 texts got the same answer, 'good', although 2 different ones are right."
    )
    assert model.answer_rows(rows()).degenerate(rows()) is None
    assert always.answers(rows()[:8]).degenerate(rows()[:8]) is None  # too few to tell
    alike = [row for row in rows() if row.labels == ("good",)] * 3
    assert always.answers(alike).degenerate(alike) is None  # all are right


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("one text", "line 7: 1 fields where text_a<TAB>text_b are expected"),
        ("a\tb\tc", "line 7: 3 fields"),
        ('{"text_a": "x"}', "line 7: the JSON object has no text 'text_b'"),
        ('{"text_a": "x", "text_b": 3}', "line 7: the JSON object has no text 'text_b'"),
    ],
)
def test_a_wrong_line_is_named(line: str, sentence: str) -> None:
    with pytest.raises(CorpusError, match=sentence):
        line_input(line, 7, ("text_a", "text_b"))


def test_a_line_that_is_nearly_json_is_text() -> None:
    deep = '{"text":' * 5_000  # deeper than a parser goes
    assert [line_input(line, 1, ("text",)) for line in ("{not json", deep)] == [
        ("{not json",),
        (deep,),
    ]
