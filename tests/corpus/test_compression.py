from __future__ import annotations

import bz2
import gzip
import io
import lzma
from collections.abc import Callable

import pytest
import zstandard

from foretext.corpus.compression import compression_of, unpacked, without_compression_suffix
from foretext.errors import CorpusError

TEXT = b"".join(b"line %d\n" % number for number in range(40_000))
PACK: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "xz": lzma.compress,
    "bz2": bz2.compress,
    "zst": zstandard.ZstdCompressor(write_checksum=True).compress,
}


def unpack(data: bytes, name: str) -> bytes:
    return b"".join(unpacked(io.BytesIO(data), name))


@pytest.mark.parametrize("suffix", PACK)
def test_each_kind_is_told_by_its_bytes(suffix: str) -> None:
    data = PACK[suffix](TEXT)
    assert unpack(data, f"a.{suffix}") == TEXT
    assert unpack(data, "a") == TEXT


@pytest.mark.parametrize("suffix", PACK)
def test_several_members_end_to_end(suffix: str) -> None:
    assert unpack(PACK[suffix](TEXT) + PACK[suffix](b"more"), f"a.{suffix}") == TEXT + b"more"
    assert unpack(PACK[suffix](b""), f"a.{suffix}") == b""


@pytest.mark.parametrize("suffix", PACK)
@pytest.mark.parametrize("keep", [0.5, 0.99])
def test_a_truncated_file_is_named(suffix: str, keep: float) -> None:
    data = PACK[suffix](TEXT)
    with pytest.raises(CorpusError, match=rf"^a.{suffix} is damaged: .* ends too early after"):
        unpack(data[: int(len(data) * keep)], f"a.{suffix}")


@pytest.mark.parametrize("suffix", PACK)
def test_a_corrupt_file_is_named(suffix: str) -> None:
    data = bytearray(PACK[suffix](TEXT))
    data[len(data) // 2 : len(data) // 2 + 64] = bytes(64)
    with pytest.raises(CorpusError, match=rf"^a.{suffix} is damaged: .*download or compress"):
        unpack(bytes(data), f"a.{suffix}")


def test_plain_bytes_pass_and_a_lying_name_is_refused() -> None:
    assert unpack(TEXT, "a.txt") == TEXT
    assert unpack(b"", "a.gz") == b""
    with pytest.raises(CorpusError, match=r"^a.txt.gz is not a gzip file, though its suffix says"):
        unpack(TEXT, "a.txt.gz")
    assert compression_of(b"BZh is a word", "a.txt") is None


def test_a_failing_device_is_no_damage() -> None:
    class Failing(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            if self.tell() > 0:
                raise OSError(5, "Input/output error")
            return super().read(size)

    with pytest.raises(OSError, match="Input/output error"):
        b"".join(unpacked(Failing(gzip.compress(TEXT)), "a.gz"))


def test_suffixes() -> None:
    assert without_compression_suffix("a.txt.gz") == "a.txt"
    assert without_compression_suffix("a.JSONL.ZST") == "a.JSONL"
    assert without_compression_suffix("a.txt") == "a.txt"


@pytest.mark.parametrize("suffix", PACK)
def test_what_is_packed_tightly_comes_in_small_pieces(suffix: str) -> None:
    data = PACK[suffix](bytes(200_000_000))
    sizes = list(map(len, unpacked(io.BytesIO(data), "a")))
    assert sum(sizes) == 200_000_000
    assert max(sizes) <= 16 << 20


def test_a_window_or_dictionary_that_takes_much_memory() -> None:
    settings = zstandard.ZstdCompressionParameters(window_log=27)
    frame = zstandard.ZstdCompressor(compression_params=settings).compressobj()
    data = {"zst": frame.compress(TEXT) + frame.flush(), "xz": lzma.compress(TEXT, preset=9)}
    for suffix, packed in data.items():
        assert b"".join(unpacked(io.BytesIO(packed), f"a.{suffix}")) == TEXT
        with pytest.raises(CorpusError, match=r"needs more than 1,048,576 .* raise max_piece"):
            list(unpacked(io.BytesIO(packed), f"a.{suffix}", 1 << 20))


def test_what_follows_an_xz_stream_is_left_out() -> None:
    assert unpack(lzma.compress(TEXT) + bytes(512), "a.xz") == TEXT
