from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foretext.base.errors import CorpusError, SettingError
from foretext.corpus import Corpus
from foretext.tokenizers.bpe import BPE
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.tokenizers.subwords import DEFAULT_SPECIAL_TOKENS, SUBWORDS, learn_subwords
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

TEXT = """The cat sat on the mat; the other cats sat there too.
It wasn't theirs, they'd said: "That's the mat's cat."

東京は日本の首都です。東京都は広い。
北京是中国的首都,北京很大。
""" + "\n".join(f"A cat chased {n} rats that ate the hats of the cats." for n in range(40))
SETTINGS: dict[str, dict[str, Any]] = {
    "bpe": {"vocab_size": 320},
    "bpe-character": {"level": "character", "vocab_size": 160},
    "wordpiece": {"vocab_size": 160},
    "unigram": {"vocab_size": 160},
    "word": {"vocab_size": 40},
}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    path = tmp_path_factory.mktemp("corpus") / "text.txt"
    path.write_text(TEXT, encoding="utf-8")
    return Corpus(path)


@pytest.fixture(scope="module", params=SETTINGS)
def tokenizer(request: pytest.FixtureRequest, corpus: Corpus) -> SubwordTokenizer:
    return learn_subwords(request.param.partition("-")[0], SETTINGS[request.param], corpus)


@pytest.fixture(scope="module")
def byte_bpe(corpus: Corpus) -> SubwordTokenizer:
    return learn_subwords("bpe", SETTINGS["bpe"], corpus)


def test_special_tokens_come_first_and_are_found_in_text(tokenizer: SubwordTokenizer) -> None:
    assert tokenizer.tokens[:5] == DEFAULT_SPECIAL_TOKENS
    assert 4 in tokenizer.encode("the [MASK] sat")
    assert tokenizer.vocab_size == len(tokenizer.tokens) <= 320


@pytest.mark.parametrize("kind", SETTINGS)
def test_sentinels_follow_the_special_tokens(kind: str, corpus: Corpus) -> None:
    special = ["<pad>", "</s>", "<unk>"]
    settings = {**SETTINGS[kind], "special_tokens": special, "num_sentinels": 3}
    learned = learn_subwords(kind.partition("-")[0], settings, corpus)
    sentinels = ["<extra_id_0>", "<extra_id_1>", "<extra_id_2>"]
    assert learned.tokens[:6] == [*special, *sentinels]
    assert learned.special.sentinels == (3, 4, 5)
    assert not learned.ordinary[:6].any()
    assert learned.ordinary[6:].all()
    ids = learned.encode("the <extra_id_1> sat on <extra_id_0>")
    assert [index for index in ids if 3 <= index < 6] == [4, 3]
    assert learned.vocab_size == len(learned.tokens) <= settings["vocab_size"]


def test_saved_file_is_the_librarys(tokenizer: SubwordTokenizer, tmp_path: Path) -> None:
    tokenizer.save(tmp_path / "tokenizer.json")
    library = Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    for line in TEXT.split("\n"):
        assert library.encode(line, add_special_tokens=False).ids == tokenizer.encode(line)
    loaded = SubwordTokenizer.load(tmp_path / "tokenizer.json")
    assert loaded == tokenizer
    assert loaded.fingerprint == tokenizer.fingerprint


def test_a_file_that_cuts_texts_does_not_cut_ours(corpus: Corpus, tmp_path: Path) -> None:
    tokenizer = learn_subwords("wordpiece", SETTINGS["wordpiece"], corpus)
    whole = tokenizer.encode(TEXT)
    tokenizer.library.enable_truncation(5)
    tokenizer.library.enable_padding(length=5)
    tokenizer.save(tmp_path / "tokenizer.json")
    assert SubwordTokenizer.load(tmp_path / "tokenizer.json").encode(TEXT) == whole


def test_a_block_is_its_sentences(tokenizer: SubwordTokenizer) -> None:
    block = tokenizer.encode_block("The cat.\nIt sat.\n\n \n\nThe mat.\n\n")
    first, second, third = tokenizer.encode_batch(["The cat.", "It sat.", "The mat."])
    blank = tokenizer.encode(" ")
    assert block.ids.tolist() == first + second + blank + third
    at = np.cumsum([0, len(first), len(second), len(blank)])
    documents = [0, at[2], at[3]] if blank else [0, at[2]]
    assert block.sentence_starts.tolist() == sorted({*at.tolist()})
    assert block.document_starts.tolist() == documents


def test_threads_do_not_change_what_is_learned(corpus: Corpus) -> None:
    for kind in ("bpe", "wordpiece"):
        one, two = (
            learn_subwords(kind, SETTINGS[kind], corpus, workers=workers) for workers in (1, 2)
        )
        assert one == two


@given(st.text(max_size=60))
def test_byte_level_loses_nothing(byte_bpe: SubwordTokenizer, text: str) -> None:
    text = text.encode("utf-8", "replace").decode()
    assert byte_bpe.decode(byte_bpe.encode(text)) == text


def test_byte_level_is_the_librarys(corpus: Corpus, byte_bpe: SubwordTokenizer) -> None:
    library = Tokenizer(models.BPE())
    library.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=320,
        min_frequency=2,
        special_tokens=DEFAULT_SPECIAL_TOKENS,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    sentences = [line for document in corpus for line in document.split("\n")]
    library.train_from_iterator(sentences, trainer)
    assert json.loads(library.to_str())["model"] == json.loads(byte_bpe.library.to_str())["model"]


def test_character_level(corpus: Corpus) -> None:
    tokenizer = learn_subwords("bpe", SETTINGS["bpe-character"], corpus)
    assert "cat</w>" in tokenizer.tokens
    assert tokenizer.decode(tokenizer.encode("the cats sat")) == "the cats sat"
    assert tokenizer.encode("Ж") == [1]


def test_the_alphabet_keeps_what_is_frequent(corpus: Corpus) -> None:
    settings = {"level": "character", "vocab_size": 60, "limit_alphabet": 20}
    tokenizer = learn_subwords("bpe", settings, corpus)
    characters = [token for token in tokenizer.tokens[5:] if len(token) == 1]
    assert len(characters) == 20
    assert "t" in characters
    assert "広" not in characters


def test_an_own_mark_of_the_end_of_a_word(corpus: Corpus) -> None:
    settings = {"level": "character", "vocab_size": 160, "end_of_word": "_", "words": "whitespace"}
    tokenizer = learn_subwords("bpe", settings, corpus)
    assert "cat_" in tokenizer.tokens
    assert tokenizer.decode(tokenizer.encode("The cat sat")) == "The cat sat"


def test_wordpiece(corpus: Corpus) -> None:
    tokenizer = learn_subwords("wordpiece", SETTINGS["wordpiece"], corpus)
    assert [tokenizer.tokens[i] for i in tokenizer.encode("Cats 東京")] == ["cats", "東", "京"]
    assert any(token.startswith("##") for token in tokenizer.tokens)
    encoding = tokenizer.library.encode("cats", "sat")
    assert (encoding.tokens[0], encoding.tokens[-1]) == ("[CLS]", "[SEP]")
    assert encoding.type_ids[0] == 0
    assert encoding.type_ids[-1] == 1


def test_tokens_are_no_longer_than_asked(corpus: Corpus) -> None:
    for kind, settings in (("bpe", {"vocab_size": 320}), ("wordpiece", {"vocab_size": 160})):
        tokenizer = learn_subwords(kind, {**settings, "max_token_length": 3}, corpus)
        lengths = {len(token.removeprefix("##")) for token in tokenizer.tokens[5:]}
        assert max(lengths) == 3


def test_lower_case(corpus: Corpus) -> None:
    for settings in (SETTINGS["bpe"], SETTINGS["bpe-character"]):
        tokenizer = learn_subwords("bpe", {**settings, "lowercase": True}, corpus)
        assert tokenizer.encode("THE CAT") == tokenizer.encode("the cat")


@pytest.mark.parametrize(
    ("kind", "settings", "sentence"),
    [
        ("pbe", {}, "'pbe' is no kind of sub-word tokenizer. Did you mean 'bpe'?"),
        (
            "x",
            {},
            "'x' is no kind of sub-word tokenizer. There are: bpe, wordpiece, unigram, word.",
        ),
        (
            "bpe",
            {"vocab_siz": 9},
            "[tokenizer] vocab_siz: there is no such setting. Did you mean 'vocab_size'?",
        ),
        (
            "bpe",
            {"limit_alphabet": 9},
            "[tokenizer] limit_alphabet has no effect on level = 'byte'.",
        ),
        (
            "bpe",
            {"level": "character", "special_tokens": []},
            "[tokenizer] level = 'character' needs '[UNK]' among its special_tokens.",
        ),
        (
            "wordpiece",
            {"special_tokens": ["[PAD]"]},
            "[tokenizer] WordPiece needs '[UNK]' among its special_tokens.",
        ),
        (
            "unigram",
            {"special_tokens": ["[PAD]"]},
            "[tokenizer] Unigram needs '[UNK]' among its special_tokens.",
        ),
        (
            "bpe",
            {"vocab_size": 100},
            "vocab_size = 100 has no room for the special tokens (5) and the alphabet "
            "(256 symbols); set it to more than 261.",
        ),
    ],
)
def test_settings_that_cannot_be(
    kind: str, settings: dict[str, Any], sentence: str, corpus: Corpus
) -> None:
    with pytest.raises(SettingError) as error:
        learn_subwords(kind, settings, corpus)
    assert str(error.value) == sentence


def test_unigram_has_room_for_the_alphabet(corpus: Corpus) -> None:
    with pytest.raises(SettingError, match=r"^vocab_size = 10 does not suit .*; raise it\.$"):
        learn_subwords("unigram", {"vocab_size": 10}, corpus)


def test_unigram_leaves_rare_characters_out_where_they_fill_the_vocabulary(tmp_path: Path) -> None:
    common = "".join(chr(0x4E00 + place) for place in range(50))
    rare = "".join(chr(0x5E00 + place) for place in range(200))
    path = tmp_path / "text.txt"
    path.write_text(f"{common}\n" * 20 + rare + "\n", encoding="utf-8")
    unigram = learn_subwords("unigram", {"vocab_size": 120}, Corpus(path))
    assert set(common) <= set("".join(unigram.tokens))
    unknown = unigram.tokens.index("[UNK]")
    assert unknown not in unigram.encode(common)
    assert unknown in unigram.encode(rare[-1])
    with pytest.raises(SettingError, match="does not suit this text"):
        learn_subwords("unigram", {"vocab_size": 120, "limit_alphabet": None}, Corpus(path))


@pytest.mark.parametrize("kind", SUBWORDS)
def test_an_empty_corpus(kind: str, tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text(" \n\n")
    with pytest.raises(CorpusError, match="there is no text in it"):
        learn_subwords(kind, {}, Corpus(tmp_path / "empty.txt"))


@pytest.mark.parametrize("content", ["{}", "no JSON", "[" * 100_000])
def test_a_file_that_is_no_tokenizer(content: str, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    with pytest.raises(CorpusError, match=r"tokenizer\.json is missing"):
        BPE.load(path)
    path.write_text(content)
    with pytest.raises(CorpusError, match=r"tokenizer\.json cannot be read as a tokenizer \("):
        BPE.load(path)


def test_progress_is_told_of_all_bytes(corpus: Corpus) -> None:
    class Bytes:
        total = 0.0

        def advance(self, amount: float) -> None:
            self.total += amount

        def stage(self, title: str) -> None:
            pass

    for kind in SUBWORDS:
        told = Bytes()
        learn_subwords(kind, SETTINGS[kind], corpus, progress=told)
        assert told.total == len(TEXT.encode())


def test_only_unigram_learns_from_a_part_of_a_long_text() -> None:
    sample = "the cat sees the dog\n" * 100  # 13 characters of distinct words in 2,100 bytes
    unigram = SUBWORDS.resolve("unigram")
    config = unigram.Config(sample_characters=1_400)
    assert unigram.learned_bytes(config, sample) == pytest.approx(2_100 * 1_400 / 13)
    assert SUBWORDS.resolve("bpe").learned_bytes(SUBWORDS.resolve("bpe").Config(), sample) is None
