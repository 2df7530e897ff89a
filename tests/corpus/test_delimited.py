from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foretext.base.errors import CorpusError
from foretext.corpus import delimited
from foretext.corpus.delimited import csv_rows, tsv_rows


def test_csv_keeps_line_ends_and_marks_inside_quotes() -> None:
    text = 'id,text\r\n1,"a\nb, ""c"""\r\n\r\n2,\n3,d'
    assert list(csv_rows([text], "text", "a.csv")) == ['a\nb, "c"', "", "d"]


@given(st.lists(st.text(alphabet='a," \n', max_size=8), max_size=5), st.integers(1, 9))
def test_csv_reads_what_the_csv_module_wrote(texts: list[str], size: int) -> None:
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows([["id", "text"], *enumerate(texts)])
    written = file.getvalue()
    chunks = [written[start : start + size] for start in range(0, len(written), size)]
    assert list(csv_rows(chunks, "text", "a.csv")) == texts


def test_tsv_takes_quotation_marks_as_text() -> None:
    assert list(tsv_rows(['text\tid\n"a\t1\nb "c" d\t2\n'], "text", "a.tsv")) == ['"a', 'b "c" d']


def test_no_rows() -> None:
    assert list(csv_rows([""], "text", "a.csv")) == []
    assert list(csv_rows(["text\n"], "text", "a.csv")) == []


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("id,Text\n", "a.csv, line 1: there is no column 'text', only 'id', 'Text'. Did you mean"),
        ("id;text\n1;a\n", "only 'id;text'. Columns are separated by ',' in .csv and by a tab"),
        ("id,text\n1,a\n2,b,c\n", "a.csv, line 3: 3 fields where the header has 2; a field that"),
        ('id,text\n1,"a\nb"\n2\n', "a.csv, line 4: 1 fields where the header has 2; it is incom"),
        ('id,text\n1,a\n2,"b\n3,c\n', "a.csv, line 3: a field begins with a quotation mark that"),
        ('id,text\n1,"a" b\n', "a.csv, line 2: this row is broken"),
    ],
)
def test_broken_rows_are_named(text: str, sentence: str) -> None:
    with pytest.raises(CorpusError) as caught:
        list(csv_rows([text], "text", "a.csv"))
    assert sentence in str(caught.value)


def test_an_open_quote_does_not_swallow_a_whole_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delimited, "_LONGEST_FIELD", 1000)
    lines = ('text\n"open\n' if number == 0 else "more\n" for number in range(1_000_000))
    with pytest.raises(CorpusError, match=r"a.csv, line 2: a field begins with a quotation mark"):
        list(csv_rows(lines, "text", "a.csv"))
    assert next(lines) == "more\n"
