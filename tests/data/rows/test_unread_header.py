"""Files with a header whose columns were named by number."""

from __future__ import annotations

from pathlib import Path

import pytest

from foretext.base.errors import CorpusError
from foretext.data.rows import PairsConfig, RowsConfig, find_row_problems, read_pairs, read_texts

NUMBERED = RowsConfig(label=1, text=2)
ROWS = "".join(f"{'xy'[n % 2]},a text of several words {n}\n" for n in range(12))
CHINESE = "".join(f"{'甲乙'[n % 2]},今天的天气很好我们去公园散步{n}\n" for n in range(12))
PAIRS = "".join(f"a first text {n}\ta second text {n}\t{n % 2}\n" for n in range(12))


def written(folder: Path, text: str, name: str = "rows.csv") -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


@pytest.mark.parametrize(
    ("header", "rows"), [("topic,body", ROWS), ("topic,text", CHINESE), ("topic,标题", CHINESE)]
)
def test_a_header_of_texts_is_refused_in_one_sentence(
    tmp_path: Path, header: str, rows: str
) -> None:
    path = written(tmp_path, f"{header}\n{rows}")
    with pytest.raises(CorpusError) as caught:
        read_texts(path, NUMBERED)
    assert str(caught.value) == (
        f"{path}, line 1: columns that have numbers are those of a file without a header, but this "
        "row looks like one (no other row has the label 'topic'); name the columns by the names in "
        "it, or remove the line."
    )
    label, text = header.split(",")
    assert len(read_texts(path, RowsConfig(label=label, text=text))) == 12


def test_a_header_of_pairs_is_refused(tmp_path: Path) -> None:
    config = PairsConfig(text_a=1, text_b=2, label=3)
    assert len(read_pairs(written(tmp_path, PAIRS, "good.tsv"), config)) == 12
    path = written(tmp_path, "first\tsecond\tsame\n" + PAIRS, "pairs.tsv")
    with pytest.raises(CorpusError, match=r"pairs\.tsv, line 1: .*the label 'same'\)"):
        read_pairs(path, config)


def test_each_file_of_a_folder_may_have_one(tmp_path: Path) -> None:
    written(tmp_path, ROWS, "1.csv")
    written(tmp_path, "topic,body\n" + ROWS, "2.csv")
    with pytest.raises(CorpusError, match=r"2\.csv, line 1"):
        read_texts(tmp_path, NUMBERED)


def test_several_columns_of_text(tmp_path: Path) -> None:
    path = written(tmp_path, "topic,title,body\n" + ROWS.replace(" words", ",words"))
    with pytest.raises(CorpusError, match="the label 'topic'"):
        read_texts(path, RowsConfig(label=1, text=(2, 3)))


@pytest.mark.parametrize(
    "first",
    ["x,short", "z,a text that is as long as others", "z,two words", "z,averylongsinglewordindeed"],
)
def test_a_row_that_may_be_one_is_read(tmp_path: Path, first: str) -> None:
    rows = read_texts(written(tmp_path, f"{first}\n{ROWS}"), NUMBERED)
    assert len(rows) == 13
    sentences = [problem.sentence for problem in find_row_problems(rows)]
    assert any("it may be a header" in each for each in sentences) == first.startswith("z")


def test_a_short_row_of_a_rare_label_is_read(tmp_path: Path) -> None:
    """Where other labels have a single row too, that of the first one is no sign of a header."""
    rows = written(tmp_path, f"greeting,Hi\n{ROWS}farewell,see you again some day\n")
    assert len(read_texts(rows, NUMBERED)) == 14


def test_a_number_is_no_name_of_a_column(tmp_path: Path) -> None:
    assert len(read_texts(written(tmp_path, f"5,Great\n{ROWS}"), NUMBERED)) == 13


def test_few_rows_are_read(tmp_path: Path) -> None:
    lines = ROWS.splitlines(keepends=True)[:5]
    assert len(read_texts(written(tmp_path, "topic,body\n" + "".join(lines)), NUMBERED)) == 6


def test_names_in_other_formats_are_no_header(tmp_path: Path) -> None:
    lines = [f'{{"label": "{"xy"[n % 2]}", "text": "a text of words {n}"}}\n' for n in range(12)]
    path = written(tmp_path, '{"label": "z", "text": "word"}\n' + "".join(lines), "rows.jsonl")
    assert len(read_texts(path)) == 13
