from __future__ import annotations

import random

from foretext.tokenizers.unigram import CharacterCounts, LineSample


def test_blanks_and_line_feeds_are_no_characters() -> None:
    counts = CharacterCounts()
    counts.add("to be\nor not")
    assert len(counts) == len(set("tobeornt"))


def test_the_rarest_come_last_in_the_text_of_several_blocks() -> None:
    counts = CharacterCounts()
    for text in ("aab", "ca\U0001f600", "cc"):
        counts.add(text)
    assert counts.rarest(0) == ""
    assert counts.rarest(2) == "b\U0001f600"  # once each
    assert len(counts.rarest(100)) == 4


def sample_of(lines: list[str], limit: int) -> LineSample:
    sample = LineSample(limit)
    for line in lines:
        sample.add(line)
    return sample


def test_a_text_of_few_distinct_words_is_kept_whole_and_in_order() -> None:
    lines = [f"word {number % 10} again" for number in range(5_000)]
    sample = sample_of(lines, limit=100)
    assert sample.rate == 1.0
    assert list(sample) == lines


def test_a_text_without_blanks_is_sampled_evenly() -> None:
    draw = random.Random(1)
    lines = ["".join(draw.choices("abcdef", k=100)) for _ in range(2_000)]
    sample = sample_of(lines, limit=50_000)
    kept = [lines.index(line) for line in sample]
    assert 45_000 * 0.9 <= sum(len(lines[place]) for place in kept) <= 50_000
    assert kept == sorted(kept)
    for quarter in range(4):  # as many from every part of the text
        within = [place for place in kept if place // 500 == quarter]
        assert abs(len(within) - len(kept) / 4) < 10


def test_no_character_is_lost() -> None:
    lines = [f"{number:05}" * 20 + chr(0x4E00 + number) for number in range(500)]
    sample = sample_of(lines, limit=5_000)
    assert sample.rate < 0.2
    assert set("".join(sample)) == set("".join(lines))


def test_characters_that_are_left_out_end_a_word() -> None:
    lines = [f"{number:05}" * 20 + chr(0x4E00 + number) for number in range(500)]
    sample = sample_of(lines, limit=5_000)
    sample.leave_out("0" + chr(0x4E00) + chr(0x4E00 + 499))
    assert set("".join(sample)) == set("".join(lines)) - set("0" + lines[0][-1] + lines[-1][-1]) | {
        " "
    }


def test_one_line_is_always_kept() -> None:
    assert list(sample_of(["a" * 1_000], limit=10)) == ["a" * 1_000]
