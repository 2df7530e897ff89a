"""Word-by-word translation: what becomes of words, marks, case, blanks and unknown words."""

from __future__ import annotations

import gzip
from itertools import product
from pathlib import Path

import pytest

from foretext.base.errors import CorpusError, SettingError
from foretext.metrics.texts import bleu
from foretext.tasks.text_to_text.baseline import WordTranslator

WORDS = {"der": "the", "Hund": "dog", "Mann": "man", "Ball": "ball", "sieht": "sees", "den": "a"}
CHINESE = {"der": "这", "Hund": "狗", "Mann": "男人", "Ball": "球", "sieht": "看", "den": "一个"}


def pairs(dictionary: dict[str, str], blank: str, stop: str) -> list[tuple[str, str]]:
    """Sentences of three words or two, each with and without a stop; 36 of them."""
    found = []
    for first, second in product(("Hund", "Mann", "Ball"), repeat=2):
        article = "der" if first < second else "den"
        found.append([first, "sieht", article, second])
        found.append([article, first])
    return [
        (" ".join(words) + end, blank.join(dictionary[word] for word in words) + their_end)
        for words in found
        for end, their_end in (("", ""), (".", stop))
    ]


@pytest.fixture(scope="module")
def english() -> WordTranslator:
    return WordTranslator().fit(pairs(WORDS, " ", "."))


def test_words_are_translated_in_the_order_of_the_source(english: WordTranslator) -> None:
    assert english.predict(["sieht der Mann den Hund."]) == ["sees the man a dog."]
    assert english.num_rows == 36


def test_unknown_words_are_copied_with_the_blanks_of_the_source(english: WordTranslator) -> None:
    found = english.predict(["der Hund (Rex-2) sieht 'den' Ball", "", "?"])
    assert found == ["the dog (Rex-2) sees 'a' ball", "", "?"]
    assert english.translation("Rex") is None


def test_another_case_of_a_known_word_is_known(english: WordTranslator) -> None:
    assert english.predict(["Der hund"]) == ["the dog"]


def test_translations_begin_as_the_targets_do() -> None:
    large = [(source, target.capitalize()) for source, target in pairs(WORDS, " ", ".")]
    assert WordTranslator().fit(large).predict(["der Hund."])[0].startswith("The ")


def test_chinese_has_no_blanks_and_its_own_marks() -> None:
    pytest.importorskip("jieba")
    learned = WordTranslator().fit(pairs(CHINESE, "", "。"))
    assert learned.predict(["der Hund sieht den Ball."]) == ["这狗看一个球。"]
    assert learned.predict(["Rex Ox."]) == ["Rex Ox。"]
    other = [(target, source) for source, target in pairs(CHINESE, "", "。")]
    assert WordTranslator().fit(other).predict(["男人看一个狗。"]) == ["Mann sieht den Hund."]


def test_of_summaries_the_beginning_of_the_text_remains() -> None:
    long = [(f"{source} {source} {source}", source) for source, _ in pairs(WORDS, " ", ".")]
    learned = WordTranslator().fit(long)
    assert learned.num_words == 4  # the mean is 3.5
    assert len(learned.predict(["Hund sieht den Mann. Ball sieht den Hund."])[0].split()) <= 4


def test_of_long_texts_the_beginning_teaches() -> None:
    config = WordTranslator.Config(max_words=1)
    learned = WordTranslator(config).fit([("a b", "x y"), ("c b", "z y")])
    assert learned.predict(["a c b"]) == ["x z b"]


def test_too_many_pairs_of_words_leave_rows_out() -> None:
    config = WordTranslator.Config(max_pairs=42, max_words=6)
    assert 0 < WordTranslator(config).fit(pairs(WORDS, " ", ".")).num_rows < 36
    with pytest.raises(SettingError, match="set it to 42 or more"):
        WordTranslator.Config.checked({"max_pairs": 41, "max_words": 6}, "baseline")


@pytest.mark.parametrize("rows", [[], [("", "")], [("", "a"), ("b", "")]])
def test_rows_without_words_are_refused(rows: list[tuple[str, str]]) -> None:
    with pytest.raises(CorpusError):
        WordTranslator().fit(rows)


@pytest.mark.shared_data
def test_german_image_captions(shared_data: Path) -> None:
    def lines(name: str) -> list[str]:
        with gzip.open(shared_data / "multi30k" / f"{name}.gz", "rt", encoding="utf-8") as file:
            return file.read().splitlines()

    rows = list(zip(lines("train.de"), lines("train.en"), strict=True))[:5000]
    outputs = WordTranslator().fit(rows).predict(lines("test_2016_flickr.de"))
    assert bleu(outputs, lines("test_2016_flickr.en")).value > 20
