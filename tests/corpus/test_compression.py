from __future__ import annotations

import bz2
import gzip
import io
import lzma
import random
import struct
from collections.abc import Callable

import pytest
import zstandard

from foretext.base.errors import CorpusError
from foretext.corpus.compression import compression_of, unpacked, without_compression_suffix

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
    assert unpack(b"", "a.txt") == b""
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


@pytest.mark.quick_cases(1)
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


@pytest.mark.parametrize(
    ("suffix", "behind", "read"),
    [
        ("xz", bytes(512), True),  # stream padding
        ("xz", bytes(5), False),  # no multiple of four
        ("xz", bytes(4) + lzma.compress(b"more"), True),
        ("gz", bytes(5), True),  # padding of tapes
        ("gz", bytes(70_000), True),
        ("gz", bytes(512) + gzip.compress(b"more"), True),
        ("bz2", bytes(512), True),
        ("zst", bytes(8), False),
        *((suffix, b"other bytes", False) for suffix in PACK),
    ],
)
def test_what_follows_the_last_member(suffix: str, behind: bytes, read: bool) -> None:
    data = PACK[suffix](TEXT) + behind
    if read:
        assert unpack(data, f"a.{suffix}") in (TEXT, TEXT + b"more")
        assert unpack(data, f"a.{suffix}").endswith(b"more") == (len(behind.strip(b"\0")) > 0)
        return
    said = rf"(what follows its first|ends too early after) {len(TEXT):,} bytes of text"
    with pytest.raises(CorpusError, match=said):
        unpack(data, f"a.{suffix}")


@pytest.mark.parametrize("suffix", PACK)
def test_a_damaged_second_member_is_no_end(suffix: str) -> None:
    second = PACK[suffix](b"".join(b"other %d\n" % (n * n) for n in range(9_000)))
    for at in (0, 2, len(second) // 2):
        damaged = bytearray(second)
        damaged[at : at + 2] = bytes(byte ^ 0xFF for byte in damaged[at : at + 2])
        with pytest.raises(CorpusError, match=rf"^a.{suffix} is damaged"):
            unpack(PACK[suffix](TEXT) + bytes(damaged), f"a.{suffix}")


@pytest.mark.parametrize("kind", [0, 7, 15])
def test_skippable_frames_of_zstandard_anywhere(kind: int) -> None:
    skipped = struct.pack("<II", 0x184D2A50 + kind, 700) + bytes(700)
    frame = PACK["zst"](TEXT)
    assert unpack(skipped + frame, "a.zst") == TEXT  # as pzstd writes
    assert unpack(skipped * 2 + frame + skipped + frame + skipped, "a") == TEXT * 2
    for cut in (3, 6, 300):
        with pytest.raises(CorpusError, match="ends too early"):
            unpack(frame + skipped[:-cut], "a.zst")


def test_a_frame_that_needs_a_dictionary() -> None:
    words = [b"word %d of a dictionary of words" % (n % 50) for n in range(2000)]
    dictionary = zstandard.train_dictionary(1 << 12, words)
    data = zstandard.ZstdCompressor(dict_data=dictionary).compress(TEXT)
    with pytest.raises(CorpusError, match=r"zstd -dc -D DICTIONARY a\.zst"):
        unpack(data, "a.zst")


@pytest.mark.parametrize("suffix", PACK)
def test_an_empty_file_is_damaged_where_its_suffix_says_so(suffix: str) -> None:
    with pytest.raises(CorpusError, match=rf"a.txt.{suffix} is damaged: it is empty"):
        unpack(b"", f"a.txt.{suffix}")


def test_a_pointer_of_git_lfs_is_no_text() -> None:
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"
    for name in ("a.txt", "a.txt.gz", "a.parquet"):
        with pytest.raises(CorpusError, match=rf"{name} is not the file itself but .* Git LFS"):
            unpack(pointer, name)


@pytest.mark.parametrize("suffix", PACK)
def test_damage_of_any_kind_never_gives_a_part(suffix: str) -> None:
    """Members, padding, cuts and flipped bits: all of the text, or an error."""
    draw = random.Random(suffix)
    cut_at_ends = 0
    for _ in range(150):
        texts = [draw.randbytes(draw.choice((0, 3, 900))) for _ in range(draw.randint(1, 3))]
        members = [PACK[suffix](text) for text in texts]
        data = b"".join(members)
        ends = [len(b"".join(members[:number])) for number in range(1, len(members) + 1)]
        wanted = b"".join(texts)
        match draw.randrange(4):
            case 0:
                cut = draw.choice([draw.randrange(1, len(data)), *ends])
                data = data[:cut]
                if cut in ends:  # nobody can see that there was more
                    wanted = b"".join(texts[: ends.index(cut) + 1])
                    cut_at_ends += 1
            case 1:
                at = draw.randrange(len(data))
                data = data[:at] + bytes([data[at] ^ 1 << draw.randrange(8)]) + data[at + 1 :]
            case 2:
                at = draw.randrange(len(data))
                data = data[:at] + draw.randbytes(draw.randint(1, 9)) + data[at:]
            case 3:
                data += draw.choice((bytes(4), bytes(3), b"\x1f", b"BZ", b"(", b"\xfd7", b"x"))
        try:
            found = unpack(data, f"a.{suffix}")
        except CorpusError:
            continue
        assert found == wanted
    assert cut_at_ends > 5
