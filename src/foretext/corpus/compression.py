"""Compressed files, recognised by their first bytes and unpacked as a stream.

gzip (RFC 1952), xz, bzip2 and Zstandard (RFC 8878), each also as several members in one file. A few
kilobytes can become gigabytes, so nothing is unpacked at once.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zlib
from collections.abc import Iterator
from typing import BinaryIO, Literal

from foretext.errors import CorpusError

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
LARGEST_PIECE = 1 << 28  # bytes in memory at once, by default
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
    "zstandard": (b"\x28\xb5\x2f\xfd",),
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
    promised = _SUFFIXES.get(f".{name.rpartition('.')[2].lower()}")
    if promised and head:
        raise CorpusError(
            f"{name} is not a {promised} file, though its suffix says so; "
            "rename it or compress it again."
        )
    return None


def unpacked(file: BinaryIO, name: str, largest: int = LARGEST_PIECE) -> Iterator[bytes]:
    """Yield the bytes of `file`, uncompressed, in pieces of about `READ_SIZE`.

    Args:
        file: read only as far as needed.
        name: of the file, for error messages.
        largest: bytes that unpacking may need: the window of Zstandard, the dictionary of xz.

    Raises:
        CorpusError: the compressed data ends too early, is damaged, or needs more than `largest`.
    """
    head = file.read(16)
    compression = compression_of(head, name)
    if compression is None:
        yield head
        yield from iter(lambda: file.read(READ_SIZE), b"")
        return
    size = 0
    try:
        for piece in _pieces(io.BufferedReader(_Rejoined(head, file)), compression, largest):
            size += len(piece)
            yield piece
    except EOFError:
        raise _damaged(name, compression, size, "ends too early") from None
    except _ERRORS as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # the device, not the data
        if "memory" in str(error).lower():
            raise _too_large(name, largest) from error
        raise _damaged(name, compression, size, "is corrupt") from error


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


def _pieces(file: io.BufferedReader, compression: Compression, largest: int) -> Iterator[bytes]:
    if compression == "zstandard":
        return _unpacked_zstandard(file, largest)
    if compression == "xz":
        return _unpacked_xz(file, largest)
    stream: io.BufferedIOBase
    stream = gzip.GzipFile(fileobj=file) if compression == "gzip" else bz2.BZ2File(file)
    return iter(lambda: stream.read(READ_SIZE), b"")


def _unpacked_xz(file: io.BufferedReader, largest: int) -> Iterator[bytes]:
    """Stream by stream, because the library's own reader has no memory limit."""
    data, ended = file.read(READ_SIZE), False
    while data:
        stream = lzma.LZMADecompressor(lzma.FORMAT_XZ, largest)
        try:
            piece = stream.decompress(data, READ_SIZE)
        except lzma.LZMAError:
            if ended:  # the rest after the last stream is not text
                return
            raise
        while not stream.eof:
            yield piece
            data = file.read(READ_SIZE) if stream.needs_input else b""
            if stream.needs_input and not data:
                raise EOFError
            piece = stream.decompress(data, READ_SIZE)
        yield piece
        data, ended = stream.unused_data or file.read(READ_SIZE), True


def _unpacked_zstandard(file: io.BufferedReader, largest: int) -> Iterator[bytes]:
    """Frame by frame, because the library's own stream does not report a truncated frame."""
    import zstandard

    decompressor = zstandard.ZstdDecompressor(max_window_size=largest)
    frame, fed = decompressor.decompressobj(), False
    pieces: list[bytes] = []
    while data := file.read(_ZSTANDARD_BYTES):
        while data:
            try:
                pieces.append(frame.decompress(data))
            except zstandard.ZstdError as error:
                raise zlib.error(str(error)) from error
            fed, data = not frame.eof, frame.unused_data
            if frame.eof:
                frame = decompressor.decompressobj()
        if sum(map(len, pieces)) >= READ_SIZE:
            yield b"".join(pieces)
            pieces = []
    yield b"".join(pieces)
    if fed:
        raise EOFError


_ERRORS = (zlib.error, lzma.LZMAError, OSError)


def _damaged(name: str, compression: str, size: int, what: str) -> CorpusError:
    return CorpusError(
        f"{name} is damaged: its {compression} data {what} after {size:,} bytes of text; "
        "download or compress it again."
    )


def _too_large(name: str, largest: int) -> CorpusError:
    return CorpusError(
        f"{name} needs more than {largest:,} bytes of memory to unpack; if you trust the file, "
        "raise max_piece_bytes."
    )
