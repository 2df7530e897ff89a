"""Lines between a training and its processes."""

from __future__ import annotations

import io

import pytest

from foretext.errors import ForetextError
from foretext.vectors.replicas.messages import (
    answer_line,
    asking_line,
    read_answer,
    read_asking,
)


def test_what_is_asked_arrives() -> None:
    lines = io.BytesIO(asking_line("learn", [1, 0.1, "ä\n"]) + asking_line("keep", []))
    assert read_asking(lines) == ("learn", [1, 0.1, "ä\n"])
    assert read_asking(lines) == ("keep", [])
    assert read_asking(lines) is None


def test_half_a_line_is_the_end() -> None:
    assert read_asking(io.BytesIO(asking_line("learn", [1])[:-3])) is None


def test_an_answer_is_a_result_or_a_problem() -> None:
    assert read_answer(answer_line([1.5, 2])) == [1.5, 2]
    assert read_answer(answer_line(None)) is None
    with pytest.raises(ForetextError, match=r"the disk is full\."):
        read_answer(answer_line(None, "the disk is full."))
