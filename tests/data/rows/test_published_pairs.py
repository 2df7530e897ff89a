"""STS-B as it was published: tabs in a .csv, no header, marks that quote nothing, ragged."""

from __future__ import annotations

from pathlib import Path

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

STS = (
    "main-captions\tMSRvid\t2012test\t0001\t5.000\tA plane is taking off.\tA plane, rising.\n"
    'main-news\tx\t2015\t0002\t0.500\t"We lost, he said.\tIt "rains\n'
    "main-news\tx\t2015\t0003\t3.000\tA man, 5\tA man\thttp://a.b\tlicence\n"
)
COLUMNS = {"text_a": 6, "text_b": 7, "score": 5}


@pytest.mark.parametrize("name", ["sts-train.csv", "sts-train.tsv", "sts-train.txt"])
def test_it_is_read_by_the_advice(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text(STS, encoding="utf-8")
    with pytest.raises(CorpusError, match=r"line 3: 9 fields .*rows.ragged=true") as caught:
        read_pairs(path, PairsConfig(**COLUMNS))
    assert "the first row has 7" in str(caught.value)
    rows = read_pairs(path, PairsConfig(**COLUMNS, ragged=True))
    assert [(row.text_a, row.text_b, row.score) for row in rows] == [
        ("A plane is taking off.", "A plane, rising.", 5.0),
        ('"We lost, he said.', 'It "rains', 0.5),
        ("A man, 5", "A man", 3.0),
    ]
    again = read_sentences(path, SentencesConfig(**COLUMNS, ragged=True))
    assert [row.score for row in again] == [5.0, 0.5, 3.0]


def test_a_row_that_is_cut_off_stays_an_error(tmp_path: Path) -> None:
    path = tmp_path / "sts.tsv"
    path.write_text(f"{STS}main-news\tx\t2015\t0004\t1.0\tA man\n", encoding="utf-8")
    with pytest.raises(CorpusError, match="line 4: there is no column 7; the rows have 6"):
        read_pairs(path, PairsConfig(**COLUMNS, ragged=True))


def test_a_csv_with_tabs_in_its_texts_stays_one(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text('text_a,text_b,label\n"a\tb",c,x\n', encoding="utf-8")
    assert read_pairs(path)[0].text_a == "a\tb"


@pytest.mark.parametrize(
    ("content", "settings", "expected"),
    [
        ("\nlabel,text\nsea,a ship\n", {}, [("sea", "a ship")]),
        ('sea,"a ship\nat sea"\nland,a farm\n', {"label": 1, "text": 2},
         [("sea", "a ship\nat sea"), ("land", "a farm")]),
        ('label,text,"of\nwhom"\nsea,a ship,me\n', {}, [("sea", "a ship")]),
        ('0,"a\tb\tc"\n', {"label": 1, "text": 2}, [("0", "a\tb\tc")]),
        ('"a\tb",0\n', {"label": 2, "text": 1}, [("0", "a\tb")]),
        ("0,a\tb\tc\n1,d\n1,e\n", {"label": 1, "text": 2},
         [("0", "a\tb\tc"), ("1", "d"), ("1", "e")]),
        ('\nsea\t5" of rain\nland\ta farm, old\n', {"label": 1, "text": 2},
         [("sea", '5" of rain'), ("land", "a farm, old")]),
    ],
)  # fmt: skip
def test_commas_and_tabs_are_told_apart(
    tmp_path: Path, content: str, settings: dict[str, int], expected: list[tuple[str, str]]
) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(content, encoding="utf-8")
    config = RowsConfig.checked(settings, "rows")
    assert [(*row.labels, row.text) for row in read_texts(path, config)] == expected
    columns = InputColumns(("text",), config)  # a prediction reads what a training reads
    found = [
        each for file in input_files(path, columns.reading) for each in text_inputs(file, columns)
    ]
    assert [each.texts[0] for each in found] == [text for _, text in expected]


def test_a_csv_of_tabs_is_the_same_to_a_prediction(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("label\ttext\nsea\ta ship\n", encoding="utf-8")
    assert [row.text for row in read_texts(path)] == ["a ship"]
    columns = InputColumns(("text",), RowsConfig())
    (file,) = input_files(path, columns.reading)
    assert [each.texts for each in text_inputs(file, columns)] == [("a ship",)]


def test_it_has_no_effect_on_json() -> None:
    with pytest.raises(SettingError, match="ragged has no effect on format = 'jsonl'"):
        PairsConfig.checked({"format": "jsonl", "ragged": True}, "rows")


def test_short_rows_need_only_the_columns_that_are_read(tmp_path: Path) -> None:
    path = tmp_path / "sts.tsv"
    long, short = "a b c d 5 x y more web", "a b c d 0.5 u v"
    path.write_text(f"{long}\n{short}\n".replace(" ", "\t"))
    with pytest.raises(CorpusError, match=r"line 2: 7 fields .*rows.ragged=true"):
        read_pairs(path, PairsConfig(**COLUMNS))
    rows = read_pairs(path, PairsConfig(**COLUMNS, ragged=True))
    assert [(row.text_a, row.text_b, row.score) for row in rows] == [
        ("x", "y", 5.0),
        ("u", "v", 0.5),
    ]
    path.write_text(f"{long}\na b c d 0.5 u\n".replace(" ", "\t"))
    with pytest.raises(CorpusError, match="line 2: there is no column 7"):
        read_pairs(path, PairsConfig(**COLUMNS, ragged=True))
