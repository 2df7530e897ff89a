"""Words to begin with."""

from __future__ import annotations

from foretext.vectors.example_words import example_words


def test_examples_are_frequent_words_with_a_topic_in_any_script() -> None:
    function_words = [f"the{number}" for number in range(100)]
    words = [*function_words, "city", "music", "1984", "river", "的", "经济", "well-known", "école"]
    assert example_words(words) == ["music", "river", "经济", "école"]


def test_examples_are_spread_over_the_frequent_words() -> None:
    letters = "abcdefghij"
    words = [f"word{one}{two}{three}" for one in letters for two in letters for three in letters]
    assert example_words(words, 3) == [words[100], words[400], words[700]]


def test_a_small_vocabulary_gives_what_it_has() -> None:
    assert example_words(["a", "an"]) == ["a", "an"]
    assert example_words([]) == []
