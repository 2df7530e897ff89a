"""The user's list of entities: what is read of it, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from foretext.base.errors import CorpusError
from foretext.corpus.entity_list import read_entities


def written(folder: Path, data: bytes) -> Path:
    path = folder / "names.txt"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    "data",
    [
        "New York\n北京\n".encode(),
        "北京\nNew York".encode(),
        "\ufeff北京\nNew York\n".encode(),
        "北京\r\nNew York\r\n".encode(),
        "\n北京\n\n  New   York \nNew York\n北京\n".encode(),
    ],
    ids=["plain", "no last line end", "byte order mark", "carriage returns", "blanks and doubles"],
)
def test_one_on_each_line(tmp_path: Path, data: bytes) -> None:
    assert read_entities(written(tmp_path, data)) == ["New York", "北京"]


def test_names_are_in_the_normal_form_of_a_corpus(tmp_path: Path) -> None:
    assert read_entities(written(tmp_path, "Zu\u0308rich\n".encode())) == ["Zürich"]


@pytest.mark.parametrize("data", [b"", b"\n \n\r\n", "\ufeff".encode()])
def test_an_empty_list_is_refused(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(CorpusError, match=r"names.txt has no entity; write one on each line"):
        read_entities(written(tmp_path, data))


def test_a_missing_list_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"names.txt is missing"):
        read_entities(tmp_path / "names.txt")


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (
            "北京大学\n上海交通大学\n清华大学的历史\n".encode("gb18030"),
            r"names.txt, line 1: byte 0 \(0xb1\) is not UTF-8; it looks like gb18030: convert it "
            r"with `iconv -f gb18030 -t utf-8`",
        ),
        ("Paris\nZürich\n".encode("cp1252"), r"line 2: byte 7 \(0xfc\) .* it looks like cp1252"),
        ("Paris\nRome\n".encode("utf-16"), "line 1: a NUL byte"),
        ("Zürich Köln Malmö Århus\n".encode() * 9 + b"Rome\xff\n", r"line 10: .* correct that"),
    ],
    ids=["gb18030", "cp1252", "utf-16", "a damaged byte"],
)
def test_another_encoding_is_one_sentence(tmp_path: Path, data: bytes, sentence: str) -> None:
    with pytest.raises(CorpusError, match=sentence):
        read_entities(written(tmp_path, data))
