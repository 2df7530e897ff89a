from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foretext.base.errors import SettingError
from foretext.corpus.pre_tokenizers import PreTokenizer
from foretext.tasks import spelled_words
from foretext.tasks.classification.linear import LinearClassifier
from foretext.tasks.spelled_words import Splitting, prepared, prepared_places, words_of

LETTERS = st.text("aB_9 .,:)-é\u0301\u00ad\ufe0f\u1103\u1161हिन्दी好影👩😍❤\u200d\n₹ßİ", max_size=30)


@given(LETTERS)
def test_words_are_those_of_the_pre_tokenisers(text: str) -> None:
    kinds: tuple[Splitting, ...] = ("unicode_words", "words_and_punctuation", "whitespace")
    for kind in kinds:
        read = prepared(text)  # where words of letters alone are found by a simpler rule
        assert words_of(read, kind) == PreTokenizer(kind, lowercase=False).words(read)


@given(LETTERS)
def test_each_character_knows_where_it_comes_from(text: str) -> None:
    read, places = prepared_places(text)
    assert read == prepared(text)
    assert len(places) == len(read)
    for letter, own in zip(read, places, strict=True):
        assert letter in prepared("".join(text[place] for place in own))


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("unicode_words", ["हिन्दी", "c", "3", "😍"]),
        ("words_and_punctuation", ["हिन्दी", "c", "+", "+", ":", ")", "3", "€", "😍"]),
        ("whitespace", ["हिन्दी", "c++", ":)", "3€", "😍"]),
        ("letters", ["ह", "न", "द", "c", "3"]),
    ],
)
def test_what_a_word_is(kind: Splitting, words: list[str]) -> None:
    assert words_of("हिन्दी c++ :) 3€ 😍", kind) == words


def rows(good: str, bad: str) -> tuple[list[str], list[str]]:
    filler = ["the", "film", "was", "long", "plot", "scene"]
    texts = [
        f"{filler[row % 6]} {filler[row // 6 % 6]} film {good if row % 2 else bad}"
        for row in range(200)
    ]
    return texts, ["good" if row % 2 else "bad" for row in range(200)]


@pytest.mark.parametrize(("good", "bad"), [("😍", "😡"), ("👍🏽", "👎🏽"), ("❤\ufe0f", "💔")])
def test_emoji_decide(good: str, bad: str) -> None:
    texts, labels = rows(good, bad)
    model = LinearClassifier().fit(texts[:100], labels[:100])
    assert model.score(texts[100:], labels[100:]) == 1


@pytest.mark.parametrize("kind", ["whitespace", "words_and_punctuation"])
def test_signs_can_be_kept(kind: Splitting) -> None:
    texts, labels = rows(":)", ":(")
    model = LinearClassifier(pre_tokenizer=kind).fit(texts[:100], labels[:100])
    assert model.score(texts[100:], labels[100:]) == 1


def test_a_kind_of_words_without_words_is_refused() -> None:
    with pytest.raises(SettingError, match="no effect on features = 'characters'"):
        LinearClassifier(features="characters", pre_tokenizer="whitespace").fit(["a", "b"], [0, 1])
    learned = LinearClassifier(pre_tokenizer="words_and_punctuation").fit(
        ["好 吧", "电影"], ["a", "b"]
    )
    assert learned.config.features == "words"


@pytest.mark.parametrize("features", ["words", "characters"])
@pytest.mark.parametrize("text", ["배가 항구에", "Donau\u00addampfer nach Köln", "việc làm"])
def test_one_text_in_two_forms_has_one_answer(features: str, text: str) -> None:
    texts = [text, "ganz etwas anderes", "배가 항구 việc", "an other text"] * 5
    labels = ["x", "y", "x", "y"] * 5
    model = LinearClassifier(features=features).fit(texts, labels)  # type: ignore[arg-type]
    decomposed = unicodedata.normalize("NFD", text).replace("\u00ad", "")
    assert decomposed != text
    assert model.predict_proba([decomposed]).tolist() == model.predict_proba([text]).tolist()
    of_nfd = LinearClassifier(features=features).fit(  # type: ignore[arg-type]
        [unicodedata.normalize("NFD", each) for each in texts], labels
    )
    assert of_nfd.features == model.features


def test_a_model_of_an_earlier_version_keeps_its_words() -> None:
    from foretext.tasks.classification.linear_storage import kept_config

    assert kept_config({"features": "words"}).pre_tokenizer == "letters"
    assert kept_config({"features": "characters"}).pre_tokenizer == "letters"
    assert spelled_words.words_of("नमस्ते", "letters") == ["नमस", "त"]
