"""Folders with a file of SentencePiece, against the converters of `transformers`."""

from __future__ import annotations

import importlib
import json
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from foretext.base.errors import CorpusError
from foretext.tokenizers.hf_files import load_hf_tokenizer
from foretext.tokenizers.sentencepiece import Kind, Piece, read_sentencepiece_file
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tests.tokenizers.sentencepiece_writer import (
    NORMAL_PIECES,
    field,
    model_bytes,
    piece_bytes,
    varint,
)

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
    "t5": ("spiece.model", "t5", "T5Converter", {"_extra_ids": 100}),
    "xlm-roberta": ("sentencepiece.bpe.model", "fairseq", "XLMRobertaConverter", {}),
    "camembert": ("sentencepiece.bpe.model", "fairseq", "CamembertConverter", {}),
}
FRAMES = {
    "deberta": ("[CLS] ▁a [SEP]", "[CLS] ▁a [SEP] ▁the [SEP]"),
    "albert": ("[CLS] ▁a [SEP]", "[CLS] ▁a [SEP] ▁the [SEP]"),
    "xlnet": ("▁a <sep> <cls>", "▁a <sep> ▁the <sep> <cls>"),
    "t5": ("▁a </s>", "▁a </s> ▁the </s>"),
    "xlm-roberta": ("<s> ▁a </s>", "<s> ▁a </s> </s> ▁the </s>"),
    "camembert": ("<s> ▁a </s>", "<s> ▁a </s> </s> ▁the </s>"),
}
CLASSES = {
    "t5": "T5Tokenizer",
    "xlm-roberta": "XLMRobertaTokenizer",
    "camembert": "CamembertTokenizer",
}


def written(folder: Path, kind: str, **tokenizer_config: Any) -> SubwordTokenizer:
    file, tokens, _, _ = KINDS[kind]
    (folder / file).write_bytes(model_bytes(tokens))
    (folder / "config.json").write_text(json.dumps({"model_type": kind}))
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


@pytest.mark.parametrize("kind", CLASSES)
def test_rows_are_those_of_their_class(kind: str, tmp_path: Path) -> None:
    """With its special tokens, in the text and around it, and no blank but the usual one."""
    ours = written(tmp_path, kind)
    theirs = getattr(pytest.importorskip("transformers"), CLASSES[kind]).from_pretrained(tmp_path)
    texts = [text.replace("\u3000", " ") for text in TEXTS]
    for text in [*texts, "the <mask> cat", "the <extra_id_0> cat <extra_id_99>.", "a</s> the"]:
        assert ours.library.encode(text).ids == theirs(text)["input_ids"], text
    assert ours.library.encode("a", "the").ids == theirs("a", "the")["input_ids"]
    assert ours.tokens == theirs.convert_ids_to_tokens(range(len(theirs)))


@pytest.mark.parametrize("kind", CLASSES)
def test_tokens_are_those_of_the_library_sentencepiece(kind: str, tmp_path: Path) -> None:
    library = pytest.importorskip("sentencepiece").SentencePieceProcessor()
    ours = written(tmp_path, kind)
    library.LoadFromSerializedProto(model_bytes(KINDS[kind][1]))
    for text in TEXTS:
        tokens = ours.library.encode(text, add_special_tokens=False).tokens
        assert tokens == library.encode(text, out_type=str), text


def test_special_tokens_of_fairseq(tmp_path: Path) -> None:
    """XLM-R moves the file's tokens by one; CamemBERT by four, and has places without use."""
    special = written(tmp_path, "xlm-roberta").special
    assert (special.cls, special.pad, special.sep, special.unknown) == (0, 1, 2, 3)
    camembert = written(tmp_path, "camembert")
    special = camembert.special
    assert (special.cls, special.pad, special.sep, special.unknown) == (5, 1, 6, 3)
    assert special.mask == camembert.vocab_size - 1
    assert camembert.between == [6, 6]


@pytest.mark.parametrize(("number", "last"), [(None, "<extra_id_99>"), (3, "<extra_id_2>")])
def test_sentinels_of_t5(number: int | None, last: str, tmp_path: Path) -> None:
    """The last ids of the vocabulary, the first sentinel at the end."""
    settings = {} if number is None else {"extra_ids": number}
    tokenizer = written(tmp_path, "t5", **settings)
    first = tokenizer.vocab_size - (number or 100)
    assert tokenizer.tokens[first] == last
    assert tokenizer.tokens[-1] == "<extra_id_0>"
    assert not tokenizer.ordinary[first:].any()
    assert tokenizer.special[:5] == (0, 2, None, 1, None)
    assert tokenizer.special.end == 1
    assert tokenizer.decode(tokenizer.encode("the <extra_id_0> cat")) == "the<extra_id_0> cat"


@pytest.mark.parametrize("number", [-1, 10_001, 10**12])
def test_absurd_numbers_of_sentinels_are_refused(number: int, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=rf"extra_ids = {number} is no number of sentinels from"):
        written(tmp_path, "t5", extra_ids=number)


@pytest.mark.parametrize("content", ["{}", '{"model_type": "mbart"}', None])
def test_ids_of_fairseq_need_a_kind_of_model(content: str | None, tmp_path: Path) -> None:
    """XLM-R's, CamemBERT's and mBART's files have one name, and other ids."""
    written(tmp_path, "xlm-roberta")
    if content is None:
        (tmp_path / "config.json").unlink()
    else:
        (tmp_path / "config.json").write_text(content)
    with pytest.raises(CorpusError, match="is read for models of the kinds xlm-roberta and camem"):
        load_hf_tokenizer(tmp_path)


def test_tokens_that_are_there_twice_are_refused(tmp_path: Path) -> None:
    written(tmp_path, "xlm-roberta")
    path = tmp_path / "sentencepiece.bpe.model"
    path.write_bytes(model_bytes("fairseq", more=[piece_bytes("<pad>")]))
    with pytest.raises(CorpusError, match="has a token that this kind of model adds to it, too"):
        load_hf_tokenizer(tmp_path)
    path.write_bytes(model_bytes("t5"))
    with pytest.raises(CorpusError, match=r"has no token <s>|adds to it, too"):
        load_hf_tokenizer(tmp_path)
    path.write_bytes(piece_bytes("▁first") + model_bytes("fairseq"))
    with pytest.raises(CorpusError, match="does not begin with the tokens of its kind of model"):
        load_hf_tokenizer(tmp_path)


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


def read(folder: Path, data: bytes) -> object:
    path = folder / "spm.model"
    path.write_bytes(data)
    return read_sentencepiece_file(path)


def test_pieces_and_rules(tmp_path: Path) -> None:
    normalizer = field(1, b"nmt_nfkc") + field(2, b"\1\2") + field(3, 0) + field(4, 0)
    model = read_sentencepiece_file(_written(tmp_path, model_bytes(normalizer=normalizer)))
    assert model.pieces[1] == Piece("[CLS]", 0.0, Kind.CONTROL)
    assert model.pieces[4] == Piece("▁the", -2.0, Kind.NORMAL)
    assert len(model.pieces) == 4 + len(NORMAL_PIECES)
    assert model.unknown == 3
    assert model.characters == b"\1\2"
    assert not model.begins_with_blank
    assert not model.collapses_blanks
    assert not model.byte_fallback


def test_defaults_and_unknown_fields(tmp_path: Path) -> None:
    more = [field(4, b"self-test"), field(1000, 7), varint(9 << 3 | 1) + b"12345678"]
    model = read_sentencepiece_file(_written(tmp_path, model_bytes(more=more)))
    assert model.begins_with_blank
    assert model.collapses_blanks
    assert model.characters == b""


def test_a_number_of_several_bytes(tmp_path: Path) -> None:
    assert varint(300) == b"\xac\x02"  # the example of the format's description
    long = "x" * 300
    model = read_sentencepiece_file(_written(tmp_path, model_bytes(more=[piece_bytes(long, -9.0)])))
    assert model.pieces[-1] == Piece(long, -9.0, Kind.NORMAL)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "it has 0 unknown tokens"),
        (b"not a model", "field|encoding|number"),
        (model_bytes()[:-1], "it ends within a number"),
        (model_bytes()[:-3], "ends behind the data"),
        (model_bytes(trainer=field(3, 2)), "of the kind bpe, and only unigram is supported"),
        (model_bytes(trainer=field(3, 4)), "of the kind char"),
        (model_bytes(trainer=field(3, 77)), "of the kind 77"),
        (model_bytes(trainer=field(24, 1)), "the ends of words"),
        (model_bytes(normalizer=field(5, 0)), "leaves blanks as they are"),
        (model_bytes(normalizer=field(2, 5)), "a number stands where bytes are expected"),
        (model_bytes(trainer=field(35, b"yes")), "bytes stand where a number is expected"),
        (model_bytes(more=[piece_bytes("▁cat")]), "'▁cat' is there twice"),
        (model_bytes(more=[piece_bytes("<other>", 0.0, 2)]), "2 unknown tokens"),
        (model_bytes(more=[piece_bytes("")]), "the token ''"),
        (model_bytes(more=[piece_bytes("x_", float("nan"))]), "the score nan"),
        (model_bytes(more=[piece_bytes("x_", float("-inf"))]), "the score -inf"),
        (model_bytes(more=[piece_bytes("x_", 0.0, 9)]), "9 is not a valid Kind"),
        (model_bytes(more=[field(1, field(1, b"\xff\xfe"))]), "utf-8"),
        (model_bytes(more=[field(1, field(1, b"x_") + field(2, 3))]), "number stands"),
        (model_bytes(more=[field(1, 5)]), "a number stands"),
        (model_bytes(more=[varint(1 << 3 | 2) + varint(1 << 62)]), "ends behind the data"),
        (model_bytes(more=[b"\xff" * 11]), "more than 64 bits"),
        (model_bytes(more=[varint(7 << 3 | 3)]), "unknown encoding 3"),
    ],
    ids=range(23),
)
def test_what_cannot_be_read_is_refused(data: bytes, message: str, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=f"cannot be read as a model of Sentence.*({message})"):
        read(tmp_path, data)


def test_damage_anywhere_gives_no_other_error(tmp_path: Path) -> None:
    good, rng = model_bytes(), np.random.default_rng(0)
    for _ in range(300):
        data = bytearray(good)
        for place in rng.integers(len(data), size=3):
            data[place] = rng.integers(256)
        cut = bytes(data[: rng.integers(1, len(data) + 1)])
        with suppress(CorpusError):  # any other is a defect
            read(tmp_path, cut)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="is missing"):
        read_sentencepiece_file(tmp_path / "spm.model")


def _written(folder: Path, data: bytes) -> Path:
    path = folder / "spm.model"
    path.write_bytes(data)
    return path
