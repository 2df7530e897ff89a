"""Rows in memory are the rows of the file that would say the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pytest

from foretext.base.errors import CorpusError
from foretext.corpus.texts import InMemory
from foretext.data.rows import RowsConfig
from foretext.tasks.classification.linear import LinearClassifier
from foretext.tasks.matching.network import TextMatcher
from foretext.tasks.span_qa.network import SpanReader
from foretext.tasks.tagging.network import Tagger

TEXTS, LABELS = ["a ship", "a field", "a wave"], ["sea", "land", "sea"]
EXPECTED = [("a ship", ("sea",)), ("a field", ("land",)), ("a wave", ("sea",))]


class Frame:
    """A table as pandas has it, with numbers of numpy in it."""

    columns = ("text", "label")

    def __getitem__(self, name: str) -> Any:
        return {"text": np.array(TEXTS, dtype=object), "label": np.array(LABELS)}[name]


@pytest.mark.parametrize(
    "given",
    [
        list(zip(TEXTS, LABELS, strict=True)),
        [[text, label] for text, label in zip(TEXTS, LABELS, strict=True)],
        [{"text": text, "label": label} for text, label in zip(TEXTS, LABELS, strict=True)],
        zip(TEXTS, LABELS, strict=True),
        (TEXTS, LABELS),
        (np.array(TEXTS), np.array(LABELS)),
        {"text": TEXTS, "label": LABELS},
        pyarrow.table({"text": TEXTS, "label": LABELS, "more": [1, 2, 3]}),
        Frame(),
    ],
    ids=lambda given: type(given).__name__,
)
def test_every_form_gives_the_same_rows(given: Any) -> None:
    source = LinearClassifier.source_of(given)
    assert isinstance(source, InMemory)
    rows = LinearClassifier.read(source)
    assert [(row.text, row.labels) for row in rows] == EXPECTED
    assert rows[1].place == "3 rows in memory:2"


def test_numbers_and_lists_as_labels() -> None:
    rows = LinearClassifier.read(LinearClassifier.source_of((TEXTS, np.array([0, 1, 0]))))
    assert [row.labels for row in rows] == [("0",), ("1",), ("0",)]
    rows = LinearClassifier.read(LinearClassifier.source_of([("a", ["x", "y"]), ("b", [])]))
    assert [row.labels for row in rows] == [("x", "y"), ()]


def test_other_columns() -> None:
    rows = [{"body": "a ship", "topic": "sea"}]
    config = RowsConfig(text="body", label="topic")
    assert LinearClassifier.read(LinearClassifier.source_of(rows), config)[0].labels == ("sea",)
    with pytest.raises(CorpusError, match="1 rows in memory, line 1: there is no column 'text'"):
        LinearClassifier.read(LinearClassifier.source_of(rows))


def test_paths_stay_paths() -> None:
    assert LinearClassifier.source_of("rows.csv") == "rows.csv"
    assert LinearClassifier.source_of(Path("rows.csv")) == Path("rows.csv")


def test_pairs() -> None:
    given = [("a", "b", "same"), ("c", "d", "other")]
    rows = TextMatcher.read(TextMatcher.source_of(given))
    assert [(row.text_a, row.text_b, row.label) for row in rows] == given
    assert TextMatcher.read(TextMatcher.source_of(([("a", "b")], ["same"])))[0].label == "same"


@pytest.mark.parametrize(
    "given",
    [
        [(["King", "New York"], ["PER", "LOC"]), (["sea"], ["O"])],
        ([["King", "New York"], ["sea"]], [["PER", "LOC"], ["O"]]),
        [{"tokens": ["King", "New York"], "ner_tags": ["PER", "LOC"]}, (["sea"], ["O"])],
    ],
)
def test_sentences(given: Any) -> None:
    rows = Tagger.read(Tagger.source_of(given))
    assert [row.tokens for row in rows] == [("King", "New York"), ("sea",)]
    assert [row.tags for row in rows] == [("PER", "LOC"), ("O",)]


def test_questions() -> None:
    flat = {
        "id": "q1",
        "question": "What sails?",
        "context": "The ship sails.",
        "answers": {"text": ["ship"], "answer_start": [4]},
    }
    qas = [
        {"id": "q1", "question": "What sails?", "answers": [{"text": "ship", "answer_start": 4}]}
    ]
    squad = {"data": [{"paragraphs": [{"context": "The ship sails.", "qas": qas}]}]}
    for given in ([flat], squad):
        (row,) = SpanReader.read(SpanReader.source_of(given))
        assert (row.question, row.answers[0].text, row.answers[0].start) == (
            "What sails?",
            "ship",
            4,
        )


@pytest.mark.parametrize(
    ("model", "given", "said"),
    [
        (LinearClassifier, [], "No rows were given"),
        (LinearClassifier, ["a text"], "row 1 in memory is 'a text' of type str"),
        (LinearClassifier, [("a", "b", "c")], r"give tuples \(text, label\)"),
        (LinearClassifier, (TEXTS, LABELS[:2]), "There are 3 inputs and 2 labels"),
        (LinearClassifier, 3, "int is nothing to read rows from"),
        (Tagger, [("a b", "O O")], "row 1 in memory has no two lists of tokens and tags"),
        (Tagger, [(["a", "b"], ["O"])], "2 tokens and 1 tag;"),
        (Tagger, [(["a\tb"], ["O"])], "a tab or a line end"),
    ],
)
def test_what_is_no_row_is_refused(model: Any, given: Any, said: str) -> None:
    with pytest.raises(CorpusError, match=said):
        model.source_of(given)
