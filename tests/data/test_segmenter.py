"""Words and entities that are marked while a text is encoded."""

from __future__ import annotations

import hashlib
import json
import lzma
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from foretext.base.errors import CorpusError, SettingError
from foretext.corpus.chinese_words import separate_words
from foretext.corpus.pre_tokenizers import HAN
from foretext.data import TokenFile, Tokens, write_tokens
from foretext.data.segmenter import Segmenter
from foretext.data.token_file import ENTITY, NAMED, WORD, num_entities, unit_bits
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.tokenizers.subwords import learn_subwords

HAN_WORD = re.compile(f"[{HAN}]+")
CHINESE = "小明毕业于清华大学，现在在北京工作。\n北京大学在北京。\n\n我们喜欢自然语言处理！\n"
ENGLISH = "The Bank of England, New York.\nA new (New York) times new\n\nYork New York Times\n"


class Text:
    """A corpus in memory; a block for each of its texts, or one for all."""

    bytes_read = 0

    def __init__(self, *texts: str, in_one: bool = False) -> None:
        self.texts = ["".join(texts)] if in_one else list(texts)
        self.fingerprint = hashlib.sha256("".join(texts).encode()).hexdigest()

    def blocks(self, size: int = 0) -> Iterator[str]:
        yield from self.texts


@pytest.fixture(scope="module")
def chinese() -> SubwordTokenizer:
    return learn_subwords("wordpiece", {"vocab_size": 200, "min_count": 1}, Text(CHINESE * 3))


def english(kind: str) -> SubwordTokenizer:
    settings = {"vocab_size": 320 if kind == "bpe" else 90}
    return learn_subwords(kind, settings, Text(ENGLISH * 3))


def names(folder: Path, *entities: str) -> Path:
    path = folder / "names.txt"
    path.write_text("\n".join(entities), encoding="utf-8")
    return path


def shown(tokenizer: SubwordTokenizer, tokens: TokenFile) -> str:
    """The tokens, with | before a word, / before a unit of entities and * at a named token."""
    assert tokens.units is not None
    marks = {WORD: "|", ENTITY: "/", NAMED: "*"}
    return " ".join(
        "".join(mark for bit, mark in marks.items() if bits & bit) + tokenizer.tokens[token]
        for token, bits in zip(tokens.ids, tokens.units, strict=True)
    )


def test_chinese_words_and_entities(chinese: SubwordTokenizer, tmp_path: Path) -> None:
    pytest.importorskip("jieba")
    path = names(tmp_path, "北京", "北京大学", "学，现", "大学")
    segmenter = Segmenter(chinese, words="jieba", entities=path)
    tokens = write_tokens(
        Text("北京大学在北京。现在的清华大学\n大学，现在\n\n"),
        chinese,
        tmp_path / "tokens",
        segmenter=segmenter,
    ).train
    # jieba knows 北京大学, 清华大学 and 现在; an entity may be a part of a word, and go beyond one
    assert shown(chinese, tokens) == (
        "|/*北 *京 *大 *学 |/在 |/*北 *京 |/。 |/现 在 |/[UNK] |/清 华 /*大 *学 "
        "|/*大 *学 |/， |/现 在"
    )
    assert num_entities(tokens.units) == 4


@pytest.mark.parametrize("kind", ["wordpiece", "bpe", "unigram"])
def test_entities_of_other_scripts(kind: str, tmp_path: Path) -> None:
    tokenizer = english(kind)
    segmenter = Segmenter(tokenizer, entities=names(tmp_path, "New York", "New York Times"))
    tokens = write_tokens(Text(ENGLISH), tokenizer, tmp_path / "tokens", segmenter=segmenter).train
    assert tokens.units is not None
    begins = np.flatnonzero(tokens.units & ENTITY)
    parts = np.split(tokens.ids, begins[1:])
    named = [
        tokenizer.decode(part).strip().lower()
        for part, begin in zip(parts, begins, strict=True)
        if tokens.units[begin] & NAMED
    ]
    in_brackets = [] if kind == "unigram" else ["new york"]  # there its tokens are others
    assert named == ["new york", *in_brackets, "new york times"]


def test_bits_worked_example() -> None:
    words = np.array([1, 0, 1, 1, 0, 0, 1, 1], np.bool_)
    lengths = np.array([0, 0, 2, 0, 0, 0, 1, 1], np.int32)  # the first one ends within a word
    assert unit_bits(words, lengths).tolist() == [3, 0, 7, 5, 2, 0, 7, 7]
    assert num_entities(unit_bits(words, lengths)) == 3
    assert unit_bits(words[:0], lengths[:0]).tolist() == []


def test_an_entity_with_an_unknown_character_is_nowhere(
    chinese: SubwordTokenizer, tmp_path: Path
) -> None:
    segmenter = Segmenter(chinese, entities=names(tmp_path, "鑫"))
    tokens = write_tokens(Text("森 鑫\n\n"), chinese, tmp_path / "tokens", segmenter=segmenter)
    assert tokens.train.units is not None
    assert num_entities(tokens.train.units) == 0


def test_ids_blocks_and_threads_change_nothing(chinese: SubwordTokenizer, tmp_path: Path) -> None:
    pytest.importorskip("jieba")
    segmenter = Segmenter(chinese, words="jieba", entities=names(tmp_path, "北京"))
    blocks = [CHINESE + "\n"] * 40
    text = Text(*blocks, in_one=True)
    wanted = write_tokens(text, chinese, tmp_path / "one", valid_rate=0.2, segmenter=segmenter)
    found = write_tokens(
        Text(*blocks),
        chinese,
        tmp_path / "two",
        valid_rate=0.2,
        workers=2,
        segmenter=segmenter,
    )
    plain = write_tokens(text, chinese, tmp_path / "plain", valid_rate=0.2)
    for part, other, without in zip(wanted, found, plain, strict=True):
        assert part is not None
        assert other is not None
        assert without is not None
        assert np.array_equal(part.ids, without.ids)
        assert np.array_equal(part.ids, other.ids)
        assert np.array_equal(part.units, other.units)
        assert without.units is None


@pytest.mark.slow
def test_a_long_text_with_a_lone_surrogate_is_marked(chinese: SubwordTokenizer) -> None:
    pytest.importorskip("jieba")
    segmenter = Segmenter(chinese, words="jieba")
    with segmenter.opened() as encode:
        plain, odd = encode(CHINESE * 1000), encode(CHINESE * 1000 + "\ud800\n")
    assert plain.units is not None
    assert odd.units is not None
    assert len(odd.units) == len(odd.block.ids) == len(plain.units) + 1
    assert np.array_equal(odd.units[:-1], plain.units)


def test_another_list_is_encoded_again(chinese: SubwordTokenizer, tmp_path: Path) -> None:
    folder, text = tmp_path / "tokens", Text(CHINESE)

    def encoded(*entities: str) -> Tokens:
        path = names(tmp_path, *entities)
        return write_tokens(text, chinese, folder, segmenter=Segmenter(chinese, entities=path))

    made = encoded("北京", "大学").train.folder / "meta.json"
    first = made.stat().st_mtime_ns
    encoded("大学", "北京", "北京")
    assert made.stat().st_mtime_ns == first
    other = encoded("北京").train
    assert made.stat().st_mtime_ns != first
    segmenter = Segmenter(chinese, entities=tmp_path / "names.txt")
    segmenter.check(other)
    names(tmp_path, "大学")
    with pytest.raises(CorpusError, match=r"names.txt has changed since .* bring it back"):
        Segmenter(chinese, entities=tmp_path / "names.txt").check(other)


def test_a_tokenizer_without_marks_is_refused(tmp_path: Path) -> None:
    from tokenizers import Tokenizer, models

    tokenizer = SubwordTokenizer(Tokenizer(models.BPE({"a": 0, "b": 1}, [])))
    with pytest.raises(SettingError, match="does not mark where words begin"):
        Segmenter(tokenizer, entities=names(tmp_path, "a b"))


def test_damaged_units_are_one_sentence(chinese: SubwordTokenizer, tmp_path: Path) -> None:
    segmenter = Segmenter(chinese, entities=names(tmp_path, "北京"))
    folder = tmp_path / "tokens"
    write_tokens(Text(CHINESE), chinese, folder, segmenter=segmenter)
    units = folder / "train" / "units.bin"
    content = units.read_bytes()
    assert json.loads((folder / "train" / "meta.json").read_text())["checksums"]["units"]
    damages = {
        content[:-1]: r"units.bin is damaged: it has \d+ bytes instead of",
        b"\x08" + content[1:]: "units.bin is damaged: 8 stands for no unit",
        b"\x00" + content[1:]: "units.bin is damaged: its bytes are not those",
    }
    for damaged, sentence in damages.items():
        units.write_bytes(damaged)
        with pytest.raises(CorpusError, match=sentence):
            Tokens.open(folder)
    units.unlink()
    with pytest.raises(CorpusError, match=r"units.bin is damaged"):
        Tokens.open(folder)


@pytest.mark.slow
@pytest.mark.shared_data
def test_words_of_real_chinese_are_those_that_jieba_writes(shared_data: Path) -> None:
    pytest.importorskip("jieba")
    with lzma.open(shared_data / "zhwiki" / "zhwiki.txt.xz", "rt", encoding="utf-8") as file:
        text = file.read(60_000)
    settings = {"vocab_size": 8000, "limit_alphabet": None}
    tokenizer = learn_subwords("wordpiece", settings, Text(text))
    with Segmenter(tokenizer, words="jieba").opened() as encode:
        block, units = encode(text)
    assert units is not None
    begins = np.flatnonzero(units & WORD)
    found = {
        "".join(tokenizer.tokens[token].removeprefix("##") for token in word)
        for word in np.split(block.ids, begins[1:])
    }
    written = {word for word in separate_words(text).split() if HAN_WORD.fullmatch(word)}
    assert len(written) > 3_000
    assert written <= found
    assert 0.5 < len(begins) / len(block.ids) < 0.75
