"""Copies, repetitions and wrong lengths."""

from __future__ import annotations

import pytest

from foretext.metrics.texts import text_units
from foretext.tasks.text_to_text.text_faults import copied_rate, repeated_phrase, text_faults

SOURCE = "Ein alter Mann sitzt auf einer Bank im Park."


@pytest.mark.parametrize(
    ("output", "kinds"),
    [
        ("An old man sits on a bench in the park.", ()),
        ("", ("empty",)),
        (" ... ", ("empty",)),
        ("Ein alter Mann sitzt on a bench.", ()),  # 1 phrase of 4
        ("ein alter Mann sitzt auf einer bench", ("copy",)),
        ("A man is on a bench is on a bench.", ("repetition",)),
        ("An old man.", ("short",)),
        ("An old man who is tired sits on a bench that somebody left.", ()),
        ("One of us and two of them " * 4, ("repetition", "long")),
    ],
)  # fmt: skip
def test_faults_of_outputs(output: str, kinds: tuple[str, ...]) -> None:
    assert text_faults(SOURCE, output, "An old man sits on a park bench.").kinds == kinds


def test_an_output_that_never_ends_is_one_fault_more() -> None:
    assert text_faults("a", "b c d", "b c d", ended=False).kinds == ("unended",)


def test_without_a_reference_no_length_is_wrong() -> None:
    assert text_faults(SOURCE, "old").kinds == ()


def test_the_phrase_that_comes_most_often() -> None:
    words = text_units("The man and the dog and the dog and a cat.")
    assert repeated_phrase(words) == "and the dog and"
    assert repeated_phrase(words[:7]) == ""
    assert repeated_phrase([]) == ""


def test_chinese_phrases_are_of_characters() -> None:
    words = text_units("两只狗在雪地里玩耍，两只狗在雪地里玩")
    assert repeated_phrase(words) == "两只狗在雪地里玩"
    assert repeated_phrase(text_units("两只狗和两只猫")) == ""  # a name, or a number
    assert copied_rate(text_units("两只狗在雪地里玩"), words) == 1


def test_short_texts_are_copied_as_a_whole() -> None:
    assert copied_rate(["park"], text_units(SOURCE)) == 1
    assert copied_rate(["im", "park"], text_units(SOURCE)) == 1
    assert copied_rate(["park", "im"], text_units(SOURCE)) == 0
    assert copied_rate([], text_units(SOURCE)) == 0
