"""Files become values, or one sentence of the class that the caller names."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from foretext.base.errors import CorpusError, ModelFileError, OutputError, VectorFileError
from foretext.base.parsing import (
    file_checksum,
    read_json,
    read_tensors,
    read_text,
    read_toml,
    tensor_file,
    write_tensors,
)

TENSORS: dict[str, Any] = {
    "half": np.arange(6, dtype=np.float16).reshape(2, 3),
    "single": np.linspace(0, 1, 5, dtype=np.float32),
    "double": np.array(3.5),
    "bytes": np.frombuffer("größe".encode(), np.uint8),
    "flags": np.array([True, False]),
    "empty": np.zeros((0, 4), np.int64),
    "turned": np.arange(12, dtype=np.int32).reshape(3, 4).T,
}


@dataclass
class Point:
    x: int
    y: float = 0.0


DAMAGED_JSON = {
    "empty": (b"", "EOF while parsing"),
    "cut off": (b'{"x": 1', "EOF while parsing"),
    "no UTF-8": (b'{"x": "\xff"}', "damaged"),
    "deep": (b"[" * 100_000, "recursion limit exceeded"),
    "another type": (b'{"x": "1"}', r"'x' = '1' should be a valid integer"),
    "a field less": (b"{}", "'x' is missing"),
    "a list": (b"[1]", "should be"),
    "long": (b'{"x": "' + b"1" * 5000 + b'"}', r"1\.\.\. should be"),
}


@pytest.mark.parametrize(("content", "said"), DAMAGED_JSON.values(), ids=DAMAGED_JSON)
def test_damaged_json(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "point.json"
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match=said) as raised:
        read_json(path, ModelFileError, Point)
    assert str(raised.value).startswith(str(path))
    assert len(str(raised.value)) < 400


def test_json_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "point.json"
    path.write_bytes(b'\xef\xbb\xbf{"x": 1, "y": 2}')
    assert read_json(path, ModelFileError, Point) == Point(1, 2.0)


def test_what_is_no_file(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    large = tmp_path / "large"
    large.write_bytes(b"12345")
    for path, said in (
        (tmp_path / "absent", "is missing"),
        (tmp_path, "is no file"),
        (pipe, "is no file"),
        (tmp_path / ("x" * 300), "cannot be read: File name too long"),
        (tmp_path / "a\0b", "cannot be read"),
        (large, "has 5 bytes, and such a file has 4 at most"),
    ):
        with pytest.raises(CorpusError, match=said):
            read_text(path, CorpusError, largest=4)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"x = ", "is not TOML: Invalid value"),
        (b"x = 1", "'x' stands outside of a section"),
        (b"[a]\nx = " + b"[" * 50_000, "nested too deeply"),
        (b"\xff\xfe", "it is not UTF-8"),
        (b"[a]\nx = " + b"9" * 10_000, "is not TOML"),
    ],
)
def test_damaged_toml(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "recipe.toml"
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match=said):
        read_toml(path, ModelFileError)


class TestTensors:
    def test_the_library_reads_what_we_write(self, tmp_path: Path) -> None:
        write_tensors(tmp_path / "ours", TENSORS, {"b": "2", "a": "1"})
        found = load_file(tmp_path / "ours")
        assert found.keys() == TENSORS.keys()
        for name, tensor in TENSORS.items():
            assert found[name].dtype == tensor.dtype
            np.testing.assert_array_equal(found[name], tensor)

    def test_we_read_what_the_library_writes(self, tmp_path: Path) -> None:
        whole = {name: np.ascontiguousarray(tensor) for name, tensor in TENSORS.items()}
        save_file(whole, tmp_path / "theirs", {"a": "1"})
        found = read_tensors(tmp_path / "theirs", VectorFileError)
        assert found.metadata == {"a": "1"}
        for name, tensor in TENSORS.items():
            np.testing.assert_array_equal(found.tensors[name], tensor)

    def test_equal_tensors_give_equal_files_in_every_process(self, tmp_path: Path) -> None:
        script = (
            "import sys; import numpy as np; from pathlib import Path\n"
            "from foretext.base.parsing import write_tensors\n"
            "metadata = {f'key{i}': str(i) for i in range(20)}\n"
            "write_tensors(Path(sys.argv[1]), {'x': np.ones(3), 'a': np.ones(2)}, metadata)"
        )
        checksums = set()
        for number in range(3):
            path = tmp_path / str(number)
            subprocess.run([sys.executable, "-c", script, str(path)], check=True)
            checksums.add(file_checksum(path, OutputError))
        assert len(checksums) == 1

    @pytest.mark.parametrize("size", [0, 7, 8, 60, 200])
    def test_one_that_is_cut_off(self, tmp_path: Path, size: int) -> None:
        path = tmp_path / "tensors"
        write_tensors(path, TENSORS)
        path.write_bytes(path.read_bytes()[:size])
        with pytest.raises(VectorFileError, match="is damaged, or no safetensors file"):
            read_tensors(path, VectorFileError)

    def test_one_that_lacks_a_tensor(self, tmp_path: Path) -> None:
        path = tmp_path / "tensors"
        write_tensors(path, {"vectors": np.ones(3, np.float32)})
        with pytest.raises(VectorFileError, match=r"no tensor 'vectors' of 2 axes .* only 'vect"):
            read_tensors(path, VectorFileError, {"vectors": ("float32", 2)})

    def test_a_full_disk_says_how_many_bytes_are_missing(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def full(*_: object) -> None:
            raise OSError(28, "No space left on device")

        path = tmp_path / "tensors"
        path.write_text("the old one")
        monkeypatch.setattr(tensor_file, "_write", full)
        monkeypatch.setattr(tensor_file.shutil, "disk_usage", lambda _: type("", (), {"free": 9}))
        with pytest.raises(OutputError, match=r"needs [\d,]+ bytes, and [\d,]+ are free"):
            write_tensors(path, TENSORS)
        assert path.read_text() == "the old one"
        assert [each.name for each in tmp_path.iterdir()] == ["tensors"]


def test_a_pointer_of_git_lfs_in_place_of_a_file(tmp_path: Path) -> None:
    from foretext.base.parsing.tensor_file import read_torch

    path = tmp_path / "model.safetensors"
    path.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 440449768\n")
    for read in (read_torch, read_tensors, read_json, read_text):
        with pytest.raises(ModelFileError, match=r"safetensors is not the file .* `git lfs pull`"):
            read(path, ModelFileError)
