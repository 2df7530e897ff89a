"""Files of SentencePiece, written field by field, for tests without that library."""

from __future__ import annotations

import struct
from collections.abc import Sequence

__all__ = ["NORMAL_PIECES", "field", "model_bytes", "piece_bytes", "varint"]

CONTROL, UNKNOWN, USER_DEFINED = 3, 2, 4
SPECIAL = {
    "spm.model": [("[PAD]", CONTROL), ("[CLS]", CONTROL), ("[SEP]", CONTROL), ("[UNK]", UNKNOWN)],
    "spiece.model": [
        ("<pad>", CONTROL),
        ("<unk>", UNKNOWN),
        ("[CLS]", CONTROL),
        ("[SEP]", CONTROL),
        ("[MASK]", USER_DEFINED),
        ("(", USER_DEFINED),
    ],
    "xlnet": [
        ("<unk>", UNKNOWN),
        ("<s>", CONTROL),
        ("</s>", CONTROL),
        ("<cls>", CONTROL),
        ("<sep>", CONTROL),
        ("<pad>", CONTROL),
        ("<mask>", CONTROL),
        (".", USER_DEFINED),
    ],
    "t5": [("<pad>", CONTROL), ("</s>", CONTROL), ("<unk>", UNKNOWN)],
    "fairseq": [("<unk>", UNKNOWN), ("<s>", CONTROL), ("</s>", CONTROL)],
}
WORDS = ["▁the", "▁cat", "▁sat", "▁on", "▁The", "▁a", "▁costs", "ts", "ing", "▁3", "000", "9,"]
LETTERS = ["▁", ",", '"', "é", *"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"]
NORMAL_PIECES = [
    *((word, -2.0 - index / 8) for index, word in enumerate(WORDS)),
    *((letter, -6.0 - index / 16) for index, letter in enumerate(LETTERS)),
]


def varint(value: int) -> bytes:
    """Seven bits a byte, the lowest first."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def field(number: int, value: int | float | bytes) -> bytes:
    """A field with a number, a float32, or bytes."""
    if isinstance(value, bytes):
        return varint(number << 3 | 2) + varint(len(value)) + value
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    return varint(number << 3) + varint(value)


def piece_bytes(text: str, score: float = 0.0, kind: int | None = None) -> bytes:
    """One token of a model; a normal one has no kind in the file."""
    parts = field(1, text.encode()) + field(2, score)
    return field(1, parts + (b"" if kind is None else field(3, kind)))


def model_bytes(
    name: str = "spm.model",
    *,
    trainer: bytes = b"",
    normalizer: bytes = b"",
    more: Sequence[bytes] = (),
) -> bytes:
    """A model with the special tokens of a kind of model, and a few words and letters."""
    special = [piece_bytes(text, 0.0, kind) for text, kind in SPECIAL[name]]
    normal = [piece_bytes(*piece) for piece in NORMAL_PIECES]
    unknown = next(i for i, (_, kind) in enumerate(SPECIAL[name]) if kind == UNKNOWN)
    trainer = field(3, 1) + field(40, unknown) + trainer
    return b"".join([*special, *normal, *more, field(2, trainer), field(3, normalizer)])
