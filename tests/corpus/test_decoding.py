from __future__ import annotations

import codecs
import io
import random
import tarfile
import tracemalloc
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from foretext.base.errors import CorpusError
from foretext.corpus.decoding import (
    LONGEST_LINE,
    decoded,
    guessed,
    normalize,
    split_lines,
    whole_lines,
    with_line_feeds,
)

GERMAN = "Größe und Länge sind überall schön, wo Bäume stehen.\n" * 20
CHINESE = "今天天气很好，我们去公园散步。\n" * 20

TEXTS = st.text(alphabet="ab \n\r\t\u3000é", max_size=60)


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


def chunks(text: str, size: int) -> list[str]:
    return [text[start : start + size] for start in range(0, len(text), size)]


@given(text=TEXTS, size=st.integers(1, 20), longest=st.integers(1, 12))
@example(text="abcd \n", size=1, longest=4)  # nothing is left of the line but a blank
@example(text="abcd\r\n", size=5, longest=4)  # a line end that is cut in two
def test_lines_do_not_depend_on_how_the_text_arrives(text: str, size: int, longest: int) -> None:
    expected = "".join(whole_lines([text], longest))
    assert "".join(whole_lines(chunks(text, size), longest)) == expected


@given(text=TEXTS, longest=st.integers(1, 12))
def test_no_line_is_too_long_and_no_character_is_lost(text: str, longest: int) -> None:
    lines = "".join(whole_lines([text], longest))
    assert all(len(line) <= longest for line in lines.split("\n"))
    assert "".join(lines.split()) == "".join(text.split())


@given(text=TEXTS, longest=st.integers(1, 12))
def test_cutting_makes_no_empty_line(text: str, longest: int) -> None:
    def empty_lines(lines: str) -> int:
        return sum(not line.strip() for line in lines.split("\n"))

    ended = text.replace("\r\n", "\n").removesuffix("\n") + "\n"
    assert empty_lines("".join(whole_lines([text + "\n"], longest))) <= empty_lines(ended) + 1


def test_a_long_line_is_cut_at_its_last_blank() -> None:
    assert "".join(whole_lines(["one two three\nfour\n"], 8)) == "one two\nthree\nfour\n"
    assert "".join(whole_lines(["一二三四五"], 2)) == "一二\n三四\n五\n"


def test_a_hundred_megabytes_in_one_line_stay_in_bounded_memory() -> None:
    words = "word " * (1 << 14)
    longest = length = 0
    tracemalloc.start()
    for lines in whole_lines(words for _ in range(1280)):
        longest = max(longest, *map(len, lines.split("\n")))
        length += len(lines)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert length == 1280 * len(words) + 1  # a line end for each blank that was cut at
    assert longest <= LONGEST_LINE
    assert peak < 8 * LONGEST_LINE


@given(text=st.text(alphabet="ab\n\r", max_size=40), size=st.integers(1, 10))
def test_split_lines_equals_splitting_at_once(text: str, size: int) -> None:
    expected = [line.removesuffix("\r") for line in text.split("\n")]
    if text.endswith("\n") or not text:
        expected.pop()
    assert list(split_lines(chunks(text, size))) == expected


def test_only_line_feeds_end_a_line() -> None:
    text = "a\x0bb\x0cc\x85d\u2028e\rf"
    assert list(split_lines([text])) == [text]
    assert list(whole_lines([text])) == [text + "\n"]


def test_a_row_that_does_not_end() -> None:
    with pytest.raises(CorpusError, match=r"^a, line 3: .* more than 10 bytes; break it, or raise"):
        list(split_lines(["one\ntwo\nth", "ree and", " more"], "a", 10))
    assert list(split_lines(["0123456789\n0123", "456789"], "a", 10)) == ["0123456789"] * 2


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("size", [1, 3, 1000, 1 << 20])
def test_the_line_ends_of_old_macintoshes(end: str, size: int) -> None:
    text = end.join(f"line {number} \u2028 and \x85 stay" for number in range(4000)) + end
    chunks = [text[at : at + size] for at in range(0, len(text), size)]
    found = "".join(whole_lines(with_line_feeds(chunks)))
    assert found == "".join(f"line {number} \u2028 and \x85 stay\n" for number in range(4000))


def test_a_carriage_return_within_a_line_is_no_line_end() -> None:
    for text in ("10 %\r20 %\rdone\nnext\n", "a\r\nb\rc\r\n", "\n\r", "a" * 70_000 + "\r\nb\r"):
        for size in (1, 7, 1 << 17):
            chunks = [text[at : at + size] for at in range(0, len(text), size)]
            assert "".join(with_line_feeds(chunks)) == text


def test_a_text_of_one_line_or_none() -> None:
    assert "".join(with_line_feeds(["one line\r"])) == "one line\n"
    assert "".join(with_line_feeds(["one", " line"])) == "one line"
    assert list(with_line_feeds([])) == []
    long = ["a" * 50_000] * 4
    assert "".join(with_line_feeds([*long, "\r", "b\r", "c" * 70_000])).count("\n") == 2


@given(st.text(alphabet="ae\u0301\u0323\u00e9\ufb01\u1100\u1161\n ", max_size=30))
@pytest.mark.parametrize("form", ["NFC", "NFKC"])
def test_normalize_equals_the_standard(form: str, text: str) -> None:
    assert normalize(text, form) == unicodedata.normalize(form, text)  # type: ignore[arg-type]


def test_none_leaves_text_alone() -> None:
    assert normalize("e\u0301", "none") == "e\u0301"
