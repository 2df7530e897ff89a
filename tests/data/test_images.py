"""Files of images: what is read, and the sentence for each way that a file can be wrong."""

from __future__ import annotations

import gzip
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from foretext.base.errors import ImageFileError
from foretext.data.images import read_images

PIXELS = np.arange(24, dtype=np.uint8).reshape(2, 3, 4) * 10


def idx(stack: np.ndarray) -> bytes:
    kind = {"u1": 8, "f4": 13, "f8": 14}[stack.dtype.str[1:]]
    header = struct.pack(f">BBBB{stack.ndim}I", 0, 0, kind, stack.ndim, *stack.shape)
    return header + stack.astype(stack.dtype.newbyteorder(">")).tobytes()


def written(folder: Path, content: bytes, name: str = "images") -> Path:
    (folder / name).write_bytes(content)
    return folder / name


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_bytes_become_shares_of_white(tmp_path: Path, pack) -> None:
    images = read_images(written(tmp_path, pack(idx(PIXELS))))
    assert images.dtype == np.float32
    np.testing.assert_allclose(images, PIXELS / 255, rtol=1e-6)


@pytest.mark.parametrize("kind", ["f4", "f8"])
def test_fractions_stay(tmp_path: Path, kind: str) -> None:
    images = read_images(written(tmp_path, idx((PIXELS / 7).astype(kind))))
    np.testing.assert_allclose(images, PIXELS / 7, rtol=1e-6)


@given(stack=arrays(np.uint8, st.tuples(*[st.integers(1, 5)] * 3)))
def test_npy_and_idx_give_the_same(tmp_path_factory: pytest.TempPathFactory, stack) -> None:
    folder = tmp_path_factory.mktemp("images")
    np.save(folder / "stack.npy", stack)
    from_npy = read_images(folder / "stack.npy")
    np.testing.assert_array_equal(from_npy, read_images(written(folder, idx(stack))))


@pytest.mark.parametrize("length", [4, 7, 15, 16, 20, 39])
def test_a_file_that_is_cut_off(tmp_path: Path, length: int) -> None:
    path = written(tmp_path, idx(PIXELS)[:length])
    with pytest.raises(
        ImageFileError, match=rf"{path} has {length} bytes unpacked where its header"
    ):
        read_images(path)


def test_a_file_that_is_too_long(tmp_path: Path) -> None:
    with pytest.raises(ImageFileError, match=r"41 bytes .* \[2, 3, 4\] asks for 40; copy"):
        read_images(written(tmp_path, idx(PIXELS) + b"\0"))


@pytest.mark.parametrize(
    ("content", "begins"),
    [(b"", "nothing"), (b"\x89PNG\r\n", "89 50 4e 47"), (b"\0\0\x0b\3" + bytes(12), "00 00 0b 03")],
)
def test_another_kind_of_file(tmp_path: Path, content: bytes, begins: str) -> None:
    with pytest.raises(ImageFileError, match=f"but with {begins}; give an idx or a .npy file"):
        read_images(written(tmp_path, content))


def test_a_damaged_gzip_file(tmp_path: Path) -> None:
    packed = gzip.compress(idx(PIXELS))
    for content in (packed[:-6], packed[:12] + b"\xff\xff" + packed[14:]):
        with pytest.raises(
            ImageFileError, match=r"is a damaged gzip file \(.*\); copy or download"
        ):
            read_images(written(tmp_path, content))


def test_no_file(tmp_path: Path) -> None:
    for name, sentence in (("none", "cannot be read: No such file"), ("none.npy", "is missing")):
        with pytest.raises(ImageFileError, match=sentence):
            read_images(tmp_path / name)


def test_a_damaged_npy_file(tmp_path: Path) -> None:
    np.save(tmp_path / "whole.npy", PIXELS)
    for content in (b"", (tmp_path / "whole.npy").read_bytes()[:-1]):
        with pytest.raises(ImageFileError, match=r"is not a whole \.npy file of numbers"):
            read_images(written(tmp_path, content, "cut.npy"))


def test_no_pickle_is_opened(tmp_path: Path) -> None:
    np.save(tmp_path / "objects.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(ImageFileError, match=r"is not a whole \.npy file of numbers"):
        read_images(tmp_path / "objects.npy")


def test_numbers_of_unknown_range(tmp_path: Path) -> None:
    np.save(tmp_path / "large.npy", PIXELS.astype(np.int64))
    with pytest.raises(ImageFileError, match=r"type int64; save them as uint8 \(0 to 255\) or as"):
        read_images(tmp_path / "large.npy")


@pytest.mark.parametrize("shape", [(), (5,), (0, 28, 28)])
def test_no_stack_of_images(tmp_path: Path, shape: tuple[int, ...]) -> None:
    np.save(tmp_path / "stack.npy", np.zeros(shape, np.uint8))
    with pytest.raises(ImageFileError, match=r"an array of shape \(.*\); a stack of images has"):
        read_images(tmp_path / "stack.npy")


def test_not_a_number(tmp_path: Path) -> None:
    np.save(tmp_path / "stack.npy", np.full((2, 3), np.nan, np.float32))
    with pytest.raises(ImageFileError, match="numbers that are not finite"):
        read_images(tmp_path / "stack.npy")


@pytest.mark.shared_data
def test_mnist(shared_data: Path) -> None:
    images = read_images(shared_data / "mnist" / "t10k-images-idx3-ubyte.gz")
    assert images.shape == (10_000, 28, 28)
    assert (images.min(), images.max()) == (0, 1)
    assert images.mean() == pytest.approx(0.1325, abs=1e-4)


def test_a_header_is_believed_only_as_far_as_the_file_goes(tmp_path: Path) -> None:
    terabytes = struct.pack(">BBBB3I", 0, 0, 8, 3, 800_000, 1000, 1000)
    for pack in (bytes, gzip.compress):
        with pytest.raises(ImageFileError, match=r"asks for 800,000,000,016; copy or download"):
            read_images(written(tmp_path, pack(terabytes)))


def test_a_small_packed_file_of_many_images(tmp_path: Path) -> None:
    header = struct.pack(">BBBB3I", 0, 0, 8, 3, 100, 1000, 1000)
    packed = gzip.compress(header + bytes(100_000_000))
    with pytest.raises(ImageFileError, match=r"more than 100 times its size, .* with gunzip"):
        read_images(written(tmp_path, packed))


def test_a_shape_that_is_none_of_images(tmp_path: Path) -> None:
    for shape in ((4_000_000_000, 4_000_000_000, 0), (1,) * 200):
        content = struct.pack(f">BBBB{len(shape)}I", 0, 0, 8, len(shape), *shape)
        with pytest.raises(ImageFileError, match="a stack of images has an image a row"):
            read_images(written(tmp_path, content))


def npy(descr: str, shape: str, *, fortran: bool = False, numbers: bytes = b"") -> bytes:
    header = f"{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + numbers


@pytest.mark.parametrize(
    ("content", "cause"),
    [
        (npy("'|u1'", "(800000, 1000, 1000)"), "0 bytes are no array of shape"),
        (npy("'|u1'", "(-1, 4)"), "0 bytes are no array of shape"),
        (npy("'|u1'", f"({2**62}, {2**62}, 0)"), "cannot reshape"),
        (npy("'|O'", "(1, 1)", numbers=bytes(8)), "its type is object"),
        (npy("[('a', '|u1')]", "(1, 1)", numbers=bytes(8)), "its type is"),
        (npy("'" + "[" * 5000 + "'", "(1, 1)"), r"\("),
        (npy("'|u1'", "(" * 3000), r"\("),
        (b"\x93NUMPY\x03\x00", "version"),
        (b"", r"\("),
    ],
)
def test_hostile_npy_files(tmp_path: Path, content: bytes, cause: str) -> None:
    with pytest.raises(ImageFileError, match=rf"not a whole .npy file of numbers .*{cause}"):
        read_images(written(tmp_path, content, "stack.npy"))


def test_columns_first(tmp_path: Path) -> None:
    np.save(tmp_path / "stack.npy", np.asfortranarray(PIXELS))
    images = read_images(tmp_path / "stack.npy")
    np.testing.assert_allclose(images, PIXELS / 255, rtol=1e-6)
