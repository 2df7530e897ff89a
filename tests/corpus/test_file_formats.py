from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from foretext.base.errors import SettingError
from foretext.corpus import Corpus, CorpusConfig
from foretext.corpus.file_formats import FORMATS, FileFormat
from foretext.corpus.sources import SUFFIXES
from foretext.recipe.sections import described


def starred(chunks: Iterable[str], column: str, name: str, largest: int) -> Iterator[str]:
    """Read a format of our own: texts between stars."""
    yield from "".join(chunks).strip("*\n").split("*")


def test_a_format_is_one_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    row = FileFormat((".star",), "tests.corpus.test_file_formats:starred")
    monkeypatch.setitem(FORMATS, "stars", row)
    path = tmp_path / "texts.star"
    path.write_text("*one text*another text*\n")
    config = CorpusConfig.checked({"format": "stars"}, "corpus")
    documents = [*Corpus(str(path), config)]
    assert documents == ["one text", "another text"]


def test_no_two_formats_have_a_suffix() -> None:
    assert len(SUFFIXES) == sum(len(format.suffixes) for format in FORMATS.values())


@pytest.mark.parametrize("name", ["xml", "TXT"])
def test_others_are_refused_with_the_names(name: str) -> None:
    names = "should be 'auto', 'txt', 'jsonl', 'csv', 'tsv' or 'parquet'"
    with pytest.raises(SettingError, match=rf"\[corpus\] format = '{name}': {names}"):
        CorpusConfig.checked({"format": name}, "corpus")


def test_the_names_are_shown_with_the_setting() -> None:
    (found,) = (each for each in described(CorpusConfig, {}) if each.name == "format")
    assert found.values == ", ".join(["auto", *FORMATS])
