"""Numbers of one, in messages that people read."""

from __future__ import annotations

import pytest

from foretext.base.counted import counted
from foretext.corpus.findings import named_files


@pytest.mark.parametrize(
    ("number", "expected"),
    [(0, "0 rows"), (1, "1 row"), (2, "2 rows"), (1_000_001, "1,000,001 rows")],
)
def test_a_number_with_its_noun(number: int, expected: str) -> None:
    assert counted(number, "row") == expected


def test_another_plural() -> None:
    assert counted(1, "class", "classes") == "1 class"
    assert counted(3, "class", "classes") == "3 classes"


def test_files() -> None:
    assert named_files(["a.txt"], 1) == "1 file (a.txt)"
    assert named_files(["a.txt"], 2) == "2 files (a.txt, ...)"
