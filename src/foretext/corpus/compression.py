"""Compressed files, recognised by their first bytes and unpacked as a stream.

gzip (RFC 1952), xz, bzip2 and Zstandard (RFC 8878), each also as several members in one file. A few
kilobytes can become gigabytes, so nothing is unpacked at once.

The libraries' own readers of files stop without a word at a second member that is damaged, so
members are read one by one here. After the last one, zeros may follow as the standard tools accept
them: tape padding after gzip and bzip2, stream padding of xz, in fours.
"""

from __future__ import annotations

import bz2
import io
import lzma
import zlib
from collections.abc import Callable, Iterator
from typing import BinaryIO, Literal, Protocol

from foretext.base.errors import CorpusError
from foretext.base.parsing.lfs_pointer import lfs_pointer_error
from foretext.messages import message

__all__ = [
    "LARGEST_PIECE",
    "READ_SIZE",
    "Compression",
    "compression_of",
    "unpacked",
    "without_compression_suffix",
]

Compression = Literal["gzip", "xz", "bzip2", "zstandard"]

READ_SIZE = 1 << 16  # bytes: they stay in the cache through decoding and the next steps
STORED_SIZE = 1 << 14  # compressed bytes, so that what was read tells what was unpacked
LARGEST_PIECE = 1 << 28  # bytes in memory at once, by default
_HEAD = 64  # bytes that show what a file is
_ZSTANDARD_BYTES = 512  # read at once: four bytes can become 128 kB
_SUFFIXES: dict[str, Compression] = {
    ".gz": "gzip",
    ".xz": "xz",
    ".bz2": "bzip2",
    ".zst": "zstandard",
}
_MAGIC: dict[Compression, tuple[bytes, ...]] = {
    "gzip": (b"\x1f\x8b",),
    "xz": (b"\xfd7zXZ\0",),
    "bzip2": tuple(
        b"BZh%d%b" % (level, block)
        for level in range(1, 10)
        for block in (b"1AY&SY", b"\x17rE8P\x90")
    ),
    "zstandard": (
        b"\x28\xb5\x2f\xfd",
        *(bytes([0x50 + kind]) + b"\x2a\x4d\x18" for kind in range(16)),  # skippable frames
    ),
}
_TOOLS: dict[Compression, str] = {
    "gzip": "gzip",
    "xz": "xz",
    "bzip2": "bzip2",
    "zstandard": "zstd",
}


def without_compression_suffix(name: str) -> str:
    """Return `name` without `.gz`, `.xz`, `.bz2` or `.zst` at its end."""
    stem, dot, suffix = name.rpartition(".")
    return stem if dot + suffix.lower() in _SUFFIXES else name


def compression_of(head: bytes, name: str) -> Compression | None:
    """Return how the file `name` is compressed, by its first bytes; None: it is not.

    Raises:
        CorpusError: the suffix is that of another compression.
    """
    for compression, magics in _MAGIC.items():
        if head.startswith(magics):
            return compression
    promised = _promised(name)
    if promised and head:
        raise CorpusError(message("files.text.suffix", name=name, kind=promised))
    return None


def _promised(name: str) -> Compression | None:
    return _SUFFIXES.get(f".{name.rpartition('.')[2].lower()}")


def unpacked(
    file: BinaryIO, name: str, largest: int = LARGEST_PIECE, remedy: str = "raise max_piece_bytes"
) -> Iterator[bytes]:
    """Yield the bytes of `file`, uncompressed, in pieces of about `READ_SIZE`.

    Args:
        file: read only as far as needed.
        name: of the file, for error messages.
        largest: bytes that unpacking may need: the window of Zstandard, the dictionary of xz.
        remedy: what to do where it needs more.

    Raises:
        CorpusError: the compressed data ends too early, is damaged, or needs more than `largest`;
            or the file is a pointer of Git LFS.
    """
    head = file.read(_HEAD)
    if (pointer := lfs_pointer_error(head, name, CorpusError)) is not None:
        raise pointer
    compression = compression_of(head, name)
    if compression is None:
        _refuse_empty(head, name)
        yield head
        yield from iter(lambda: file.read(READ_SIZE), b"")
        return
    size = 0
    try:
        for piece in _pieces(io.BufferedReader(_Rejoined(head, file)), compression, largest):
            size += len(piece)
            yield piece
    except EOFError:
        raise _damaged(name, compression, size, "ends_too_early") from None
    except _OtherBytesError:
        raise _followed(name, compression, size) from None
    except _ERRORS as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # the device, not the data
        if "memory" in str(error).lower():
            raise _too_large(name, largest, remedy) from error
        if "dictionary" in str(error).lower():
            raise CorpusError(
                f"{name} was compressed with a dictionary of Zstandard; unpack it with that "
                f"dictionary first (`zstd -dc -D DICTIONARY {name}`)."
            ) from error
        raise _damaged(name, compression, size, "corrupt") from error


class _OtherBytesError(Exception):
    """What follows a whole member is no member."""


class _Rejoined(io.RawIOBase):
    """The bytes that were read already, and then the rest of the file."""

    def __init__(self, head: bytes, file: BinaryIO) -> None:
        self._head = head
        self._file = file

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        piece = self._head[: len(buffer)] or self._file.read(len(buffer))
        self._head = self._head[len(buffer) :]
        buffer[: len(piece)] = piece
        return len(piece)


class _Member(Protocol):
    """Unpacks one member, as the objects of `bz2` and `lzma` do."""

    @property
    def eof(self) -> bool: ...

    @property
    def needs_input(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, max_length: int = ...) -> bytes: ...


class _GzipMember:
    """A member of gzip, its check sum and its length included."""

    def __init__(self) -> None:
        self._object = zlib.decompressobj(wbits=31)

    @property
    def eof(self) -> bool:
        return self._object.eof

    @property
    def needs_input(self) -> bool:
        return not self._object.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return self._object.unused_data

    def decompress(self, data: bytes, max_length: int = 0) -> bytes:
        return self._object.decompress(self._object.unconsumed_tail + data, max_length)


def _pieces(file: io.BufferedReader, compression: Compression, largest: int) -> Iterator[bytes]:
    if compression == "zstandard":
        return _unpacked_zstandard(file, largest)
    if compression == "xz":  # the only one with a dictionary that can be large
        return _members(file, lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, largest), 4)
    return _members(file, _GzipMember if compression == "gzip" else bz2.BZ2Decompressor, 1)


def _members(
    file: io.BufferedReader, begin: Callable[[], _Member], padding: int
) -> Iterator[bytes]:
    """Yield the bytes of all members; zeros may follow each, as many as a multiple of `padding`."""
    data, is_first = file.read1(STORED_SIZE), True
    while data:
        member = begin()
        try:
            piece = member.decompress(data, READ_SIZE)
        except _ERRORS as error:
            if is_first:
                raise
            raise _OtherBytesError from error
        while not member.eof:
            yield piece
            data = file.read1(STORED_SIZE) if member.needs_input else b""
            if member.needs_input and not data:
                raise EOFError
            piece = member.decompress(data, READ_SIZE)
        yield piece
        data, is_first = _behind_zeros(member.unused_data, file, padding), False


def _behind_zeros(data: bytes, file: io.BufferedReader, padding: int) -> bytes:
    """Return what follows a member, without the zeros before it; nothing at the end of the file."""
    number = 0
    while not (rest := data.lstrip(b"\0")):
        number += len(data)
        if not (data := file.read1(STORED_SIZE)):
            break
    number += len(data) - len(rest)
    if number % padding:
        raise _OtherBytesError
    return rest


def _unpacked_zstandard(file: io.BufferedReader, largest: int) -> Iterator[bytes]:
    """Frame by frame, because the library's own stream does not report a truncated frame."""
    import zstandard

    decompressor = zstandard.ZstdDecompressor(max_window_size=largest)
    frame, fed, is_first = decompressor.decompressobj(), False, True
    pieces: list[bytes] = []
    while data := file.read(_ZSTANDARD_BYTES):
        while data:
            try:
                pieces.append(frame.decompress(data))
            except zstandard.ZstdError as error:
                yield b"".join(pieces)
                if not (fed or is_first) and "frame descriptor" in str(error).lower():
                    raise _OtherBytesError from error
                raise zlib.error(str(error)) from error
            fed, data = not frame.eof, frame.unused_data
            if frame.eof:
                frame, is_first = decompressor.decompressobj(), False
        if sum(map(len, pieces)) >= READ_SIZE:
            yield b"".join(pieces)
            pieces = []
    yield b"".join(pieces)
    if fed:
        raise EOFError


_ERRORS = (zlib.error, lzma.LZMAError, OSError)


def _refuse_empty(head: bytes, name: str) -> None:
    """Refuse a file without a byte that should be a compressed one, as the tools do."""
    if not head and (promised := _promised(name)):
        raise CorpusError(message("errors.compressed.empty", name=name, compression=promised))


def _damaged(name: str, compression: str, size: int, fault: str) -> CorpusError:
    known = {"name": name, "compression": compression, "bytes": size}
    return CorpusError(message(f"errors.compressed.{fault}", **known))


def _followed(name: str, compression: Compression, size: int) -> CorpusError:
    return CorpusError(
        f"{name} is damaged: what follows its first {size:,} bytes of text is no {compression} "
        "data; download it again or, if the rest is no part of it, unpack it with "
        f"`{_TOOLS[compression]} -dc {name}` and give what that writes."
    )


def _too_large(name: str, largest: int, remedy: str) -> CorpusError:
    return CorpusError(
        f"{name} needs more than {largest:,} bytes of memory to unpack; if you trust the file, "
        f"{remedy}."
    )
