from __future__ import annotations

import pytest

from foretext.comparison.leaks import key_of, leak_between
from foretext.data.rows import LabelledText
from foretext.errors import CorpusError


def rows(part: str, *texts: str) -> list[LabelledText]:
    return [LabelledText(text, (), f"{part}.csv:{n}") for n, text in enumerate(texts, 2)]


def test_texts_are_compared_without_case_width_and_white_space() -> None:
    assert key_of("A  Straße\n１") == key_of(" a strasse 1")
    assert key_of("a b") != key_of("ab")


def test_rows_that_are_in_both_parts_are_counted_and_shown() -> None:
    parts = {"train": rows("a", "x", "y"), "test": rows("b", "new", "X ", "z", "v", "y")}
    leak = leak_between(parts, "test", "train")
    assert leak is not None
    assert (leak.rows, leak.total, leak.places) == (2, 5, ("b.csv:3", "b.csv:6"))
    assert str(leak) == (
        "2 of 5 test rows (40.0%) are among the rows to learn from too, such as b.csv:3; scores on "
        "them say how well they are remembered, so remove them from one of the two."
    )
    assert leak.as_json() == {
        "part": "test",
        "inside": "train",
        "rows": 2,
        "total": 5,
        "places": ["b.csv:3", "b.csv:6"],
        "searched": 1.0,
        "rate": 0.4,
    }


def test_few_common_rows_are_a_note() -> None:
    test = rows("b", "x", *map(str, range(200)))
    leak = leak_between({"train": rows("a", "x"), "test": test}, "test", "train")
    assert leak is not None
    assert not leak.is_grave


def test_parts_without_common_rows_have_no_leak() -> None:
    parts = {"train": rows("a", "x"), "valid": rows("b", "y")}
    assert leak_between(parts, "valid", "train") is None


def test_a_test_that_is_mostly_the_training_file_is_refused() -> None:
    parts = {"train": rows("a", "x", "y"), "test": rows("b", "x", "z")}
    with pytest.raises(CorpusError, match=r"--test: 1 of 2 rows \(50.0%\) .* b.csv:2, .*leave"):
        leak_between(parts, "test", "train")
