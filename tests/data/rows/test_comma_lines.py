from __future__ import annotations

from pathlib import Path

import pytest

from foretext.base.config import Config
from foretext.data.rows import InputColumns, PairsConfig, RowsConfig, input_files, text_inputs

LINES = 'sea,"a ship, old"\ncourt,the king\nsea,the tide\n'
TEXTS = ["a ship, old", "the king", "the tide"]
LABELS = frozenset({"sea", "court"})


def texts(
    path: Path,
    learned: Config,
    doubts: list[str],
    *,
    fields: tuple[str, ...] = ("text",),
    labels: frozenset[str] = LABELS,
) -> list[tuple[str, ...]]:
    wanted = InputColumns(fields, learned, labels=labels, doubt=doubts.append)
    files = input_files(path, wanted.reading)
    return [tuple(each.texts) for file in files for each in text_inputs(file, wanted)]


@pytest.mark.parametrize("settings", [{}, {"format": "csv"}])
@pytest.mark.parametrize("name", ["rows", "rows.txt", "rows.csv"])
def test_columns_by_number_are_those_of_the_training(
    name: str, settings: dict[str, str], tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text(LINES)
    learned = RowsConfig.checked({"text": 2, "label": 1, **settings}, "rows")
    doubts: list[str] = []
    assert texts(path, learned, doubts) == [(text,) for text in TEXTS]
    assert not doubts


def test_texts_with_commas_stay_texts(tmp_path: Path) -> None:
    path = tmp_path / "rows.txt"
    path.write_text("king, queen\nship, tide\n")
    doubts: list[str] = []
    learned = RowsConfig(text=2, label=1)
    assert texts(path, learned, doubts) == [("king, queen",), ("ship, tide",)]
    assert not doubts


def test_labels_in_another_column_are_told(tmp_path: Path) -> None:
    path = tmp_path / "rows.txt"
    path.write_text("a ship,sea\nthe king,court\n")
    doubts: list[str] = []
    assert texts(path, RowsConfig(text=2, label=1), doubts) == [
        ("a ship,sea",),
        ("the king,court",),
    ]
    assert "column 2 of its comma-separated values holds labels of the model" in doubts[0]
    assert doubts[0].endswith("(such as --text 1)")
    wanted = InputColumns(("text",), RowsConfig(), columns={"text": 1}, labels=LABELS)
    (file,) = input_files(path, wanted.reading)
    assert [each.texts for each in text_inputs(file, wanted)] == [("a ship",), ("the king",)]


def test_pairs_by_number_need_no_labels(tmp_path: Path) -> None:
    path = tmp_path / "rows"
    path.write_text('yes,"a ship, old",the sea\nno,the king,"a queen"\n')
    learned = PairsConfig(text_a=2, text_b=3, label=1)
    found = texts(path, learned, [], fields=("text_a", "text_b"), labels=frozenset())
    assert found == [("a ship, old", "the sea"), ("the king", "a queen")]


@pytest.mark.parametrize("lines", [["a ship", "the sea"], ["a,b", "c,sea", "d"]])
def test_lines_of_few_commas_or_labels_are_texts(lines: list[str], tmp_path: Path) -> None:
    path = tmp_path / "rows.txt"
    path.write_text("\n".join([*lines, ""]))
    doubts: list[str] = []
    assert texts(path, RowsConfig(text=1, label=2), doubts) == [(line,) for line in lines]
    assert not doubts
