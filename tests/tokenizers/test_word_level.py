"""Whole words with special tokens: as the library's trainer learns them, and in text like PTB's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from foretext.base.errors import SettingError
from foretext.corpus import Corpus
from foretext.corpus.pre_tokenizers import PreTokenizer, PreTokenizerKind
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.tokenizers.subwords import DEFAULT_SPECIAL_TOKENS, learn_subwords
from foretext.tokenizers.word_level import with_words
from tokenizers import Tokenizer, models, trainers

TEXT = "\n".join(
    [
        'The "cat" sat on the mat; the other cats sat there, too.',
        "It wasn't theirs, they'd said: That's the mat's cat.",
        "東京は日本の首都です。東京都は広い。",
        *(f"A cat chased {n} rats that ate the hats of the cats." for n in range(9)),
    ]
)
PTB = "the <unk> of N men said <unk> N\nno the men of N said so\n"


def learned(tmp_path: Path, text: str, **settings: Any) -> SubwordTokenizer:
    (tmp_path / "text.txt").write_text(text, encoding="utf-8")
    return learn_subwords("word", settings, Corpus(tmp_path / "text.txt"))


@pytest.mark.parametrize("kind", ["whitespace", "basic_english", "unicode_words"])
@pytest.mark.parametrize("lowercase", [True, False])
def test_the_librarys_trainer_learns_the_same(
    kind: PreTokenizerKind, lowercase: bool, tmp_path: Path
) -> None:
    settings = {"pre_tokenizer": kind, "lowercase": lowercase, "vocab_size": 25}
    tokenizer = learned(tmp_path, TEXT, **settings)
    words = PreTokenizer(kind, lowercase=lowercase)
    library = Tokenizer(models.WordLevel(unk_token="[UNK]"))
    library.normalizer = words.library_normalizer()
    library.pre_tokenizer = words.library_pre_tokenizer()
    trainer = trainers.WordLevelTrainer(
        vocab_size=25, min_frequency=2, special_tokens=DEFAULT_SPECIAL_TOKENS, show_progress=False
    )
    library.train_from_iterator(TEXT.split("\n"), trainer)
    assert tokenizer.library.get_vocab() == library.get_vocab()
    for line in [*TEXT.split("\n"), "[CLS] unseen words [MASK]"]:
        assert tokenizer.encode(line) == library.encode(line, add_special_tokens=False).ids


def test_text_that_is_tokenised_already(tmp_path: Path) -> None:
    as_it_is = {"pre_tokenizer": "whitespace", "lowercase": False}
    tokenizer = learned(tmp_path, PTB, special_tokens=["<unk>", "<eos>"], **as_it_is)
    assert tokenizer.tokens == ["<unk>", "<eos>", "N", "men", "of", "said", "the"]
    assert (tokenizer.special.unknown, tokenizer.special.end) == (0, 1)
    assert tokenizer.encode("the <unk> of new men") == [6, 0, 4, 0, 3]
    assert tokenizer.decode([6, 0, 4]) == "the <unk> of"
    assert tokenizer.expects_unknown


def test_an_unknown_token_is_added(tmp_path: Path) -> None:
    tokenizer = learned(tmp_path, TEXT, special_tokens=["<|endoftext|>"])
    assert tokenizer.tokens[:2] == ["<|endoftext|>", "[UNK]"]
    assert tokenizer.special.unknown == 1


def test_template_of_bert(tmp_path: Path) -> None:
    encoding = learned(tmp_path, TEXT).library.encode("the cat", "sat")
    assert encoding.tokens == ["[CLS]", "the", "cat", "[SEP]", "sat", "[SEP]"]
    assert encoding.type_ids == [0, 0, 0, 0, 1, 1]


def test_every_word_begins_a_word(tmp_path: Path) -> None:
    tokenizer = learned(tmp_path, TEXT)
    assert tokenizer.word_starts.all()


def test_no_room_for_a_word(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match=r"^vocab_size = 5 has no room for a word beside the sp"):
        learned(tmp_path, TEXT, vocab_size=5)


def test_more_words_leave_the_ids_of_the_others(tmp_path: Path) -> None:
    tokenizer = learned(tmp_path, TEXT, pre_tokenizer="whitespace", lowercase=False, min_count=1)
    wider = with_words(tokenizer, ["zebra", "cat", "two words", "", "zebra", "Ägypten"])
    assert wider.tokens == [*tokenizer.tokens, "zebra", "Ägypten"]
    assert wider.special == tokenizer.special
    text = "The cat sat on the zebra"
    assert wider.encode(text)[:-1] == tokenizer.encode(text)[:-1]
    assert wider.encode("zebra") == [tokenizer.vocab_size]
    wider.save(tmp_path / "tokenizer.json")
    assert SubwordTokenizer.load(tmp_path / "tokenizer.json").tokens == wider.tokens
