from __future__ import annotations

import unicodedata
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foretext.corpus import Corpus
from foretext.tokenizers.base import EncodedBlock
from foretext.tokenizers.subword_tokenizer import MANY, SubwordTokenizer
from foretext.tokenizers.subwords import DEFAULT_SPECIAL_TOKENS, learn_subwords
from foretext.tokenizers.word_encoder import WordEncoder
from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers

TEXT = """The cat sat on the mat; the other cats sat there too. Déjà vu, ça va?
It wasn't theirs, they'd said: "That's the mat's cat."

東京は日本の首都です。東京都は広い。İstanbul ΣΑΣ 한국어
""" + "\n".join(f"A cat chased {n} rats that ate the hats of the cats." for n in range(40))
SETTINGS: dict[str, dict[str, Any]] = {
    "wordpiece": {"vocab_size": 200},
    "wordpiece cased": {"vocab_size": 220, "lowercase": False, "limit_alphabet": 60},
    "bpe": {"vocab_size": 330},
    "bpe lowercase": {"vocab_size": 330, "lowercase": True},
    "bpe characters": {"vocab_size": 200, "level": "character", "limit_alphabet": 70},
    "word": {"vocab_size": 60},
    "word cased": {"vocab_size": 60, "lowercase": False, "pre_tokenizer": "whitespace"},
    "word english": {"vocab_size": 60, "pre_tokenizer": "basic_english"},
    "word chinese": {"vocab_size": 60, "pre_tokenizer": "chinese_characters"},
    "bpe whitespace": {"vocab_size": 200, "level": "character", "words": "whitespace"},
}
LINES = st.lists(
    st.text(
        st.one_of(
            st.sampled_from("catsmehTA '.,é東京한İΣß\u0301\u00ad\u3000\t\x85\r\u2028�"),
            st.characters(exclude_categories=["Cs", "Cn", "Co"]),
        ),
        max_size=20,
    ),
    max_size=6,
)


@pytest.fixture(scope="module", params=SETTINGS)
def tokenizer(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    path = tmp_path_factory.mktemp("corpus") / "text.txt"
    path.write_text(TEXT, encoding="utf-8")
    return learn_subwords(request.param.split()[0], SETTINGS[request.param], Corpus(path))


@pytest.fixture(scope="module")
def encoder(tokenizer: SubwordTokenizer) -> WordEncoder:
    found = WordEncoder.of(tokenizer.library)
    assert found is not None
    return found


def sentences(tokenizer: SubwordTokenizer, text: str) -> list[list[int]]:
    """As the library encodes them, one by one."""
    return [ids for line in text.split("\n") if (ids := tokenizer.encode(line))]


def cut(block: EncodedBlock) -> list[list[int]]:
    parts = np.split(block.ids, block.sentence_starts[1:])
    return [part.tolist() for part in parts if part.size]


@pytest.mark.quick_cases(4)
@given(lines=LINES)
def test_ids_are_those_of_the_library(
    tokenizer: SubwordTokenizer, encoder: WordEncoder, lines: list[str]
) -> None:
    text = "\n".join(lines)
    block = encoder.encode(text)
    if block is None:
        moving = any(unicodedata.category(character) in ("Mc", "Me") for character in text)
        assert moving or any(name in text for name in DEFAULT_SPECIAL_TOKENS)
    else:
        assert cut(block) == sentences(tokenizer, text)


def test_a_long_block_goes_by_words(tokenizer: SubwordTokenizer) -> None:
    text = (TEXT + "\n\n") * (MANY // len(TEXT) + 1)
    block = tokenizer.encode_block(text)
    assert cut(block) == sentences(tokenizer, text)
    assert block.ids.tolist() == [i for ids in sentences(tokenizer, text) for i in ids]
    short = tokenizer.encode_block(TEXT)
    repeats = len(text) // (len(TEXT) + 2)
    ends = short.ids.size * np.arange(repeats)[:, None]
    assert (block.document_starts == (ends + short.document_starts).ravel()).all()
    assert (block.sentence_starts == (ends + short.sentence_starts).ravel()).all()


@pytest.mark.parametrize("odd", ["a [MASK] b", "a" * 1001 + "\n", "a \U0001d16d\U0001d165 b"])
def test_what_words_cannot_tell_is_left_to_the_library(
    tokenizer: SubwordTokenizer, encoder: WordEncoder, odd: str
) -> None:
    assert encoder.encode(odd) is None
    text = TEXT * (MANY // len(TEXT) + 1) + odd
    assert cut(tokenizer.encode_block(text)) == sentences(tokenizer, text)
    assert encoder.encode("the cat") is not None


def test_words_are_forgotten_where_there_are_too_many(
    tokenizer: SubwordTokenizer, encoder: WordEncoder
) -> None:
    small = WordEncoder(encoder.splitter, tokenizer.library, max_words=8)
    for text in ("the cat sat on the mat", "the other cats sat there too", "the cat"):
        block = small.encode(text)
        assert block is not None
        assert block.ids.tolist() == tokenizer.encode(text)
    assert small.encode("a b c d e f g h i j") is None
    assert small.encode("the cat") is not None


@pytest.mark.quick_cases(5)
def test_threads_share_what_is_known(tokenizer: SubwordTokenizer, encoder: WordEncoder) -> None:
    shared = WordEncoder(encoder.splitter, tokenizer.library)
    texts = [" ".join(f"cat{n * k} rat{n}" for n in range(300)) for k in range(40)]
    with ThreadPoolExecutor(4) as pool:
        blocks = list(pool.map(shared.encode, texts))
    for block, text in zip(blocks, texts, strict=True):
        assert block is not None
        assert block.ids.tolist() == tokenizer.encode(text)


def word_level(**parts: Any) -> Tokenizer:
    """A tokenizer for which words would do, but for the parts given."""
    library = Tokenizer(models.BPE({"a": 0}, []))
    library.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    for name, part in parts.items():
        setattr(library, name, part)
    return library


def test_where_words_do_not_stand_alone() -> None:
    assert WordEncoder.of(word_level()) is not None
    for parts in (
        {"pre_tokenizer": pre_tokenizers.Metaspace()},
        {"pre_tokenizer": pre_tokenizers.ByteLevel(add_prefix_space=True)},
        {"pre_tokenizer": pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)},
        {"normalizer": normalizers.NFD()},
        {"model": models.BPE({"a": 0}, [], dropout=0.5)},
        {"model": models.Unigram([("a", 0.0)])},
    ):
        assert WordEncoder.of(word_level(**parts)) is None
    shortened = word_level()
    shortened.enable_truncation(5)
    assert WordEncoder.of(shortened) is None
    added = word_level()
    added.add_tokens([AddedToken("cat", normalized=True)])
    assert WordEncoder.of(added) is None
