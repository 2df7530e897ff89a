"""Files of SentencePiece: what is read, and that a damaged one gives one sentence."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from foretext.base.errors import CorpusError
from foretext.tokenizers.sentencepiece_file import Kind, Piece, read_sentencepiece_file
from tests.tokenizers.sentencepiece_writer import (
    NORMAL_PIECES,
    field,
    model_bytes,
    piece_bytes,
    varint,
)


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
