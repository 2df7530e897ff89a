"""Rows in the wrong columns, and rows of another task, are refused with what helps."""

from __future__ import annotations

import json
import random
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from foretext.base.errors import CorpusError
from foretext.data.rows import (
    PairsConfig,
    QuestionsConfig,
    RowsConfig,
    read_pairs,
    read_parallel,
    read_questions,
    read_sentences,
    read_texts,
)

CHARACTERS = "股市银行基金利率球队比赛冠军进球电影导演演员票房"


def titles(number: int) -> list[tuple[str, str]]:
    """Texts with one of three labels; few of them come twice."""
    draw = random.Random(7)
    return [("".join(draw.choices(CHARACTERS, k=10)), str(row % 3)) for row in range(number)]


def settings_of(advice: str) -> dict[str, Any]:
    """Return what the options of a message set."""
    words = shlex.split(advice)
    named = zip(words[::2], words[1::2], strict=True)
    return {
        option.removeprefix("--").replace("-", "_"): int(value) if value.isdecimal() else value
        for option, value in named
    }


def advice_of(read: Callable[[], Any]) -> str:
    with pytest.raises(CorpusError, match="the columns of text and label are exchanged") as caught:
        read()
    found = re.search(r"name the columns: (.*)\.$", str(caught.value))
    assert found is not None
    return found[1]


@pytest.mark.parametrize("number", [12, 300])
def test_texts_before_their_labels(number: int, tmp_path: Path) -> None:
    path = tmp_path / "thu.txt"
    rows = titles(number)
    path.write_text("".join(f"{text}\t{label}\n" for text, label in rows), encoding="utf-8")
    advice = advice_of(lambda: read_texts(path))
    assert advice == "--text 1 --label 2"
    read = read_texts(path, RowsConfig.checked(settings_of(advice), "rows"))
    assert [(row.text, *row.labels) for row in read] == rows


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl"])
def test_names_that_are_exchanged(suffix: str, tmp_path: Path) -> None:
    path, rows = tmp_path / f"rows{suffix}", titles(40)
    separator = "," if suffix == ".csv" else "\t"
    lines = [f"{text}{separator}{label}\n" for text, label in rows]
    content = f"label{separator}text\n" + "".join(lines)
    if suffix == ".jsonl":
        content = "".join(json.dumps({"label": a, "text": b}) + "\n" for a, b in rows)
    path.write_text(content, encoding="utf-8")
    advice = advice_of(lambda: read_texts(path))
    assert advice == "--text label --label text"
    read = read_texts(path, RowsConfig.checked(settings_of(advice), "rows"))
    assert [(row.text, *row.labels) for row in read] == rows


def test_few_texts_that_come_often(tmp_path: Path) -> None:
    path = tmp_path / "rows.txt"
    subjects = ["ship", "wave", "wind", "harbour", "judge", "jury"]
    few = [(f"the {subject} {verb}", "sea" if number < 4 else "court")
           for number, subject in enumerate(subjects) for verb in ("rests", "returns")]  # fmt: skip
    path.write_text("".join(f"{text}\t{label}\n" for text, label in 10 * few))
    assert advice_of(lambda: read_texts(path)) == "--text 1 --label 2"


@pytest.mark.parametrize("label_first", [True, False])
def test_pairs_with_the_label_elsewhere(label_first: bool, tmp_path: Path) -> None:
    path = tmp_path / "rows.txt"
    texts = [text for text, _ in titles(60)]
    rows = [(a, b, str(n % 2)) for n, (a, b) in enumerate(zip(texts[:30], texts[30:], strict=True))]
    order = (2, 0, 1) if label_first else (0, 2, 1)
    path.write_text("".join("\t".join(row[each] for each in order) + "\n" for row in rows))
    advice = advice_of(lambda: read_pairs(path))
    read = read_pairs(path, PairsConfig.checked(settings_of(advice), "rows"))
    assert [(row.text_a, row.text_b, row.label) for row in read] == rows


def test_a_text_that_is_always_the_same(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    rows = [f"meal number {n},food,{['positive', 'negative'][n % 2]}\n" for n in range(40)]
    path.write_text("text_a,text_b,label\n" + "".join(rows))
    assert [row.label for row in read_pairs(path)][:2] == ["positive", "negative"]
    rows = [f"{['one', 'two'][n % 2]},what a customer says: {n % 7}\n" for n in range(40)]
    path.write_text("text,label\n" + "".join(rows))  # seven long labels of two short texts
    assert {row.text for row in read_texts(path)} == {"one", "two"}


def test_columns_that_somebody_named_are_taken(tmp_path: Path) -> None:
    path = tmp_path / "rows.txt"
    path.write_text("".join(f"{text}\t{label}\n" for text, label in titles(40)), encoding="utf-8")
    advice_of(lambda: read_texts(path))
    rows = read_texts(path, RowsConfig(text=2, label=1))
    assert {row.text for row in rows} == {"0", "1", "2"}
    path = path.with_suffix(".csv")
    path.write_text("a,b\n" + "".join(f"{text},{label}\n" for text, label in titles(40)))
    assert len(read_texts(path, RowsConfig(text="b", label="a"))) == 40


def test_rows_in_their_columns_are_read(tmp_path: Path) -> None:
    path = tmp_path / "rows.txt"
    rows = titles(100)
    path.write_text("".join(f"{label}\t{text}\n" for text, label in rows))
    assert len(read_texts(path)) == 100
    # As many labels as texts, all short: nobody can tell.
    path.write_text("".join(f"topic{n}\tword{n}\n" for n in range(100)))
    assert len(read_texts(path)) == 100
    # Long labels of texts that repeat seldom.
    names = ["personal banking and accounts", "travel insurance abroad"]
    path.write_text("".join(f"{names[n % 2]}\tquery {n}\n" for n in range(100)))
    assert len(read_texts(path)) == 100
    path.write_text("a\tb\nc\tb\n")
    assert len(read_texts(path)) == 2  # too few to tell


CONLL = "EU NNP B-ORG\nrejects VBZ O\nGerman JJ B-MISC\ncalls NNS O\n\nPeter NNP B-PER\nran VBD O\n"
POS = "the\tDT\nship\tNN\nsails\tVBZ\n\na\tDT\nwave\tNN\n\n" * 4
READERS = [read_texts, read_pairs, read_parallel, read_sentences]


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize(
    "content", [CONLL, CONLL.replace(" ", "\t"), POS], ids=["blanks", "tabs", "pos"]
)
@pytest.mark.parametrize("name", ["rows.txt", "rows.tsv"])
def test_tokens_are_no_texts(
    read: Callable[[Path], Any], content: str, name: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(CorpusError, match=r"each line is a token with its tag.*`tagging`"):
        read(path)


@pytest.mark.parametrize(
    ("read", "row", "task"),
    [
        (read_texts, {"tokens": ["a"], "tags": ["O"]}, "tagging"),
        (read_texts, {"text_a": "a", "text_b": "b", "label": "x"}, "matching"),
        (read_texts, {"question": "a", "context": "b", "answers": []}, "span_qa"),
        (read_texts, {"data": [{"paragraphs": []}]}, "span_qa"),
        (read_pairs, {"text": "a", "label": "x"}, "classification"),
        (read_pairs, {"source": "a", "target": "b"}, "text_to_text"),
        (read_parallel, {"text": "a", "label": "x"}, "classification"),
    ],
)
def test_rows_of_another_task_name_it(
    read: Callable[[Path], Any], row: dict[str, Any], task: str, tmp_path: Path
) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(row) + "\n")
    with pytest.raises(CorpusError, match=f"are those of the task `{task}`"):
        read(path)


def test_columns_of_another_task(tmp_path: Path) -> None:
    path = tmp_path / "rows.txt"
    path.write_text("a ship\ta boat\tsame\n")
    with pytest.raises(CorpusError, match="rows of `matching`"):
        read_texts(path)
    path.write_text("sea\ta ship\n")
    with pytest.raises(CorpusError, match="a row of `classification`"):
        read_pairs(path)
    with pytest.raises(CorpusError, match=r"no questions in JSON.*form of SQuAD"):
        read_questions(path, QuestionsConfig())
