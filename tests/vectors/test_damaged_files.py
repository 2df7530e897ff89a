"""Every damaged vector file is refused with one sentence that says where and what to do."""

from __future__ import annotations

import gzip
import os
import pickle
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from foretext.base.errors import OutputError, SettingError, VectorFileError
from foretext.vectors.word_vectors import WordVectors


def binary(*rows: tuple[bytes, list[float]], header: bytes = b"2 3\n") -> bytes:
    return header + b"".join(w + b" " + np.array(row, "<f4").tobytes() for w, row in rows)


WHOLE = binary((b"a", [1, 2, 3]), (b"b", [4, 5, 6]))

CASES = {
    "short row": (b"2 3\na 1 2 3\nb 4 5\n", r"v, line 3: 2 numbers follow the word where 3 are"),
    "long row": (b"2 3\na 1 2 3\nb 4 5 6 7\n", r"v, line 3: 4 numbers follow the word where 3 are"),
    "long glove row": (b"a 1 2 3\nb 4 5 6 7\n", r"v, line 2: 4 numbers follow the word where 3"),
    "blank line": (b"a 1 2 3\n\nb 4 5 6\n", r"v, line 2: 0 numbers follow the word where 3 are"),
    "row without a word": (b"a 1 2 3\n 4 5 6\n", r"v, line 2: 2 numbers follow the word where 3"),
    "no number": (b"2 3\na 1 2 3\nb 4 5,0 6\n", r"v, line 3: '5,0' is not a number"),
    "underscore": (b"2 3\na 1 2 3\nb 4 5_0 6\n", r"v, line 3: '5_0' is not a number"),
    "repeated": (b"a 1 2\nb 3 4\na 5 6\n", r"v, line 3: the word 'a' stands in line 1 already"),
    "repeated in binary": (
        binary((b"a", [1, 2, 3]), (b"a", [4, 5, 6])),
        r"v, row 2: the word 'a' stands in row 1 already",
    ),
    "nan": (b"2 2\na 1 2\nb nan 4\n", r"v, line 3: the vector of 'b' holds NaN or an infinity"),
    "infinity": (b"a 1 2\nb -inf 4\n", r"v, line 2: the vector of 'b' holds NaN or an infinity"),
    "beyond float32": (b"a 1 2\nb 1e39 4\n", r"v, line 2: the vector of 'b' holds NaN or an inf"),
    "nan in binary": (
        binary((b"a", [1, 2, 3]), (b"b", [4, float("nan"), 6])),
        r"v, row 2: the vector of 'b' holds NaN",
    ),
    "cut binary": (WHOLE[:-2], r"v: the header promises 2 words but only 1 were found"),
    "cut text": (b"5 2\na 1 2\nb 3 4\n", r"v: the header promises 5 words but only 2 were found"),
    "header alone": (b"5 2\n", r"v: the header promises 5 words but only 0 were found"),
    "more text": (b"1 2\na 1 2\nb 3 4\n", r"v: the header promises 1 word but there are more"),
    "more binary": (WHOLE + b"c 1", r"v: the header promises 2 words but there are more"),
    "no words": (b"0 2\n", r"v, line 1: '0 2' is not the header of a word2vec file"),
    "binary out of step": (
        b"9 3\n" + b"a " + b"\0" * 70_000,
        r"v, row 2: no word is found there; the header is wrong or the file is damaged",
    ),
    "not utf-8": (b"1 2\ncaf\xe9 1 2\n", r"v, line 2: the word b'caf\\xe9' is not utf-8; name the"),
    "not utf-8 in binary": (
        binary((b"a", [1, 2, 3]), (b"\xe9", [4, 5, 6])),
        r"v, row 2: the word b'\\xe9' is not utf-8",
    ),
    "many long rows": (
        b"4 2\nship 0.1 0.2 0.3\nsea 0.1 0.2 0.3\nport 0.4 0.5 0.6\nsail 0.1 0.2 0.3\n",
        r"v, line 2: 3 numbers follow the word where 2 are expected",
    ),
    "repeated with blanks": (
        b"3 2\nnew york 0.1 0.2\nship 0.1 0.2\nnew york 0.3 0.4\n",
        r"v, line 4: the word 'new york' stands in line 2 already; .*foretext convert .*",
    ),
    "fewer numbers with blanks": (
        b"2 3\nship 0.1 0.2 0.3\nnew york 0.2 0.3\n",
        r"v, line 3: 'york' is not a number",
    ),
    "carriage returns": (
        b"2 2\rship 0.1 0.2\rsea 0.3 0.4\r",
        r"v: its lines end with carriage returns, .* convert them: `tr '\\r' '\\n' < ",
    ),
    "carriage returns without header": (b"ship 0.1 0.2\rsea 0.3 0.4", r"carriage returns"),
    "pointer": (
        b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 100\n",
        r"v is not the file itself but a pointer of Git LFS",
    ),
    "cut second member": (
        gzip.compress(b"2 2\na 1 2\n") + gzip.compress(b"b 3 4\n")[:-3],
        r"v is damaged: its gzip data ends too early after",
    ),
    "empty": (b"", r"v is empty"),
    "blank": (b"\n \n", r"v is empty"),
    "pickle": (pickle.dumps({"a": 1}), r"v is a pickle, .*save_word2vec_format"),
    "numpy": (b"\x93NUMPY\x01\x00", r"v is a NumPy array without words"),
    "prose": (b"It was a dark and stormy night.\n", r"v is not a vector file"),
    "page": (b"<!DOCTYPE html>\n<html>", r"v is not a vector file"),
    "archive": (b"PK\x03\x04\x14\x00", r"v is not a vector file"),
    "damaged gzip": (
        gzip.compress(b"a 1 2\n")[:-6],
        r"v is damaged: its gzip data ends too early after",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_content(tmp_path, case):
    content, sentence = CASES[case]
    (tmp_path / "v").write_bytes(content)
    with pytest.raises(VectorFileError, match=sentence) as caught:
        WordVectors.load(tmp_path / "v")
    assert "\n" not in str(caught.value)


def test_a_fasttext_model_is_not_taken_for_word2vec(tmp_path):
    (tmp_path / "v.bin").write_bytes((793712314).to_bytes(4, "little") + b"\x0c\0\0\0")
    with pytest.raises(VectorFileError, match="fastText model"):
        WordVectors.load(tmp_path / "v.bin")


def test_a_name_decides_where_the_content_does_not(tmp_path):
    (tmp_path / "v.txt").write_text("It was a dark and stormy night.\n")
    with pytest.raises(VectorFileError, match=r"'It was a dark .* is not the header of a word2vec"):
        WordVectors.load(tmp_path / "v.txt")
    (tmp_path / "v.safetensors").write_bytes(b"\x08\0\0")
    with pytest.raises(VectorFileError, match="no safetensors file"):
        WordVectors.load(tmp_path / "v.safetensors")


def test_a_named_format_is_believed(tmp_path):
    (tmp_path / "v").write_text("It was\n")
    with pytest.raises(VectorFileError, match="this is not a GloVe file"):
        WordVectors.load(tmp_path / "v", "glove")


def test_a_missing_file_and_a_folder(tmp_path):
    with pytest.raises(VectorFileError, match="there is no such file"):
        WordVectors.load(tmp_path / "nothing.txt")
    with pytest.raises(VectorFileError, match="is a folder; name the vector file in it"):
        WordVectors.load(tmp_path)


def save_tensors(path: Path, **tensors: np.ndarray) -> Path:
    save_file(tensors, path)
    return path


WORDS = np.frombuffer(b"a\nb", np.uint8).copy()


@pytest.mark.parametrize(
    ("tensors", "sentence"),
    [
        ({"embeddings": np.ones((2, 3), np.float32)}, r"no tensor 'vectors' .* only 'embeddings'"),
        ({"vectors": np.ones((2, 3), np.float32)}, r"no tensor 'words' of 1 axes and type uint8"),
        ({"vectors": np.ones((2, 3)), "words": WORDS}, r"no tensor 'vectors' of 2 axes and type"),
        (
            {"vectors": np.ones((3, 3), np.float32), "words": WORDS},
            r"2 words, 3 vectors and no counts do not go together",
        ),
        (
            {"vectors": np.ones((2, 3), np.float32), "words": WORDS, "counts": np.ones(1, int)},
            r"2 words, 2 vectors and 1 counts do not go together",
        ),
    ],
)
def test_safetensors_of_something_else(tmp_path, tensors, sentence):
    with pytest.raises(VectorFileError, match=sentence):
        WordVectors.load(save_tensors(tmp_path / "v.safetensors", **tensors))


def test_cut_safetensors(tmp_path):
    WordVectors(["a", "b"], [[1.0], [2.0]]).save(tmp_path / "v.safetensors")
    content = (tmp_path / "v.safetensors").read_bytes()
    (tmp_path / "v.safetensors").write_bytes(content[:-1])
    with pytest.raises(VectorFileError, match=r"no safetensors file .* fetch or write"):
        WordVectors.load(tmp_path / "v.safetensors")


def test_a_place_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="cannot be written"):
        WordVectors(["a"], [[1.0]]).save(tmp_path / "file" / "v.txt")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("v.txt", b"70000 99999999\na 1 2\n"),
        ("v.txt", b"99999999999999999999999 3\na 1 2 3\n"),
        ("v.bin", b"9 999999999\na " + bytes(9000)),
        ("v.bin.gz", gzip.compress(b"9000000 1000\n" + b"a " * 9, mtime=0)),
        ("v.txt", b"1 1\n" + b"9" * 5000 + b" 1e9999\n"),
    ],
)
def test_headers_that_ask_for_terabytes(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(VectorFileError):
        WordVectors.load(tmp_path / name)


def test_a_small_packed_file_of_large_vectors(tmp_path):
    rows = b"".join(b"w%d " % number + bytes(4 * 100_000) for number in range(300))
    (tmp_path / "v.bin.gz").write_bytes(gzip.compress(b"300 100000\n" + rows))
    with pytest.raises(VectorFileError, match="more than 100 times the bytes of the file"):
        WordVectors.load(tmp_path / "v.bin.gz")


def test_a_pipe_is_no_vector_file(tmp_path):
    os.mkfifo(tmp_path / "v.txt")
    with pytest.raises(VectorFileError, match=r"v\.txt is no file"):
        WordVectors.load(tmp_path / "v.txt")


@pytest.mark.parametrize(
    ("at", "value"),
    [(8, 2**31 - 1), (8, -1), (40, 2**31 - 1), (48, 2**31 - 1), (64, 2**31 - 1), (68, 2**31 - 1)],
)
def test_fasttext_headers_that_ask_for_terabytes(tmp_path, at, value):
    content = bytearray((Path(__file__).parent / "fasttext" / "skipgram.bin").read_bytes())
    content[at : at + 4] = value.to_bytes(4, "little", signed=True)
    (tmp_path / "v.bin").write_bytes(content)
    with pytest.raises(VectorFileError, match=r"damaged|cut off"):
        WordVectors.load(tmp_path / "v.bin")


@pytest.mark.parametrize("options", [{"encoding": "utf-9"}, {"limit": 0}, {"limit": -1}])
def test_options_that_cannot_be(tmp_path, options):
    with pytest.raises(SettingError, match=next(iter(options))):
        WordVectors.load(tmp_path / "v.txt", **options)
