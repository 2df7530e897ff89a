from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from foretext.corpus import Corpus
from foretext.data.framing import Framing
from foretext.data.rows import Question
from foretext.heads.span_qa import SpanHead
from foretext.tasks.span_qa.question_windows import QuestionWindows, window_starts
from foretext.tasks.span_qa.readings import Reading, read_spans
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.tokenizers.subwords import learn_subwords


@pytest.mark.parametrize(
    ("num_tokens", "room", "stride", "starts"),
    [
        (10, 10, 3, [0]),
        (11, 10, 3, [0, 3]),
        (13, 10, 3, [0, 3]),
        (14, 10, 3, [0, 3, 6]),
        (25, 10, 128, [0, 5, 10, 15]),  # by half a window at most
        (3, 1, 9, [0, 1, 2]),
        (0, 10, 3, [0]),
    ],
)
def test_windows_move_on_and_reach_the_end(
    num_tokens: int, room: int, stride: int, starts: list[int]
) -> None:
    assert list(window_starts(num_tokens, room, stride)) == starts


def read(tokenizer: SubwordTokenizer, context: str, *spans: tuple[int, int, float]) -> Reading:
    """Score spans of a passage's tokens by their starts; every other start is worth -9."""
    framing = Framing.of(tokenizer, "causal", 32)
    question = Question("", "", context, (), "", "")
    windows = QuestionWindows.of(tokenizer, framing, SpanHead.Config(), [question])
    (width,), (before,) = windows.rows.lengths, windows.passage_starts
    output = np.full((width, 2), -99, np.float32)
    output[0] = 2, 1
    for first, last, score in spans:
        output[before + first, 0], output[before + last, 1] = score, 0
    (reading,) = read_spans(windows, [context], [output], max_answer_length=4, num_best=9)
    return reading


def test_white_space_is_no_part_of_an_answer(byte_bpe: SubwordTokenizer) -> None:
    reading = read(byte_bpe, "the cow moos", (1, 1, 5))  # the token is " cow"
    assert reading.texts[0] == "cow"
    assert reading.spans[0] == (4, 7)
    assert reading.scores[0] == 5
    assert (reading.no_answer, reading.margin) == (3, -2)


def test_what_has_the_same_characters_counts_once(byte_bpe: SubwordTokenizer) -> None:
    context = "dog é"  # d, o, g, a blank, and the two bytes of a letter
    reading = read(byte_bpe, context, (4, 4, 5), (5, 5, 4))
    assert reading.texts.count("é") == 1
    assert reading.scores[reading.texts.index("é")] == 5
    assert "" not in reading.texts


def test_an_accent_stays_with_its_letter(animal_text: Path) -> None:
    settings = {"vocab_size": 120, "strip_accents": True}
    tokenizer = learn_subwords("wordpiece", settings, Corpus(animal_text), form="none")
    context = "a dog\u0301 barks"  # whose token ends before the accent
    framing = Framing.of(tokenizer, "full", 32)
    question = Question("", "", context, (), "", "")
    windows = QuestionWindows.of(tokenizer, framing, SpanHead.Config(), [question])
    assert windows.passages[0].offsets[1].tolist() == [2, 5]
    output = np.zeros((windows.rows.lengths[0], 2), np.float32)
    output[windows.passage_starts[0] + 1] = 9
    (reading,) = read_spans(windows, [context], [output], max_answer_length=4, num_best=1)
    assert reading.texts == ["dog\u0301"]
