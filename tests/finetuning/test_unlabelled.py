"""Texts without labels: every form of a file, what is left out, and what is warned of."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from foretext.base.errors import CorpusError
from foretext.data.rows import LabelledText, RowsConfig, TaggedConfig
from foretext.finetuning.job import FinetuneJob
from foretext.finetuning.task_rows import TaskRows
from foretext.finetuning.unlabelled import new_texts, read_unlabelled, unlabelled_source


def texts_of(path: Path, config: Any = None) -> list[str]:
    rows = read_unlabelled(str(path), config or RowsConfig())
    assert all(row.labels == () for row in rows)
    return [row.text for row in rows]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.txt", "a ship\na field\n"),
        ("a.csv", "text,topic\na ship,sea\na field,\n"),
        ("a.tsv", "topic\ttext\nsea\ta ship\nland\ta field\n"),
        ("a.jsonl", '{"text": "a ship"}\n{"text": "a field", "label": "land"}\n'),
        ("b.txt", "sea\ta ship\nland\ta field\n"),
        ("c.txt", "__label__sea a ship\n__label__land a field\n"),
    ],
)
def test_a_file_of_any_form(name: str, content: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    assert texts_of(path) == ["a ship", "a field"]


def test_columns_are_those_of_the_rows_to_learn_from(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("body,text\na ship,other\n")
    assert texts_of(tmp_path / "a.csv", RowsConfig(text="body", label="topic")) == ["a ship"]
    (tmp_path / "b.tsv").write_text("a ship\tsea\n")
    assert texts_of(tmp_path / "b.tsv", RowsConfig(text=1, label=2)) == ["a ship"]
    assert texts_of(tmp_path / "a.csv", TaggedConfig()) == ["other"]


def test_texts_in_memory() -> None:
    source = unlabelled_source(["a ship", "a\nfield"])
    assert [row.text for row in read_unlabelled(source, RowsConfig())] == ["a ship", "a\nfield"]
    table = unlabelled_source([{"text": "a ship", "other": 1}])
    assert [row.text for row in read_unlabelled(table, RowsConfig())] == ["a ship"]


def test_a_file_without_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("\n \n")
    with pytest.raises(CorpusError, match="has no text; give a file with one text a line"):
        texts_of(tmp_path / "a.txt")


class Told:
    def __init__(self) -> None:
        self.notes: list[str] = []
        self.warnings: list[str] = []
        self.note, self.warn = self.notes.append, self.warnings.append


def rows(part: str, *texts: str) -> list[LabelledText]:
    return [LabelledText(text, (), f"{part}:{number}") for number, text in enumerate(texts, 1)]


def test_repeated_and_known_texts_are_left_out_and_leaks_are_warned_of() -> None:
    told = Told()
    given = TaskRows(
        rows("train", "a ship"), rows("valid", "a road"), rows("test", "new", "A  field"),
        unlabelled=rows("more", "A ship", "a field", "a field", "", "a road", "a hill"),
    )  # fmt: skip
    kept = new_texts(cast(FinetuneJob, told), given)
    assert [row.text for row in kept] == ["a field", "a road", "a hill"]
    assert told.notes == [
        "3 of 6 unlabelled rows are left out: they are empty, repeat another one, or stand among "
        "the rows to learn from"
    ]
    assert [warning.split(";")[0] for warning in told.warnings] == [
        "1 of 1 held-out rows are among the unlabelled rows, such as valid:1",
        "1 of 2 test rows are among the unlabelled rows, such as test:2",
    ]
