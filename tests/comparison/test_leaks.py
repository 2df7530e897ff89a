from __future__ import annotations

import pytest

from foretext.base.errors import CorpusError
from foretext.comparison.leaks import Leak, find_leaks
from foretext.data.rows import LabelledText


def rows(part: str, *texts: str) -> list[LabelledText]:
    return [LabelledText(text, (), f"{part}.csv:{n}") for n, text in enumerate(texts, 2)]


def leaks(
    train: tuple[str, ...], valid: tuple[str, ...] = (), test: tuple[str, ...] = ()
) -> list[Leak]:
    parts = {"train": train, "valid": valid, "test": test}
    return find_leaks({part: rows(part, *texts) for part, texts in parts.items()})


def test_rows_that_are_in_both_parts_are_counted_and_shown() -> None:
    (leak,) = leaks(("x", "y"), test=("new", "X ", "z", "v", "y"))
    assert (leak.part, leak.inside, leak.rows, leak.total) == ("test", "train", 2, 5)
    assert leak.places == ("test.csv:3", "test.csv:6")
    assert leak.is_grave
    assert str(leak) == (
        "2 of 5 test rows (40.0%) are among the rows to learn from too, such as test.csv:3; scores "
        "on them say how well they are remembered, so remove them from one of the two."
    )


def test_held_out_rows_must_be_new_and_no_test_rows() -> None:
    found = leaks(("a", "b"), ("a", "c", "d"), ("c", "e", "f"))
    assert [(leak.part, leak.inside) for leak in found] == [("test", "valid"), ("valid", "train")]
    assert str(found[1]).startswith("1 of 3 held-out rows (33.3%) are among the rows to learn")


def test_few_common_rows_are_a_note() -> None:
    (leak,) = leaks(("x",), test=("x", *map(str, range(200))))
    assert not leak.is_grave


def test_parts_without_common_rows_have_no_leak() -> None:
    assert leaks(("x",), ("y",), ("z",)) == []


def test_rows_without_text_are_no_leak() -> None:
    assert leaks(("", "x"), test=(" ", "")) == []


def test_a_test_that_is_mostly_the_training_file_is_refused() -> None:
    with pytest.raises(CorpusError, match=r"--test: 1 of 2 rows \(50.0%\) .* test.csv:2; .*leave"):
        leaks(("x", "y"), test=("x", "z"))
