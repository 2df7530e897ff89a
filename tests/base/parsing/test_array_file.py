"""Arrays in files: of the length that is said, with values that were looked at."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from foretext.base.errors import CorpusError, OutputError
from foretext.base.parsing import check_values, map_array, new_array, read_part, temporary_array


def test_a_part_is_read(tmp_path: Path) -> None:
    np.arange(10, dtype=np.int32).tofile(tmp_path / "numbers.bin")
    assert read_part(tmp_path / "numbers.bin", "int32", 3, 2, CorpusError).tolist() == [3, 4]
    with pytest.raises(CorpusError, match=r"numbers\.bin is damaged: it ends too early"):
        read_part(tmp_path / "numbers.bin", "int32", 9, 2, CorpusError)
    with pytest.raises(CorpusError, match=r"none\.bin cannot be read"):
        read_part(tmp_path / "none.bin", "int32", 0, 1, CorpusError)


def test_a_new_array_is_zeros_that_stay(tmp_path: Path) -> None:
    array = new_array(tmp_path / "new.bin", "float32", 5)
    assert array.tolist() == [0.0] * 5
    array[2] = 7
    assert map_array(tmp_path / "new.bin", "float32", 5, CorpusError).tolist() == [0, 0, 7, 0, 0]


def test_a_temporary_array_leaves_no_file(tmp_path: Path) -> None:
    array = temporary_array(tmp_path, "int64", 5)
    array[3] = 7
    assert array.tolist() == [0, 0, 0, 7, 0]
    assert temporary_array(tmp_path, "int64", 0).tolist() == []
    del array
    assert not list(tmp_path.iterdir())


def test_a_full_disk_is_told_before_it_is_written_to(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
        with pytest.raises(OutputError, match=r"new\.bin cannot be written"):
            new_array(tmp_path / "new.bin", "float32", 5000)
        with pytest.raises(OutputError, match="cannot be written"):
            temporary_array(tmp_path, "float32", 5000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


@pytest.mark.parametrize("length", [-1, 4, 10**30])
def test_another_length_is_refused(tmp_path: Path, length: int) -> None:
    np.arange(5, dtype=np.int32).tofile(tmp_path / "numbers.bin")
    with pytest.raises(CorpusError) as refused:
        map_array(tmp_path / "numbers.bin", "int32", length, CorpusError)
    assert str(refused.value) == (
        f"{tmp_path}/numbers.bin is damaged: it has 20 bytes instead of {4 * length:,}; delete the "
        "folder that holds it and run again."
    )


def test_an_empty_file_has_nothing_to_check(tmp_path: Path) -> None:
    (tmp_path / "none.bin").touch()
    array = map_array(tmp_path / "none.bin", "int32", 0, CorpusError)
    check_values(tmp_path / "none.bin", array, lambda _: "never asked", CorpusError, checksum=0)
