from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foretext.kernels.pieces import write_pieces
from foretext.tokenizers.byte_pieces import BytePieces, byte_letters
from tokenizers import pre_tokenizers

LIBRARY = pre_tokenizers.ByteLevel(add_prefix_space=False)
TEXT = st.text(
    st.one_of(
        st.sampled_from(" \t\u00a0\u3000\u0085'stremvdlLTa1é漢½二.,-_😀\u0301\r\x1c"),
        st.characters(exclude_categories=["Cs", "Cn", "Co"]),
    ),
    max_size=40,
)


def pieces(text: str) -> list[str]:
    return BytePieces().utf8(text).tobytes().decode().split()


@given(st.lists(TEXT.map(lambda text: text.replace("\n", " ")), max_size=4))
def test_pieces_are_those_of_the_library_line_by_line(lines: list[str]) -> None:
    expected = [piece for line in lines for piece, _ in LIBRARY.pre_tokenize_str(line)]
    assert pieces("\n".join(lines)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I'll go, we've won", ["I", "'ll", "Ġgo", ",", "Ġwe", "'ve", "Ġwon"]),
        ("'tis 'twas ''s", ["'t", "is", "Ġ'", "twas", "Ġ''", "s"]),
        ("a  b", ["a", "Ġ", "Ġb"]),
        ("a  ", ["a", "ĠĠ"]),
        ("a\t b", ["a", "ĉ", "Ġb"]),
        ("a\t\tb", ["a", "ĉ", "ĉ", "b"]),
        ("12ab", ["12", "ab"]),
        ("é", ["Ã©"]),
        ("'", ["'"]),
        ("'l", ["'", "l"]),
        ("", []),
    ],
)
def test_pieces_by_hand(text: str, expected: list[str]) -> None:
    assert pieces(text) == expected


def test_the_document_end_belongs_to_no_piece() -> None:
    assert pieces("a b\nc \n\nd\n\n") == ["a", "Ġb", "c", "Ġ", "d"]


def test_line_ends_are_kept() -> None:
    assert BytePieces().utf8("a b\n\n c\n").tobytes().decode() == "a Ġb \n\nĠc \n"


def test_room_of_three_bytes_a_byte_is_enough() -> None:
    text = np.frombuffer(b"\x01a\x01b\x01", np.uint8)
    classes = np.zeros(0x110000, np.uint8)
    classes[[ord("a"), ord("b")]] = 1
    out = np.empty(3 * text.size, np.uint8)
    assert write_pieces(text, classes, byte_letters(), out) <= out.size


def test_every_byte_has_a_letter_of_its_own() -> None:
    letters = {bytes(row[row > 0]).decode() for row in byte_letters()}
    assert letters == set(pre_tokenizers.ByteLevel.alphabet())
