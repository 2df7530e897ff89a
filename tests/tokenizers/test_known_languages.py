"""Languages that a vocabulary knows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from foretext.corpus import Corpus
from foretext.tokenizers.known_languages import languages_of_tokenizer, languages_of_words
from foretext.tokenizers.subwords import learn_subwords
from foretext.tokenizers.vocabulary import Vocabulary
from foretext.tokenizers.word_tokenizer import WordTokenizer

ENGLISH = "he has lived here for three years, and this is the first time that we see the house"
CHINESE = "这里的历史让我们发现这个国家的文化和人民"


@pytest.mark.parametrize("kind", ["wordpiece", "bpe"])
@pytest.mark.parametrize(
    ("texts", "languages"), [([ENGLISH], ["en"]), ([CHINESE], ["zh"]), (["ein Haus am See"], [])]
)
def test_a_vocabulary_knows_the_language_that_it_was_learned_from(
    kind: str, texts: list[str], languages: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "texts.txt"
    path.write_text("\n".join(texts * 20) + "\n", encoding="utf-8")
    tokenizer = learn_subwords(kind, {"vocab_size": 400}, Corpus(str(path)))
    assert languages_of_tokenizer(tokenizer) == languages


def test_a_tagger_of_characters_knows_the_language_of_its_rows() -> None:
    words = list(dict.fromkeys(["[UNK]", *CHINESE, "the", "has"]))
    vocabulary = Vocabulary(words, np.ones(len(words), np.int64))
    tokenizer = WordTokenizer(WordTokenizer.Config(pre_tokenizer="whitespace"), vocabulary)
    assert languages_of_tokenizer(tokenizer) == ["zh"]


def test_the_commonest_word_tells_the_language_of_words() -> None:
    assert languages_of_words(["of", "the", "city"]) == ["en"]
    assert languages_of_words(["的", "年", "the"]) == ["zh", "en"]
    assert languages_of_words([*map(str, range(200)), "the"]) == []
