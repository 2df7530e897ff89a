from __future__ import annotations

from foretext.vectors import word_lookup
from foretext.vectors.word_lookup import first_rows, unknown_word


def test_the_first_spelling_stands_for_the_others():
    words = ["us", "Paris", "US", "paris", "straße"]
    assert first_rows(words, case_insensitive=True) == {"US": 0, "PARIS": 1, "STRASSE": 4}
    assert first_rows(words, case_insensitive=False) == {word: i for i, word in enumerate(words)}


def test_a_spelling_in_other_letters_comes_before_all_that_is_close():
    words = ["nato", "NATO", "Nat"]
    known = {word: row for row, word in enumerate(words)}
    assert str(unknown_word("Nato", words, known)).endswith("Did you mean 'nato' or 'NATO'?")


def test_of_a_million_words_few_are_compared(monkeypatch):
    compared = []
    monkeypatch.setattr(
        word_lookup,
        "UnknownWordError",
        lambda word, choices: compared.extend(choices) or KeyError(word),
    )
    words = [f"word{number}" for number in range(1_000_000)]
    unknown_word("wird17", words, {})
    assert "word17" in compared
    assert len(compared) <= 2_000
