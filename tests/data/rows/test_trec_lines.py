from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from foretext.base.errors import CorpusError, SettingError
from foretext.data.rows import (
    InputColumns,
    PairsConfig,
    RowsConfig,
    SentencesConfig,
    input_files,
    read_pairs,
    read_sentences,
    read_texts,
    text_inputs,
)

LINES = "LOC:city Where is it ?\n\nDESC:def What is 1 a : b ?\nNUM:dist how far is it ?\n"
TEXTS = ["Where is it ?", "What is 1 a : b ?", "how far is it ?"]


def written(folder: Path, text: str = LINES, name: str = "trec.txt") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("settings", "labels"),
    [
        ({}, ["LOC", "DESC", "NUM"]),
        ({"trec_labels": "fine"}, ["LOC:city", "DESC:def", "NUM:dist"]),
        ({"format": "trec"}, ["LOC", "DESC", "NUM"]),
    ],
)
def test_labels_are_coarse_or_fine(
    settings: dict[str, Any], labels: list[str], tmp_path: Path
) -> None:
    rows = read_texts(written(tmp_path, name="train.label"), RowsConfig.checked(settings, "rows"))
    assert [row.text for row in rows] == TEXTS
    assert [row.labels for row in rows] == [(label,) for label in labels]
    assert [row.place.rpartition(":")[2] for row in rows] == ["1", "3", "4"]


@pytest.mark.parametrize("learned", [RowsConfig(), RowsConfig(text=2, label=1)])
def test_inputs_have_no_labels(learned: RowsConfig, tmp_path: Path) -> None:
    columns = InputColumns(("text",), learned, keep=("label",), labels=frozenset({"LOC"}))
    (file,) = input_files(written(tmp_path), columns.reading)
    found = list(text_inputs(file, columns))
    assert [each.texts[0] for each in found] == TEXTS
    assert found[0].kept == {"label": "LOC"}


def test_texts_of_sentence_vectors_have_no_labels(tmp_path: Path) -> None:
    rows = read_sentences(written(tmp_path), SentencesConfig())
    assert [row.text for row in rows] == TEXTS


def test_texts_with_one_such_beginning_stay_texts(tmp_path: Path) -> None:
    path = written(tmp_path, "NB:see below\nanother line\nand one more\n")
    columns = InputColumns(("text",), RowsConfig())
    (file,) = input_files(path, columns.reading)
    found = [each.texts[0] for each in text_inputs(file, columns)]
    assert found == ["NB:see below", "another line", "and one more"]


def test_a_line_without_a_label_has_its_place(tmp_path: Path) -> None:
    path = written(tmp_path, LINES * 9 + "how long ?\n")
    with pytest.raises(CorpusError, match=r"line 37: the line does not begin with a label"):
        read_texts(path)


def test_rows_of_another_kind_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path)
    with pytest.raises(CorpusError, match="as in TREC, which are rows of `classification`"):
        read_pairs(path, PairsConfig())
    with pytest.raises(CorpusError, match="leave out the columns that you named"):
        read_texts(path, RowsConfig(text=2, label=1))
    with pytest.raises(SettingError, match="TREC's files have no columns"):
        RowsConfig.checked({"format": "trec", "text": "a"}, "rows")
    with pytest.raises(SettingError, match="trec_labels has no effect on format = 'csv'"):
        RowsConfig.checked({"format": "csv", "trec_labels": "fine"}, "rows")
