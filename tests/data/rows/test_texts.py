"""Files with a header whose columns were named by number."""

from __future__ import annotations

import gzip
import json
import lzma
from pathlib import Path
from typing import Any

import pytest

from foretext.base.errors import CorpusError, SettingError
from foretext.data.rows import (
    LabelledText,
    PairsConfig,
    RowsConfig,
    find_row_problems,
    read_pairs,
    read_texts,
)

ROWS = [("good", "a fine film"), ("bad", 'she said "no"')]

NAMED = {"text": "t", "label": "y"}

NUMBERED = RowsConfig(label=1, text=2)
HEADER_ROWS = "".join(f"{'xy'[n % 2]},a text of several words {n}\n" for n in range(12))
CHINESE = "".join(f"{'甲乙'[n % 2]},今天的天气很好我们去公园散步{n}\n" for n in range(12))
PAIRS = "".join(f"a first text {n}\ta second text {n}\t{n % 2}\n" for n in range(12))


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def read(path: Path, **settings: Any) -> list[tuple[str, tuple[str, ...]]]:
    return [row[:2] for row in read_texts(path, RowsConfig.checked(settings, "rows"))]


@pytest.mark.parametrize(
    ("name", "text", "settings"),
    [
        ("a.csv", 'text,label\na fine film,good\n"she said ""no""",bad\n', {}),
        ("a.csv", 'good,a fine film\nbad,"she said ""no"""\n', {"label": 1, "text": 2}),
        ("a.tsv", 'id\tlabel\ttext\n1\tgood\ta fine film\n2\tbad\tshe said "no"\n', {}),
        ("a.tsv", 'good\t9\ta fine film\nbad\t1\tshe said "no"\n', {"label": 1, "text": 3}),
        ("a.txt", 'good\ta fine film\nbad\tshe said "no"\n', {}),
        ("a.txt", 'label\ttext\ngood\ta fine film\nbad\tshe said "no"\n', {}),
        ("a.txt", 'a fine film\tgood\r\nshe said "no"\tbad\r\n', {"label": 2, "text": 1}),
        ("a.data", 'x\ty\ngood\ta fine film\nbad\tshe said "no"\n', {"label": "x", "text": "y"}),
        ("a.txt", '__label__good a fine film\n\n__label__bad she said "no"\n', {}),
        ("a.train", 'a fine film #good\n#bad she said "no"\n', {"label_prefix": "#"}),
        ("a.jsonl", "".join(json.dumps({"text": t, "label": y}) + "\n" for y, t in ROWS), {}),
        ("a.txt", "".join(json.dumps({"text": t, "label": y}) + "\n" for y, t in ROWS), {}),
        ("a.json", "".join(json.dumps({"t": t, "y": y}) + "\n" for y, t in ROWS), NAMED),
    ],
)  # fmt: skip
def test_the_same_rows_in_every_shape(
    tmp_path: Path, name: str, text: str, settings: dict[str, Any]
) -> None:
    rows = read(written(tmp_path, name, text), **settings)
    assert rows == [(text, (label,)) for label, text in ROWS]


def test_places_are_lines_of_the_file(tmp_path: Path) -> None:
    path = written(tmp_path, "a.csv", 'text,label\n"two\nlines",x\n\nb,y\n')
    assert read_texts(path) == [
        LabelledText("two\nlines", ("x",), f"{path}:2"),
        LabelledText("b", ("y",), f"{path}:5"),
    ]


@pytest.mark.parametrize("packed", [gzip.compress, lzma.compress])
def test_compressed_files_keep_their_format(tmp_path: Path, packed: Any) -> None:
    path = tmp_path / "a.csv.packed"
    path.write_bytes(packed("\ufefftext,label\na,x\n".encode()))
    assert read(path, format="csv") == [("a", ("x",))]


def test_lines_end_at_newline_only(tmp_path: Path) -> None:
    path = written(tmp_path, "a.txt", "x\tone\x85two\u2028three\n")
    assert read(path) == [("one\x85two\u2028three", ("x",))]


def test_a_url_is_read() -> None:
    import fsspec

    fsspec.filesystem("memory").pipe("/rows/a.tsv", b"text\tlabel\na\tx\n")
    assert [row.labels for row in read_texts("memory://rows/a.tsv")] == [("x",)]


def test_parquet(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    table = pa.table({"text": ["a", None], "label": [1, 0], "id": [5, 6]})
    pq.write_table(table, tmp_path / "a.parquet")
    assert read(tmp_path / "a.parquet") == [("a", ("1",)), ("", ("0",))]
    with pytest.raises(CorpusError, match=r"there is no column 'txt'.* Did you mean 'text'"):
        read(tmp_path / "a.parquet", text="txt")
    (tmp_path / "b.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(CorpusError, match=r"b\.parquet is not a Parquet file, or is damaged"):
        read(tmp_path / "b.parquet")


def test_several_columns_become_one_text(tmp_path: Path) -> None:
    path = written(tmp_path, "a.csv", '"3","Title","Body"\n')
    assert read(path, label=1, text=[2, 3]) == [("Title Body", ("3",))]


@pytest.mark.parametrize(
    ("name", "text", "settings"),
    [
        ("a.jsonl", '{"text": "t", "label": ["a", 2]}\n{"text": "u", "label": []}\n', {}),
        ("a.csv", "text,label\nt,a|2|a\nu,\n", {"label_separator": "|"}),
    ],
)
def test_several_labels(tmp_path: Path, name: str, text: str, settings: dict[str, Any]) -> None:
    path = written(tmp_path, name, text)
    assert read(path, **settings) == [("t", ("a", "2")), ("u", ())]


def test_several_labels_of_fasttext(tmp_path: Path) -> None:
    path = written(tmp_path, "a.txt", "__label__a __label__b the text\n")
    assert read(path) == [("the text", ("a", "b"))]


def test_rows_without_labels(tmp_path: Path) -> None:
    assert read(written(tmp_path, "a.jsonl", '{"text": "t"}\n'), label=None) == [("t", ())]


def test_texts_are_in_one_normal_form(tmp_path: Path) -> None:
    path = written(tmp_path, "a.txt", "x\tcafe\u0301\n")
    assert read(path) == [("caf\u00e9", ("x",))]
    assert read(path, normalization="none") == [("cafe\u0301", ("x",))]


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("a.csv", "text,topic\na,b\n", "line 1: there is no column 'label', only 'text', 'topic'."),
        ("a.csv", "text,labels\na,b\n", "Did you mean 'label"),
        ("a.csv", "text;label\na;b\n", "Columns are separated by ',' in .csv"),
        ("a.csv", "text,label\na,b\nc\n", "line 3: 1 fields where the header has 2; it was cut"),
        ("a.csv", 'text,label\n"a,b\n', "line 2: a field begins with a quotation mark that is"),
        ("a.csv", 'text,label\n"a" b,c\n', "line 2: this row is broken"),
        ("a.csv", "text,label\na, \n", "line 2: the label is empty; label the row or remove it."),
        ("a.txt", "x\t1\ttext\n", "line 1: 3 fields where label<TAB>text are expected; name"),
        ("a.txt", "x\ttext\ny\n", "line 2: 1 fields where the first row has 2; it was cut off"),
        ("a.txt", "only a text\n", "line 1: the row is neither JSON nor marked with __label__"),
        ("a.txt", "__label__x a\nb\n", "line 2: no word begins with '__label__'"),
        ("a.jsonl", '{"text": "a", "label": 1}\n{\n', "line 2: this is not JSON"),
        ("a.json", '{\n"text": "a"\n}\n', "line 1: the file holds one JSON value over many"),
        ("a.json", '[{"text": "a"}, 1]\n', "line 1: a JSON array, where one object a line is"),
        ("a.json", '[{"text": "a"},\n1]\n', "line 1: there is no column 'label', only 'text'"),
        ("a.json", '[{"text": "a", "label": 1}, {}]\n', "line 2: there is no column 'text'"),
        ("a.json", '[{"text": "a"}\n', "line 1: this is not JSON"),
        ("a.jsonl", '"a"\n', "line 1: a string is there, and an object"),
        ("a.jsonl", '{"text": 1, "label": 1}\n', "line 1: 'text' holds a number where text is"),
        ("a.jsonl", '{"text": "\\ud83d", "label": 1}\n', "half of a surrogate pair"),
        ("a.jsonl", '{"text": "a", "label": 0.5}\n', "line 1: the label is 0.5, a continuous"),
        ("a.jsonl", '{"text": "a", "label": {"a": 1}}\n', "line 1: the label is an object; write"),
        ("a.jsonl", '{"text": "a", "label": null}\n', "line 1: the label is empty"),
        ("a.jsonl", "", "a.jsonl has no rows; give a file with text and labels."),
    ],
)  # fmt: skip
def test_a_wrong_row_is_named(tmp_path: Path, name: str, text: str, sentence: str) -> None:
    path = written(tmp_path, name, text)
    with pytest.raises(CorpusError) as caught:
        read_texts(path)
    assert str(caught.value).startswith(str(path))
    assert sentence in str(caught.value)


def test_a_column_number_that_is_not_there(tmp_path: Path) -> None:
    path = written(tmp_path, "a.csv", "a,b\n")
    with pytest.raises(CorpusError, match="line 1: there is no column 3; the rows have 2"):
        read(path, label=1, text=3)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"text": 2}, "name the columns all by name (the file has a header) or all by number"),
        ({"text": 0, "label": 1}, "write the name of a column, or its number, the first one"),
        ({"text": True}, "write the name of a column, or its number, the first one being 1"),
        ({"text": -1, "label": 1}, "columns are counted from 1"),
        ({"text": []}, "name a column"),
        ({"text": 2, "label": 1, "format": "jsonl"}, "columns of format = 'jsonl' have names"),
        ({"encoding": "utf-9"}, "encoding = 'utf-9': Python knows no such text encoding"),
        ({"format": "fasttext", "text": "a"}, "fastText's files have no columns"),
        ({"format": "csv", "label_prefix": "#"}, "label_prefix has no effect on format = 'csv'"),
        ({"label": None, "label_separator": ","}, "label_separator has no effect where there is"),
    ],
)
def test_settings_without_effect_are_refused(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SettingError) as caught:
        RowsConfig.checked(settings, "rows")
    assert str(caught.value).startswith("[rows] ")
    assert sentence in str(caught.value)


@pytest.mark.quick_cases(2)
@pytest.mark.shared_data
@pytest.mark.parametrize(
    ("name", "settings", "rows", "classes"),
    [
        ("ag_news/test.csv.xz", {"label": 1, "text": (2, 3)}, 7_600, 4),
        ("imdb/test.tsv.xz", {"label": 1, "text": 3}, 25_000, 2),
        ("r8/train.txt.xz", {}, 5_485, 8),
        ("thucnews/dev.txt", {"label": 2, "text": 1}, 10_000, 10),
        ("tnews/test.json.xz", {"label": "label_desc", "text": "sentence"}, 10_000, 15),
        ("mrpc/msr_paraphrase_test.txt", {"label": "Quality", "text": "#1 String"}, 1_725, 2),
    ],
)
def test_public_files(
    shared_data: Path, name: str, settings: dict[str, Any], rows: int, classes: int
) -> None:
    found = read(shared_data / name, **settings)
    assert len(found) == rows
    assert len({labels for _, labels in found}) == classes


def test_errors_name_options_that_fine_tuning_has(tmp_path: Path) -> None:
    """Rows are read by `finetune`, whose columns have options, and other settings only --set."""
    path = tmp_path / "rows.txt"
    path.write_text("no label, no tab\n")
    with pytest.raises(CorpusError, match=r"set rows\.format to .* \(--set rows\.format=csv\)"):
        read_texts(path)
    path.write_bytes("label\ttext\na\tcafé\n".encode("cp1252"))
    with pytest.raises(CorpusError, match=r"\(--set rows\.encoding=cp1252\)"):
        read_texts(path)
    path.write_text("topic\tbody\n")
    with pytest.raises(CorpusError, match=r"\(--text, --label"):
        read_texts(path, RowsConfig(text="text", format="tsv"))


def written_of_unread_header(folder: Path, text: str, name: str = "rows.csv") -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


@pytest.mark.parametrize(
    ("header", "rows"),
    [("topic,body", HEADER_ROWS), ("topic,text", CHINESE), ("topic,标题", CHINESE)],
)
def test_a_header_of_texts_is_refused_in_one_sentence(
    tmp_path: Path, header: str, rows: str
) -> None:
    path = written_of_unread_header(tmp_path, f"{header}\n{rows}")
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
    assert len(read_pairs(written_of_unread_header(tmp_path, PAIRS, "good.tsv"), config)) == 12
    path = written_of_unread_header(tmp_path, "first\tsecond\tsame\n" + PAIRS, "pairs.tsv")
    with pytest.raises(CorpusError, match=r"pairs\.tsv, line 1: .*the label 'same'\)"):
        read_pairs(path, config)


def test_each_file_of_a_folder_may_have_one(tmp_path: Path) -> None:
    written_of_unread_header(tmp_path, HEADER_ROWS, "1.csv")
    written_of_unread_header(tmp_path, "topic,body\n" + HEADER_ROWS, "2.csv")
    with pytest.raises(CorpusError, match=r"2\.csv, line 1"):
        read_texts(tmp_path, NUMBERED)


def test_several_columns_of_text(tmp_path: Path) -> None:
    path = written_of_unread_header(
        tmp_path, "topic,title,body\n" + HEADER_ROWS.replace(" words", ",words")
    )
    with pytest.raises(CorpusError, match="the label 'topic'"):
        read_texts(path, RowsConfig(label=1, text=(2, 3)))


@pytest.mark.parametrize(
    "first",
    ["x,short", "z,a text that is as long as others", "z,two words", "z,averylongsinglewordindeed"],
)
def test_a_row_that_may_be_one_is_read(tmp_path: Path, first: str) -> None:
    rows = read_texts(written_of_unread_header(tmp_path, f"{first}\n{HEADER_ROWS}"), NUMBERED)
    assert len(rows) == 13
    sentences = [problem.sentence for problem in find_row_problems(rows)]
    assert any("it may be a header" in each for each in sentences) == first.startswith("z")


def test_a_short_row_of_a_rare_label_is_read(tmp_path: Path) -> None:
    """Where other labels have a single row too, that of the first one is no sign of a header."""
    rows = written_of_unread_header(
        tmp_path, f"greeting,Hi\n{HEADER_ROWS}farewell,see you again some day\n"
    )
    assert len(read_texts(rows, NUMBERED)) == 14


def test_a_number_is_no_name_of_a_column(tmp_path: Path) -> None:
    assert (
        len(read_texts(written_of_unread_header(tmp_path, f"5,Great\n{HEADER_ROWS}"), NUMBERED))
        == 13
    )


def test_few_rows_are_read(tmp_path: Path) -> None:
    lines = HEADER_ROWS.splitlines(keepends=True)[:5]
    assert (
        len(
            read_texts(
                written_of_unread_header(tmp_path, "topic,body\n" + "".join(lines)), NUMBERED
            )
        )
        == 6
    )


def test_names_in_other_formats_are_no_header(tmp_path: Path) -> None:
    lines = [f'{{"label": "{"xy"[n % 2]}", "text": "a text of words {n}"}}\n' for n in range(12)]
    path = written_of_unread_header(
        tmp_path, '{"label": "z", "text": "word"}\n' + "".join(lines), "rows.jsonl"
    )
    assert len(read_texts(path)) == 13
