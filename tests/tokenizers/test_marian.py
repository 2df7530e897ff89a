"""Marian's two files of SentencePiece and their vocabulary, against the class of `transformers`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from foretext.base.errors import CorpusError
from foretext.tokenizers.hf_files import load_hf_tokenizer, load_target_tokenizer
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tests.tokenizers.sentencepiece_writer import NORMAL_PIECES, model_bytes, piece_bytes

GERMAN = ["▁die", "▁Katze", "▁sa", "ß", "ü", "tt"]
CODES = [">>deu<<", ">>nld<<"]
TEXTS = [
    "the cat sat",
    "  The   cat, on a",
    "süe ßcats",
    ">>deu<< the cat",
    "日本 the",
    "",
    "a </s> b",
]
TARGETS = ["die Katze saß", "Katzett die", "the cat"]


def marian_folder(folder: Path, *, separate: bool = False) -> Path:
    """English and German pieces; the two languages' tokens have ids in one list, or in two."""
    english = ["</s>", "<unk>", *(text for text, _ in NORMAL_PIECES)]
    german = [*GERMAN, *CODES, "<pad>"]
    (folder / "source.spm").write_bytes(model_bytes("fairseq"))
    pieces = [piece_bytes(text, -3.0 - number / 8) for number, text in enumerate(GERMAN)]
    (folder / "target.spm").write_bytes(model_bytes("fairseq", more=pieces))
    vocabularies = {"vocab.json": [*english, *german]}
    if separate:
        vocabularies = {
            "vocab.json": ["</s>", "<unk>", "<pad>", *english[2:]],
            "target_vocab.json": ["</s>", "<unk>", "<pad>", *GERMAN, *english[2:]],
        }
    for name, tokens in vocabularies.items():
        content = {token: number for number, token in enumerate(tokens)}
        (folder / name).write_text(json.dumps(content), encoding="utf-8")
    settings = {"separate_vocabs": True} if separate else {}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    return folder


def target_of(folder: Path) -> SubwordTokenizer:
    found = load_target_tokenizer(folder)
    assert found is not None
    return found


@pytest.mark.filterwarnings("ignore:Recommended. pip install sacremoses")
@pytest.mark.parametrize("separate", [False, True])
def test_ids_are_those_of_their_class(separate: bool, tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    pytest.importorskip("sentencepiece")
    folder = marian_folder(tmp_path, separate=separate)
    source, target = load_hf_tokenizer(folder), target_of(folder)
    theirs: Any = transformers.MarianTokenizer.from_pretrained(folder)
    for text in TEXTS[: 3 if separate else None]:
        assert source.library.encode(text).ids == theirs(text)["input_ids"], text
    for text in TARGETS:
        ids = theirs(text_target=text)["input_ids"]
        assert target.library.encode(text).ids == ids, text
        assert target.decode(ids[:-1]) == theirs.decode(ids, skip_special_tokens=True)


def test_a_text_is_cut_into_tokens_of_its_own_side(tmp_path: Path) -> None:
    folder = marian_folder(tmp_path)
    source, target = load_hf_tokenizer(folder), target_of(folder)
    assert len(source.encode("die Katze")) > len(target.encode("die Katze")) == 2
    assert source.vocab_size == target.vocab_size
    written = source.tokens.index("▁sat")
    assert target.decode([*target.encode("die"), written]) == "die sat"


def test_characters_of_the_other_side_are_found_by_their_ids(tmp_path: Path) -> None:
    """As Marian looks up what its file of SentencePiece does not know."""
    source = load_hf_tokenizer(marian_folder(tmp_path))
    assert source.tokens[source.encode("a ß")[-1]] == "ß"
    assert source.encode("a 日")[-1] == source.special.unknown


def test_special_tokens_and_frame(tmp_path: Path) -> None:
    source = load_hf_tokenizer(marian_folder(tmp_path))
    special = source.special
    assert (special.end, special.unknown, special.pad) == (0, 1, source.vocab_size - 1)
    assert source.library.encode("a").tokens == ["▁a", "</s>"]
    assert source.tokens[source.encode(">>nld<< a")[0]] == ">>nld<<"


def test_a_saved_tokenizer_has_the_same_ids(tmp_path: Path) -> None:
    folder = marian_folder(tmp_path)
    target = target_of(folder)
    target.save(tmp_path / "kept.json")
    again = SubwordTokenizer.load(tmp_path / "kept.json")
    for text in TARGETS:
        assert again.encode(text) == target.encode(text)
        assert again.decode(again.encode(text)) == text


def test_other_folders_have_one_tokenizer(tmp_path: Path) -> None:
    assert load_target_tokenizer(tmp_path) is None


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("vocab.json", "{", r"vocab\.json is damaged"),
        ("vocab.json", '{"</s>": 0, "<unk>": 1, "<pad>": "2"}', r"vocab\.json is damaged"),
        ("vocab.json", "{}", "is no vocabulary: it has 0 tokens"),
        ("vocab.json", '{"</s>": 0, "<unk>": 1, "<pad>": 99999999}', "with ids up to 99,999,999"),
        ("vocab.json", '{"</s>": 0, "<unk>": -1, "<pad>": 2}', "is no vocabulary"),
        ("vocab.json", '{"</s>": 0, "<unk>": 0, "<pad>": 2}', "gives the same id to two tokens"),
        ("vocab.json", '{"</s>": 0, "<unk>": 1}', "has no token '<pad>'; take the files that bel"),
        ("source.spm", "no model", r"source\.spm cannot be read as a model of SentencePiece"),
    ],
)
def test_damaged_files(name: str, content: str, sentence: str, tmp_path: Path) -> None:
    folder = marian_folder(tmp_path)
    (folder / name).write_text(content)
    with pytest.raises(CorpusError, match=sentence):
        load_hf_tokenizer(folder)
