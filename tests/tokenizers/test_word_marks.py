from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from foretext.base.errors import SettingError
from foretext.corpus import Corpus
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.tokenizers.subwords import learn_subwords
from tokenizers import Tokenizer, decoders, models

TEXT = "The cats sat there, on the mats; don't chase (black) rats. 猫在那里。\n" * 3


def words(tokenizer: SubwordTokenizer, text: str) -> list[str]:
    ids = np.array(tokenizer.encode(text))
    starts = np.flatnonzero(tokenizer.word_marks.starts(ids))
    return [tokenizer.decode(part).strip() for part in np.split(ids, starts[1:])]


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        ("wordpiece", {"vocab_size": 60, "lowercase": False}),
        ("bpe", {"vocab_size": 275}),
        ("bpe", {"vocab_size": 65, "level": "character"}),
        ("unigram", {"vocab_size": 60}),
    ],
)
def test_words_begin_where_the_marks_say(
    kind: str, settings: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "text.txt").write_text(TEXT, encoding="utf-8")
    tokenizer = learn_subwords(kind, settings, Corpus(tmp_path / "text.txt"))
    text = "The black cats, (rats) sat."
    assert len(tokenizer.encode(text)) > 9
    found = [word for word in words(tokenizer, text) if word]  # a blank can be a token by itself
    assert found == ["The", "black", "cats", ",", "(", "rats", ")", "sat", "."]


def test_each_han_character_is_a_word(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text(TEXT, encoding="utf-8")
    tokenizer = learn_subwords("wordpiece", {"vocab_size": 90}, Corpus(tmp_path / "text.txt"))
    assert words(tokenizer, "那猫cats在。") == ["那", "猫", "cats", "在", "。"]


def test_a_piece_of_a_han_character_opens_a_word() -> None:
    library = Tokenizer(models.BPE({"ä¸": 0, "Ń": 1, "Ģ": 2, "ä¸Ģ": 3, "x": 4, ",": 5}, []))
    library.decoder = decoders.ByteLevel()
    marks = SubwordTokenizer(library).word_marks
    assert marks.opens.tolist() == [True, False, False, True, False, True]
    assert marks.closes.tolist() == [False, False, False, True, False, True]


def test_tables_of_rows() -> None:
    vocabulary = ["[UNK]", "cat", "##s", "sat", "猫"]
    library = Tokenizer(models.WordPiece({t: i for i, t in enumerate(vocabulary)}))
    tokenizer = SubwordTokenizer(library)
    assert tokenizer.word_starts.tolist() == [True, True, False, True, True]
    ids = np.array([[2, 2, 1], [1, 2, 3]])
    assert tokenizer.word_marks.starts(ids).tolist() == [[True, False, True], [True, False, True]]


def test_whole_words_have_no_marks_to_need() -> None:
    library = Tokenizer(models.WordLevel({"[UNK]": 0, "cat": 1}, unk_token="[UNK]"))
    assert SubwordTokenizer(library).word_starts.tolist() == [True, True]


def test_tokens_without_marks_are_refused() -> None:
    tokenizer = SubwordTokenizer(Tokenizer(models.BPE({"a": 0, "b": 1}, [])))
    with pytest.raises(SettingError, match=r"^This tokenizer does not mark where words begin; "):
        _ = tokenizer.word_starts


def test_marks_of_ends_alone_are_no_table_of_starts() -> None:
    library = Tokenizer(models.BPE({"a": 0, "b</w>": 1}, [], end_of_word_suffix="</w>"))
    tokenizer = SubwordTokenizer(library)
    starts = tokenizer.word_marks.starts(np.array([0, 1, 0, 0, 1, 1]))
    assert starts.tolist() == [True, False, True, False, False, True]
    with pytest.raises(SettingError, match=r"^This tokenizer marks only the ends of words; "):
        _ = tokenizer.word_starts
