from __future__ import annotations

import pytest

from foretext.tasks.tagging.learned_rates import LearnedRates, rate_doubts

LEARNED = LearnedRates(tagged=0.15, unknown=0.01, capital=0.2)


def test_rates_of_sentences() -> None:
    sentences = [("The", "dog", "☃"), ("a", "cat")]
    rates = LearnedRates.of(sentences, 2, 1)
    assert rates.tagged == 0.4
    assert rates.capital == 0.2
    assert rates.unknown == 0.2


@pytest.mark.parametrize(
    ("now", "words"),
    [
        (LEARNED, []),
        (LEARNED._replace(tagged=0.45), []),
        (LEARNED._replace(tagged=0.9), ["90% of the tokens are tagged as entities, and 15% were"]),
        (LEARNED._replace(unknown=0.5), ["50% of the tokens are unknown, and 1% were"]),
        (LEARNED._replace(capital=0.01), ["hardly any capital letters"]),
        (LearnedRates(1.0, 1.0, 0.0), ["tagged", "unknown", "capital"]),
    ],
)
def test_what_is_strange(now: LearnedRates, words: list[str]) -> None:
    doubts = rate_doubts(LEARNED, now, 100)
    assert len(doubts) == bool(words)
    for word in words:
        assert word in doubts[0]
    assert rate_doubts(LEARNED, now, 5) == []  # too few tokens to say
