from __future__ import annotations

import unicodedata

from foretext.cleaning.function_words import FUNCTION_WORDS, STOP_WORDS, stop_words_of


def test_each_language_has_eight_stop_words_among_its_frequent_ones() -> None:
    assert stop_words_of("en") == {"the", "be", "to", "of", "and", "that", "have", "with"}  # Gopher
    for language, words in FUNCTION_WORDS.items():
        assert len(STOP_WORDS[language]) == 8, language
        assert words > STOP_WORDS[language]


def test_words_are_written_as_texts_are_read() -> None:
    for words in FUNCTION_WORDS.values():
        assert all(word == unicodedata.normalize("NFC", word).lower() for word in words)


def test_norwegian_has_two_codes() -> None:
    assert stop_words_of("no") == stop_words_of("nb") != stop_words_of("da")
    assert stop_words_of("xx") is None
