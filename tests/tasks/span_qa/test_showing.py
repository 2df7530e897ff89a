"""The scores that are shown are those around the best span."""

from __future__ import annotations

import numpy as np
import pytest

from foretext.data.padded_examples import Ragged
from foretext.messages import in_language
from foretext.shown import Grid
from foretext.tasks.span_qa.answers import SpanChoice
from foretext.tasks.span_qa.question_windows import EncodedPassage, QuestionWindows
from foretext.tasks.span_qa.readings import read_spans
from foretext.tasks.span_qa.showing import reading_parts

LENGTH = 300  # tokens of the passage, each a letter
CONTEXT = "".join(chr(0x4E00 + number) for number in range(LENGTH))


def windows_of(firsts: list[int], size: int) -> QuestionWindows:
    """A passage in windows of `size` tokens, behind two others."""
    offsets = np.stack([np.arange(LENGTH), np.arange(1, LENGTH + 1)], 1).astype(np.int32)
    num = len(firsts)
    return QuestionWindows(
        Ragged([np.zeros(size + 2, np.int64)] * num),
        np.zeros(num, np.int64),
        np.full(num, 2, np.int64),
        np.array(firsts, np.int64),
        np.full(num, size, np.int64),
        [EncodedPassage(np.zeros(LENGTH, np.int32), offsets)],
    )


def grid_of(windows: QuestionWindows, outputs: list[np.ndarray]) -> Grid:
    (reading,) = read_spans(windows, [CONTEXT], outputs, max_answer_length=4, num_best=5)
    with in_language("en"):
        *_, grid = reading_parts(windows, outputs, CONTEXT, reading, SpanChoice(False))
    assert isinstance(grid, Grid)
    return grid


@pytest.mark.parametrize("begins", [10, 90, 149])
def test_the_grid_is_around_the_best_span_in_its_window(begins: int) -> None:
    windows = windows_of([0, 150], 150)
    outputs = [np.full((152, 2), -9, np.float32) for _ in range(2)]
    outputs[0][2 + 120, 0] = 8  # may begin there, but ends nowhere near
    outputs[0][2 + 5, 1] = 8
    outputs[1][2 + begins] = 4  # the best span has one token
    outputs[1][2 + (begins + 70) % 150, 0] = 7  # begins more surely, but ends nowhere
    grid = grid_of(windows, outputs)
    token = CONTEXT[150 + begins]
    assert token in grid.columns
    assert len(grid.columns) == 64
    place = grid.columns.index(token)
    assert [row[place] for row in grid.values] == [4, 4]


def test_of_two_windows_that_hold_the_span_the_surer_one_is_shown() -> None:
    windows = windows_of([0, 100], 200)
    outputs = [np.full((202, 2), -9, np.float32) for _ in range(2)]
    outputs[0][2 + 150] = 3
    outputs[1][2 + 50] = 5
    grid = grid_of(windows, outputs)
    place = grid.columns.index(CONTEXT[150])
    assert [row[place] for row in grid.values] == [5, 5]
