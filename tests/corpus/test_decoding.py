from __future__ import annotations

import codecs
import io
import random
import tarfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foretext.base.errors import CorpusError
from foretext.corpus.decoding import decoded, guessed

GERMAN = "Größe und Länge sind überall schön, wo Bäume stehen.\n" * 20
CHINESE = "今天天气很好，我们去公园散步。\n" * 20


def decode(data: bytes, encoding: str = "utf-8", size: int = 1 << 16) -> str:
    chunks = (data[start : start + size] for start in range(0, len(data), size))
    return "".join(decoded(chunks, encoding, "a.txt"))


def complaint(data: bytes, encoding: str = "utf-8", size: int = 1 << 16) -> str:
    with pytest.raises(CorpusError) as caught:
        decode(data, encoding, size)
    return str(caught.value)


@given(text=st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])))
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "gb18030"])
def test_text_comes_back_however_it_is_cut(encoding: str, text: str) -> None:
    expected = text.removeprefix("\ufeff") if encoding == "utf-8" else text
    assert decode(text.encode(encoding), encoding, size=3) == expected


def test_a_byte_order_mark_is_dropped() -> None:
    assert decode(codecs.BOM_UTF8 + b"a") == "a"
    assert decode("a".encode("utf-16"), "utf-16") == "a"


@pytest.mark.parametrize("size", [7, 1 << 16])
def test_a_wrong_byte_is_named_by_line_and_offset(size: int) -> None:
    assert complaint(b"one\ntwo caf\xe9 three\n", size=size).startswith(
        "a.txt, line 2: byte 11 (0xe9) is not utf-8; the text looks like cp1252: "
        "set encoding = 'cp1252' (--encoding cp1252)."
    )


@pytest.mark.parametrize(
    ("text", "encoding"), [(GERMAN, "cp1252"), (CHINESE, "gb18030"), (CHINESE, "utf-16")]
)
def test_the_likely_encoding_is_suggested(text: str, encoding: str) -> None:
    assert f"(--encoding {encoding})" in complaint(text.encode(encoding))
    assert decode(text.encode(encoding), encoding) == text


def test_likely_encoding() -> None:
    assert guessed(GERMAN.encode("cp1252")) == ("cp1252",)
    assert guessed("abc".encode("utf-16-le")) == ("utf-16-le",)
    assert guessed("abc".encode("utf-16-be")) == ("utf-16-be",)
    assert guessed(GERMAN.encode() + b"\xff") is None


def test_utf16_without_a_mark_is_told_from_binary() -> None:
    assert "a.txt looks like utf-16-le" in complaint(GERMAN.encode("utf-16-le"))


def test_single_damaged_bytes_in_utf8_do_not_suggest_another_encoding() -> None:
    sentence = complaint(GERMAN.encode() + b"\xff\n" + GERMAN.encode())
    assert sentence.startswith("a.txt, line 21: byte 1,180 (0xff) is not utf-8, but the text")
    assert "iconv -c" in sentence


def test_a_file_that_is_really_utf8_says_so() -> None:
    assert "looks like utf-8" in complaint(CHINESE.encode(), "ascii")


def test_a_file_cut_off_inside_a_character() -> None:
    sentence = complaint("one\nété".encode()[:-1])
    assert sentence.startswith("a.txt, line 2: byte 7 (0xc3) is not utf-8: the file ends inside a")


def test_binary_files_are_named_for_what_they_are() -> None:
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as tar:
        tar.addfile(tarfile.TarInfo("a"))
    assert complaint(b"%PDF-1.7 ...") == (
        "a.txt is not text but a PDF document; extract its text first."
    )
    assert "a ZIP archive" in complaint(b"PK\x03\x04...")
    assert "a tar archive; unpack it first" in complaint(archive.getvalue())
    assert "is NUL" in complaint(random.Random(0).randbytes(4096).replace(b"%", b"\0"))


def test_a_nul_byte_is_named_by_line_and_offset() -> None:
    assert complaint(b"one\ntwo\0\n").startswith("a.txt, line 2: byte 7 is NUL")
    assert complaint(b"one\ntwo\0\n", size=4).startswith("a.txt, line 2: byte 7 is NUL")
