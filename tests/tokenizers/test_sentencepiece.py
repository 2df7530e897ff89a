"""Folders with a file of SentencePiece, against the converters of `transformers`."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from foretext.errors import CorpusError
from foretext.tokenizers.hf_files import load_hf_tokenizer
from foretext.tokenizers.sentencepiece_file import read_sentencepiece_file
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tests.tokenizers.sentencepiece_writer import field, model_bytes

TEXTS = [
    "the cat sat on the mat",
    "  The cat   costs 3,000 , or 9, or 19, ",
    "``The cats'' (sitting) on a\u3000café … .",
    "Crème brûlée 日本 😀",
    "",
]
KINDS = {  # file, tokens, the converter of transformers, and its settings
    "deberta": ("spm.model", "spm.model", "DebertaV2Converter", {"do_lower_case": False}),
    "albert": ("spiece.model", "spiece.model", "AlbertConverter", {"do_lower_case": True}),
    "xlnet": ("spiece.model", "xlnet", "XLNetConverter", {"do_lower_case": False}),
}
FRAMES = {
    "deberta": ("[CLS] ▁a [SEP]", "[CLS] ▁a [SEP] ▁the [SEP]"),
    "albert": ("[CLS] ▁a [SEP]", "[CLS] ▁a [SEP] ▁the [SEP]"),
    "xlnet": ("▁a <sep> <cls>", "▁a <sep> ▁the <sep> <cls>"),
}


def written(folder: Path, kind: str, **tokenizer_config: Any) -> SubwordTokenizer:
    file, tokens, _, _ = KINDS[kind]
    (folder / file).write_bytes(model_bytes(tokens))
    if tokenizer_config:
        (folder / "tokenizer_config.json").write_text(json.dumps(tokenizer_config))
    return load_hf_tokenizer(folder)


def converted(folder: Path, kind: str, **settings: Any) -> Any:
    """Their tokenizer of the same file; the special tokens are not theirs to find in text."""
    pytest.importorskip("google.protobuf")
    file, _, converter, defaults = KINDS[kind]
    ids = {p.text: i for i, p in enumerate(read_sentencepiece_file(folder / file).pieces)}
    rules = {"keep_accents": False, "split_by_punct": False, **defaults, **settings}
    original = SimpleNamespace(
        vocab_file=str(folder / file), convert_tokens_to_ids=ids.__getitem__, **rules
    )
    module = importlib.import_module("transformers.convert_slow_tokenizer")
    return getattr(module, converter)(original).converted()


@pytest.mark.parametrize("kind", KINDS)
def test_ids_are_those_of_the_converter(kind: str, tmp_path: Path) -> None:
    ours = written(tmp_path, kind)
    theirs = converted(tmp_path, kind)
    for text in TEXTS:
        assert ours.encode(text) == theirs.encode(text, add_special_tokens=False).ids, text
    assert ours.encode(TEXTS[1]) != ours.encode(TEXTS[0])


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        ("deberta", {"do_lower_case": True}),
        ("deberta", {"split_by_punct": True}),
        ("albert", {"do_lower_case": False, "keep_accents": True}),
        ("xlnet", {"do_lower_case": True}),
    ],
    ids=["lower", "punctuation", "accents", "xlnet lower"],
)
def test_settings_of_the_folder(kind: str, settings: dict[str, Any], tmp_path: Path) -> None:
    ours = written(tmp_path, kind, **settings)
    theirs = converted(tmp_path, kind, **settings)
    for text in TEXTS:
        assert ours.encode(text) == theirs.encode(text, add_special_tokens=False).ids, text


@pytest.mark.parametrize("kind", KINDS)
def test_frames(kind: str, tmp_path: Path) -> None:
    library = written(tmp_path, kind).library
    single, pair = FRAMES[kind]
    assert " ".join(library.encode("a").tokens) == single
    assert " ".join(library.encode("a", "the").tokens) == pair


def test_special_tokens_and_a_mask_behind_the_others(tmp_path: Path) -> None:
    """The files of DeBERTaV3 have no mask: it gets the first free id."""
    tokenizer = written(tmp_path, "deberta")
    special = tokenizer.special
    assert (special.pad, special.cls, special.sep, special.unknown) == (0, 1, 2, 3)
    assert special.mask == tokenizer.vocab_size - 1
    assert tokenizer.encode("the [MASK]")[1] == special.mask
    assert tokenizer.tokens[special.mask] == "[MASK]"
    assert tokenizer.encode("the \N{SNOWMAN}")[-1] == special.unknown


def test_the_mask_of_albert_takes_the_blank_before_it(tmp_path: Path) -> None:
    tokenizer = written(tmp_path, "albert")
    assert [tokenizer.tokens[i] for i in tokenizer.encode("the [MASK] cat")] == [
        "▁the",
        "[MASK]",
        "▁cat",
    ]


def test_words_begin_at_blanks_and_texts_come_back(tmp_path: Path) -> None:
    tokenizer = written(tmp_path, "deberta")
    ids = tokenizer.encode("the cats sat")
    assert tokenizer.word_starts[ids].tolist() == [True, True, False, True]
    assert tokenizer.decode(ids) == "the cats sat"


def test_a_tokenizer_json_is_preferred(tmp_path: Path) -> None:
    tokenizer = written(tmp_path, "deberta")
    tokenizer.save(tmp_path / "tokenizer.json")
    (tmp_path / "spm.model").write_bytes(b"damaged")
    assert load_hf_tokenizer(tmp_path).fingerprint == tokenizer.fingerprint


def test_added_tokens(tmp_path: Path) -> None:
    number = 4 + len(read_pieces())
    (tmp_path / "added_tokens.json").write_text(json.dumps({"[MASK]": number}))
    assert written(tmp_path, "deberta").special.mask == number
    (tmp_path / "added_tokens.json").write_text(json.dumps({"[MASK]": number + 5}))
    with pytest.raises(CorpusError, match="does not follow those of the vocabulary"):
        load_hf_tokenizer(tmp_path)


def read_pieces() -> list[tuple[str, float]]:
    from tests.tokenizers.sentencepiece_writer import NORMAL_PIECES

    return NORMAL_PIECES


def test_other_models_are_refused(tmp_path: Path) -> None:
    (tmp_path / "spm.model").write_bytes(model_bytes("xlnet"))
    with pytest.raises(CorpusError, match=r"has no token \[CLS\], so it is of a model that"):
        load_hf_tokenizer(tmp_path)


def test_a_damaged_table_of_characters_is_refused(tmp_path: Path) -> None:
    (tmp_path / "spm.model").write_bytes(model_bytes(normalizer=field(2, b"\xff\xff")))
    with pytest.raises(CorpusError, match=r"spm\.model cannot be used as a tokenizer"):
        load_hf_tokenizer(tmp_path)
