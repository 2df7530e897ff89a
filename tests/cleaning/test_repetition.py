"""Repetition against a plain computation on words."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from foretext.cleaning import text_facts
from foretext.cleaning.repetition import repeated_ngram_rate, top_ngram_rate
from foretext.cleaning.text_facts import TextFacts


def plain_top(words: list[str], n: int) -> float:
    ngrams = Counter(tuple(words[at : at + n]) for at in range(len(words) - n + 1))
    most = max(ngrams.values(), default=0)
    if most < 2:
        return 0.0
    longest = max(len("".join(each)) for each, count in ngrams.items() if count == most)
    return min(most * longest / len("".join(words)), 1.0)


def plain_repeated(words: list[str], n: int) -> float:
    seen: set[tuple[str, ...]] = set()
    covered: set[int] = set()
    for at in range(len(words) - n + 1):
        ngram = tuple(words[at : at + n])
        if ngram in seen:
            covered.update(range(at, at + n))
        seen.add(ngram)
    return sum(len(words[at]) for at in covered) / max(len("".join(words)), 1)


@pytest.mark.parametrize("length", [0, 1, 4, 9, 40, 200])
@pytest.mark.parametrize("n", [2, 3, 5, 10])
def test_it_equals_the_plain_computation(length: int, n: int) -> None:
    draw = random.Random(length)
    words = [draw.choice(["a", "bb", "ccc", "it"]) for _ in range(length)]
    facts = TextFacts(" ".join(words))
    assert top_ngram_rate(facts, n) == pytest.approx(plain_top(words, n))
    assert repeated_ngram_rate(facts, n) == pytest.approx(plain_repeated(words, n))


def test_two_characters_stand_for_a_word_of_chinese() -> None:
    text = "今天天气今天天气很好"
    facts = TextFacts(text)
    assert facts.is_dense
    assert top_ngram_rate(facts, 2) == plain_top(list(text), 4)
    assert repeated_ngram_rate(facts, 2) == plain_repeated(list(text), 4)


@pytest.mark.parametrize(
    "text", ["one two three four", "a b c a b d", "a b a b", "一二三一二四", ""]
)
def test_the_short_way_says_what_the_long_one_says(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    measures = (top_ngram_rate, repeated_ngram_rate)
    short = [measure(TextFacts(text), n) for measure in measures for n in (2, 3, 4)]
    monkeypatch.setattr(text_facts, "FEW_WORDS", -1)
    assert short == [measure(TextFacts(text), n) for measure in measures for n in (2, 3, 4)]
