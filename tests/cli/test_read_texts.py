"""Lines of texts on the command line: packed or not, with line ends of any system."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from foretext.base.errors import CorpusError
from foretext.cli.shared import read_texts

LINES = ["the ship", "", "Größe \u2028 und \x85 bleiben", "古い船"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_lines(tmp_path: Path, end: str, pack: type[bytes]) -> None:
    (tmp_path / "a").write_bytes(pack(end.join([*LINES, ""]).encode()))
    assert list(read_texts(str(tmp_path / "a"))) == LINES


def test_what_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"good\ncaf\xe9\n")
    with pytest.raises(CorpusError, match=r"a, line 2: this is not UTF-8"):
        list(read_texts(str(tmp_path / "a")))
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"good\n" * 1000)[:-9])
    with pytest.raises(CorpusError, match=r"a\.gz is damaged"):
        list(read_texts(str(tmp_path / "a.gz")))
