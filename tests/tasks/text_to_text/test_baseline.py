"""Word-by-word translation: what becomes of words, marks, case, blanks and unknown words."""

from __future__ import annotations

import gzip
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foretext.base.errors import CorpusError, SettingError
from foretext.metrics.texts import bleu
from foretext.tasks.text_to_text.baseline import Piece, Spacing, WordSplitter, WordTranslator

WORDS = {"der": "the", "Hund": "dog", "Mann": "man", "Ball": "ball", "sieht": "sees", "den": "a"}
CHINESE = {"der": "这", "Hund": "狗", "Mann": "男人", "Ball": "球", "sieht": "看", "den": "一个"}

ENGLISH = ["Two men, one old (70?), wait.", "A dog's ball: red.", "He (the boy) sits."]
CHINESE_TEXT = [
    "两个男人在等，其中一个很老。",
    "一只狗的球是红色的，在 Berlin 和 Paris。",
]


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


def rebuilt(pieces: list[Piece]) -> str:
    return "".join(" " * piece.follows_blank + piece.text for piece in pieces)


def test_english_is_split_into_words_and_marks() -> None:
    pieces = WordSplitter(ENGLISH).pieces("A dog's ball: red.")
    assert [piece.text for piece in pieces] == ["A", "dog", "'", "s", "ball", ":", "red", "."]
    assert [piece.text for piece in pieces if piece.is_mark] == ["'", ":", "."]
    assert rebuilt(pieces) == "A dog's ball: red."


@given(st.text(alphabet="aÄß3 .,'\u0938\u0947\u4e00\u4e8c", max_size=30))
def test_nothing_but_blanks_is_lost(text: str) -> None:
    for splitter in (WordSplitter(ENGLISH), WordSplitter(CHINESE_TEXT)):
        whole = "".join(piece.text for piece in splitter.pieces(text))
        assert whole == "".join(text.split())


def test_words_of_other_scripts_keep_their_marks() -> None:
    hindi = "दो आदमी बैठे हैं"
    assert [piece.text for piece in WordSplitter([hindi]).pieces(hindi)] == hindi.split()


def test_chinese_is_split_into_the_words_of_jieba() -> None:
    pytest.importorskip("jieba")
    splitter = WordSplitter(CHINESE_TEXT)
    assert not splitter.has_blanks
    pieces = splitter.pieces("两只狗在雪地里，玩耍 ok。")
    assert [piece.text for piece in pieces][-5:] == ["里", "，", "玩耍", "ok", "。"]
    assert rebuilt(pieces) == "两只狗在雪地里，玩耍 ok。"


def test_characters_are_words_where_jieba_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("foretext.corpus.pre_tokenizers.is_jieba_installed", lambda: False)
    pieces = WordSplitter(CHINESE_TEXT).pieces("两只 dogs。")
    assert [piece.text for piece in pieces] == ["两", "只", "dogs", "。"]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("men", "wait", True),
        ("men", ",", False),
        (",", "one", True),
        ("(", "the", False),
        ("old", "(", True),
        ("'", "s", False),
        ("men", "%", True),  # never seen
    ],
)
def test_blanks_are_those_of_the_texts(first: str, second: str, expected: bool) -> None:
    splitter = WordSplitter(ENGLISH)
    assert Spacing(map(splitter.pieces, ENGLISH)).needs_blank(first, second) is expected


def test_chinese_has_blanks_between_foreign_words_alone() -> None:
    splitter = WordSplitter(CHINESE_TEXT)
    spacing = Spacing(map(splitter.pieces, CHINESE_TEXT))
    assert not spacing.needs_blank("男人", "等")
    assert not spacing.needs_blank("男人", "Berlin")
    assert not spacing.needs_blank("男人", "。")
    assert spacing.needs_blank("New", "York")
