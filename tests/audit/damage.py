"""Ways in which a file is damaged, or made to deceive, each drawn from a seed.

A packed file is damaged as it is or unpacked first, so that what is inside is met as well.
"""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import os
import random
import re
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import zstandard
from safetensors import SafetensorError
from safetensors.numpy import load, save

__all__ = ["damage_folder"]

Change = Callable[[bytes, random.Random], bytes]

_NUMBER = re.compile(rb"\d+")
_VALUE = re.compile(rb'"(?:[^"\\\n]|\\.)*"|-?\d+(?:\.\d+)?|\btrue\b|\bfalse\b|\bnull\b|[\[\]{},:]')
_DIGITS = (b"0", b"-1", b"7", b"255", b"65536", b"2147483647", b"4294967296", b"9" * 18, b"9" * 30)
_VALUES = (
    b"null", b"true", b"[]", b"{}", b'""', b"0", b"-1", b"1e999", b"NaN", b"0.5", b"1" * 5000,
    b'"\\ud83d"', b'"\\u0000"', b'"\xff"', b'"text"', b"[[]]", b'{"a": 1}', b"",
)  # fmt: skip
_WORDS = tuple(
    struct.pack(kind, value)
    for kind, values in {
        "<i": (-1, 0, 1, 2**31 - 1, -(2**31), 65536),
        "<q": (-1, 0, 2**31, 2**32, 2**62, 2**63 - 1, -(2**63)),
        ">i": (2**31 - 1, -1, 65536),
        "<f": (float("nan"), float("inf"), -float("inf"), 3e38, -0.0),
        "<d": (float("nan"), float("inf"), 1e300),
    }.items()
    for value in values
)


class Packing(NamedTuple):
    """A kind of compression."""

    magic: bytes
    pack: Callable[[bytes], bytes]
    unpack: Callable[[bytes], bytes]


_PACKINGS = (
    Packing(b"\x1f\x8b", lambda content: gzip.compress(content, 1), gzip.decompress),
    Packing(b"\xfd7zXZ", lambda content: lzma.compress(content, preset=0), lzma.decompress),
    Packing(b"BZh", bz2.compress, bz2.decompress),
    Packing(
        b"\x28\xb5\x2f\xfd",
        zstandard.ZstdCompressor().compress,
        zstandard.ZstdDecompressor().decompress,
    ),
)


def _cut(content: bytes, rng: random.Random) -> bytes:
    return content[: _place(content, rng)]


def _flip(content: bytes, rng: random.Random) -> bytes:
    changed = bytearray(content)
    for _ in range(rng.choice((1, 1, 2, 8, 64))):
        changed[_place(content, rng)] ^= 1 << rng.randrange(8)
    return bytes(changed)


def _overwrite(content: bytes, rng: random.Random) -> bytes:
    at, size = _place(content, rng), rng.choice((1, 4, 16, 200))
    run = rng.choice((bytes(size), b"\xff" * size, rng.randbytes(size)))
    return content[:at] + run + content[at + size :]


def _insert(content: bytes, rng: random.Random) -> bytes:
    at = _place(content, rng)
    return content[:at] + rng.randbytes(rng.choice((1, 3, 50))) + content[at:]


def _delete(content: bytes, rng: random.Random) -> bytes:
    at = _place(content, rng)
    return content[:at] + content[at + rng.choice((1, 4, 60)) :]


def _repeat(content: bytes, rng: random.Random) -> bytes:
    first, last = sorted((_place(content, rng), _place(content, rng)))
    return content[:last] + content[first:last] * rng.choice((1, 2, 20)) + content[last:]


def _swap(content: bytes, rng: random.Random) -> bytes:
    a, b, c = sorted(_place(content, rng) for _ in range(3))
    return content[:a] + content[b:c] + content[a:b] + content[c:]


def _digits(content: bytes, rng: random.Random) -> bytes:
    """Change a number that is written in digits, or its digits alone."""
    found = _one_of(_NUMBER, content, rng)
    if found is None:
        return _words(content, rng)
    first, last = found
    same_length = bytes(rng.choice(b"0123456789") for _ in range(last - first))
    return content[:first] + rng.choice((same_length, *_DIGITS)) + content[last:]


def _values(content: bytes, rng: random.Random) -> bytes:
    """Put a value of another type where JSON has one."""
    found = _one_of(_VALUE, content, rng)
    if found is None:
        return _words(content, rng)
    return content[: found[0]] + rng.choice(_VALUES) + content[found[1] :]


def _words(content: bytes, rng: random.Random) -> bytes:
    """Put an extreme number among binary ones, mostly into the header."""
    at = min(_place(content, rng), rng.choice((8, 80, 400, len(content))))
    word = rng.choice(_WORDS)
    at -= at % rng.choice((1, 4))
    return content[:at] + word + content[at + len(word) :]


def _nest(content: bytes, rng: random.Random) -> bytes:
    at = _place(content, rng)
    opening = rng.choice((b"[", b'{"a":', b'"', b"("))
    return content[:at] + opening * rng.choice((40, 3000, 100_000)) + content[at:]


def _inside(content: bytes, rng: random.Random) -> bytes:
    """Change one tensor, or one value of a JSON object, and write the file whole again."""
    header = int.from_bytes(content[:8], "little")
    try:
        if content[8:9] == b"{" and header < len(content):
            tensors = load(content)
            return save(_changed_tensors(tensors, rng)) if tensors else content
        rows = [json.loads(line) for line in content.decode().splitlines()]
    except (ValueError, SafetensorError):
        return _values(content, rng)
    at = rng.randrange(len(rows) or 1)
    rows[at : at + 1] = [_changed_value(row, rng) for row in rows[at : at + 1]]
    return "\n".join(json.dumps(row) for row in rows).encode()


def _changed_tensors(tensors: dict[str, np.ndarray], rng: random.Random) -> dict[str, np.ndarray]:
    name = rng.choice(sorted(tensors))
    tensor = tensors.pop(name)
    kind = rng.choice(("number", "number", "number", "rows", "none", "type", "axes", "gone"))
    if kind == "number" and tensor.size:
        flat = np.frombuffer(rng.choice(_WORDS) * tensor.itemsize, tensor.dtype)
        tensor.reshape(-1)[rng.randrange(tensor.size)] = flat[0]
    elif kind == "rows":
        tensor = np.concatenate([tensor, tensor[: rng.randrange(3)]])
    elif kind == "none":
        tensor = tensor[: rng.randrange(2)]
    elif kind == "type":
        with np.errstate(all="ignore"):
            tensor = tensor.astype(rng.choice(("float16", "int8", "int64", "uint32", "bool")))
    elif kind == "axes":
        tensor = rng.choice((tensor[None], tensor.reshape(-1), tensor[..., None]))
    return tensors if kind == "gone" else tensors | {name: np.ascontiguousarray(tensor)}


def _changed_value(value: Any, rng: random.Random) -> Any:
    """Replace a value somewhere below, take it out, or put it into a list."""
    if not isinstance(value, dict | list) or not value or rng.random() < 0.1:
        return rng.choice((None, True, -1, 2**40, 1e300, "", "text", "\ud83d", [], {}, [value]))
    key = rng.choice(sorted(value) if isinstance(value, dict) else range(len(value)))
    if rng.random() < 0.2:
        del value[key]
    else:
        value[key] = _changed_value(value[key], rng)
    return value


def _empty(content: bytes, rng: random.Random) -> bytes:
    return rng.choice((b"", b"\n", b"\0", b" ", b"\xef\xbb\xbf", b"{}", b"[]", b"null"))


CHANGES: dict[str, Change] = {
    "cut": _cut,
    "flip": _flip,
    "overwrite": _overwrite,
    "insert": _insert,
    "delete": _delete,
    "repeat": _repeat,
    "swap": _swap,
    "digits": _digits,
    "values": _values,
    "words": _words,
    "nest": _nest,
    "inside": _inside,
    "empty": _empty,
}
PLACES = ("another file", "a folder", "a pipe", "nothing", "a link to itself")


def damage_folder(folder: Path, seed: int, others: Path) -> str:
    """Damage one file below `folder`, and say how.

    Args:
        folder: with at least one file.
        seed: by which file and damage are drawn.
        others: a folder of files of other kinds, one of which may take the place.
    """
    rng = random.Random(seed)
    path = rng.choice(sorted(file for file in folder.rglob("*") if file.is_file()))
    kinds = [*CHANGES, "inside", "inside"] * 3 + [*PLACES]
    kind = rng.choice(kinds)
    if kind in CHANGES:
        path.write_bytes(_changed(path.read_bytes(), CHANGES[kind], rng))
    else:
        path.unlink()
        _replace(path, kind, rng, others)
    return f"{path.name}: {kind}"


def _changed(content: bytes, change: Change, rng: random.Random) -> bytes:
    packing = next((each for each in _PACKINGS if content.startswith(each.magic)), None)
    inside = packing is not None and rng.random() < 0.7
    whole = packing.unpack(content) if packing is not None and inside else content
    for _ in range(rng.choice((1, 1, 1, 3))):
        whole = change(whole or b"\0", rng)
    return packing.pack(whole) if packing is not None and inside else whole


def _replace(path: Path, kind: str, rng: random.Random, others: Path) -> None:
    if kind == "another file":
        other = rng.choice(sorted(file for file in others.rglob("*") if file.is_file()))
        path.write_bytes(other.read_bytes())
    elif kind == "a folder":
        path.mkdir()
    elif kind == "a pipe":
        os.mkfifo(path)
    elif kind == "a link to itself":
        path.symlink_to(path.name)


def _place(content: bytes, rng: random.Random) -> int:
    """A place in the content; every other time in its first bytes, where headers are."""
    return rng.randrange(min(len(content), rng.choice((64, len(content)))) or 1)


def _one_of(
    pattern: re.Pattern[bytes], content: bytes, rng: random.Random
) -> tuple[int, int] | None:
    """Where one of the first matches is; None where there is none."""
    at = _place(content, rng)
    found = pattern.search(content, max(at - 1, 0)) or pattern.search(content)
    return None if found is None else found.span()
