"""Tensors that stay on disk: the same as those that are read, and nothing from beyond the file."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

from foretext.base.errors import ModelFileError
from foretext.base.parsing import map_tensors, read_tensors, write_tensors

TENSORS = {
    "rows": np.arange(12, dtype=np.int8).reshape(3, 4),
    "starts": np.array([1, 5, 7], np.int64),
    "half": np.ones((2, 3), np.float16),
    "none": np.empty((0, 5), np.float32),
}
EXPECTED = {name: (tensor.dtype.name, tensor.ndim) for name, tensor in TENSORS.items()}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    write_tensors(tmp_path / "a.safetensors", TENSORS, {"made": "here"})
    return tmp_path / "a.safetensors"


def test_the_same_as_those_that_are_read(path: Path) -> None:
    mapped, read = map_tensors(path, ModelFileError, EXPECTED), read_tensors(path, ModelFileError)
    assert mapped.keys() == read.tensors.keys()
    for name, tensor in mapped.items():
        np.testing.assert_array_equal(tensor, read.tensors[name])
        assert tensor.dtype == read.tensors[name].dtype


def test_nobody_can_write_into_the_file(path: Path) -> None:
    mapped = map_tensors(path, ModelFileError, EXPECTED)
    with pytest.raises(ValueError, match="read-only"):
        mapped["rows"][0, 0] = 1


def _rewritten(path: Path, **changes: object) -> None:
    content = path.read_bytes()
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    header["rows"] |= changes
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + content[8 + length :])


@pytest.mark.parametrize(
    "changes",
    [
        {"data_offsets": [0, 1 << 40]},
        {"data_offsets": [12, 0]},
        {"shape": [3, 5]},
        {"shape": [-3, -4]},
        {"dtype": "F4"},
        {"data_offsets": [0, -1]},
        {"shape": [1 << 62, 4]},
    ],
    ids=str,
)
def test_a_header_that_lies(path: Path, changes: dict[str, object]) -> None:
    _rewritten(path, **changes)
    with pytest.raises(ModelFileError, match=r"is damaged|no tensor"):
        map_tensors(path, ModelFileError, EXPECTED)


@pytest.mark.parametrize("content", [b"", b"\xff" * 8, b"\xff" * 7, b"\x02" + b"\0" * 7 + b"{}"])
def test_what_is_no_such_file(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match=r"damaged|no tensor"):
        map_tensors(path, ModelFileError, EXPECTED)


def test_a_file_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match="is missing"):
        map_tensors(tmp_path / "none", ModelFileError, EXPECTED)


def test_a_tensor_of_another_type(path: Path) -> None:
    with pytest.raises(ModelFileError, match="no tensor 'rows' of 2 axes and type float32"):
        map_tensors(path, ModelFileError, {"rows": ("float32", 2)})


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ModelFileError, match="is no file"):
        map_tensors(tmp_path / "pipe", ModelFileError, EXPECTED)
