"""Languages that a vocabulary knows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from foretext.corpus import Corpus
from foretext.tokenizers.example_texts import EXAMPLE_TEXTS
from foretext.tokenizers.known_languages import languages_of_tokenizer, languages_of_words
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.tokenizers.subwords import learn_subwords
from foretext.tokenizers.vocabulary import Vocabulary
from foretext.tokenizers.word_tokenizer import WordTokenizer

ENGLISH = "he has lived here for three years, and this is the first time that we see the house"
CHINESE = "这里的历史让我们发现这个国家的文化和人民"
RUSSIAN = "он жил здесь три года и это первый раз когда мы видим этот дом"
GERMAN = "Er wohnt seit drei Jahren hier und das ist das erste Mal dass wir das Haus sehen"
CLOSELY = ("zh", "ja", "ko")  # written without blanks, or with fewer


@pytest.mark.parametrize("kind", ["wordpiece", "bpe"])
@pytest.mark.parametrize(
    ("texts", "languages"),
    [([ENGLISH], ["en"]), ([CHINESE], ["zh"]), (["ein Haus am See"], [])],
)
def test_a_vocabulary_knows_the_language_that_it_was_learned_from(
    kind: str, texts: list[str], languages: list[str], tmp_path: Path
) -> None:
    assert languages_of_tokenizer(learned(kind, texts, tmp_path)) == languages


@pytest.mark.parametrize("code", EXAMPLE_TEXTS)
def test_a_vocabulary_of_each_language_is_recognised(code: str, tmp_path: Path) -> None:
    text = EXAMPLE_TEXTS[code].text
    tokenizer = learned("wordpiece", [text, text.lower()], tmp_path)
    assert languages_of_tokenizer(tokenizer) == [code]


def test_a_vocabulary_of_many_languages_is_shown_in_english(tmp_path: Path) -> None:
    texts = [EXAMPLE_TEXTS[code].text for code in ("de", "en", "fr")]
    assert languages_of_tokenizer(learned("wordpiece", texts, tmp_path)) == ["en", "de", "fr"]


def test_a_tagger_of_characters_knows_the_language_of_its_rows() -> None:
    words = list(dict.fromkeys(["[UNK]", *CHINESE, "the", "has"]))
    vocabulary = Vocabulary(words, np.ones(len(words), np.int64))
    tokenizer = WordTokenizer(WordTokenizer.Config(pre_tokenizer="whitespace"), vocabulary)
    assert languages_of_tokenizer(tokenizer) == ["zh"]


@pytest.mark.parametrize(("text", "code"), [(GERMAN, "de"), (RUSSIAN, "ru"), (ENGLISH, "en")])
def test_words_are_of_the_language_whose_sentence_they_make(text: str, code: str) -> None:
    assert languages_of_words(text.replace(",", "").split()) == [code]


@pytest.mark.parametrize("code", sorted({*EXAMPLE_TEXTS} - {*CLOSELY}))
def test_lower_case_words_tell_each_language(code: str) -> None:
    words = EXAMPLE_TEXTS[code].text.lower().rstrip(".।").replace(",", "").replace("،", "")
    assert languages_of_words(words.replace("'", " ").split()) == [code]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("的 这里 历史 让 我们 发现 这个 国家 文化 和 人民", "zh"),
        ("は に を て の で 彼 ここ 三 年 住んで いて 私たち が この 家 見る", "ja"),
        ("는 이 그 에서 삼 년 동안 살았고 우리 가 집 을 보는 것 은 처음 이다", "ko"),
    ],
)
def test_words_of_a_text_without_blanks_are_found_in_its_characters(words: str, code: str) -> None:
    assert languages_of_words(words.split()) == [code]


def test_the_more_frequent_of_two_languages_is_the_first() -> None:
    german, english = GERMAN.split(), ENGLISH.replace(",", "").split()
    assert languages_of_words([*german, *english]) == ["de", "en"]
    assert languages_of_words([*english, *german]) == ["en", "de"]


def test_rare_words_tell_nothing() -> None:
    assert languages_of_words([*map(str, range(10_000)), *ENGLISH.split()]) == []
    assert languages_of_words(["def", "self", "return", "import", "the", "this"]) == []
    assert languages_of_words([]) == []


def learned(kind: str, texts: list[str], folder: Path) -> SubwordTokenizer:
    path = folder / "texts.txt"
    path.write_text("\n".join(texts * 20) + "\n", encoding="utf-8")
    return learn_subwords(kind, {"vocab_size": 400}, Corpus(str(path)))
