"""Published test files, as they are and in other forms, give the texts that training reads."""

from __future__ import annotations

import csv
import gzip
import json
import lzma
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import foretext as ft
from foretext.data.rows import (
    KeptInput,
    PairsConfig,
    QuestionsConfig,
    RowsConfig,
    TaggedConfig,
    read_pairs,
    read_questions,
    read_tagged,
)
from foretext.data.rows.question_inputs import question_inputs
from foretext.data.rows.tagged_inputs import tagged_inputs
from tests.data.rows.test_input_rows import read

NUMBER = 400  # rows


def written(folder: Path, rows: Sequence[tuple[str, str]]) -> Iterator[Path]:
    """Yield files of the same labels and texts in many forms."""
    lines = {
        "header.tsv": ["label\ttext", *(f"{label}\t{text}" for label, text in rows)],
        "bare.txt": [f"{label}\t{text}" for label, text in rows],
        "fast.txt": [f"__label__{label} {text}" for label, text in rows],
        "rows.jsonl": [json.dumps({"label": a, "text": b}) for a, b in rows],
        "plain.txt": [text for _, text in rows],
    }
    for name, content in lines.items():
        path = folder / name
        path.write_text("\n".join([*content, ""]), encoding="utf-8")
        yield path
        packed = folder / f"{name}.gz"
        packed.write_bytes(gzip.compress(path.read_bytes()))
        yield packed
    with (folder / "rows.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("label", "text"), *rows])
    yield folder / "rows.csv"


def check(model: Any, folder: Path, rows: Sequence[tuple[str, str]]) -> None:
    """Compare answers to files with those to the texts themselves."""
    expected = list(model.predictions([text for _, text in rows]))
    for path in written(folder, rows):
        assert list(model.predictions(path)) == expected, path.name
        if not path.name.startswith("plain"):
            judged = model.evaluate(path)["accuracy"]
            assert judged == model.evaluate([(b, a) for a, b in rows])["accuracy"], path.name


@pytest.mark.slow
@pytest.mark.shared_data
def test_ag_news(shared_data: Path, tmp_path: Path) -> None:
    with lzma.open(shared_data / "ag_news" / "test.csv.xz", "rt", encoding="utf-8") as file:
        taken = list(islice(csv.reader(file), 0, 7600, 7600 // NUMBER))
    rows = [(f"topic{a}", " ".join(f"{b} {c}".split())) for a, b, c in taken]
    model = ft.finetune("classification", "linear", [(b, a) for a, b in rows], quiet=True)
    check(model, tmp_path, rows)
    # As published: no header, and a text of two columns.
    path = shared_data / "ag_news" / "test.csv.xz"
    found = list(islice(model.predictions(path, columns={"text": [2, 3]}), 3))  # type: ignore[attr-defined]
    assert found[0]["text"] == f"{taken[0][1]} {taken[0][2]}"


@pytest.mark.slow
@pytest.mark.shared_data
def test_tnews(shared_data: Path, tmp_path: Path) -> None:
    path = shared_data / "tnews" / "test.json.xz"
    with lzma.open(path, "rt", encoding="utf-8") as file:
        taken = [json.loads(line) for line in islice(file, NUMBER)]
    rows = [(row["label_desc"], " ".join(row["sentence"].split())) for row in taken]
    model = ft.finetune("classification", "linear", [(b, a) for a, b in rows], quiet=True)
    check(model, tmp_path, rows)
    columns = {"text": "sentence"}
    found = model.predictions(path, columns=columns, keep=["label_desc"])  # type: ignore[attr-defined]
    for row, answer in zip(taken, found, strict=False):
        assert (answer["text"], answer["label_desc"]) == (row["sentence"], row["label_desc"])


@pytest.mark.shared_data
def test_mrpc(shared_data: Path) -> None:
    path = shared_data / "mrpc" / "msr_paraphrase_test.txt"
    names = {"text_a": "#1 String", "text_b": "#2 String", "label": "Quality"}
    config = PairsConfig.checked(names, "rows")
    pairs = read_pairs(path, config)
    found = read(path, config, fields=("text_a", "text_b"), keep=["Quality"])
    assert [(*each.texts, each.kept["Quality"]) for each in found] == [row[:3] for row in pairs]
    assert len(found) == 1725
    columns: dict[str, Any] = {"text_a": "#1 String", "text_b": "#2 String"}
    again = read(path, PairsConfig(), fields=tuple(columns), columns=columns)
    assert [each.texts for each in again] == [each.texts for each in found]


@pytest.mark.shared_data
def test_conll_2003(shared_data: Path) -> None:
    path = shared_data / "conll2003" / "eng.testb"
    sentences = read_tagged(path)
    tags = {tag for row in sentences for tag in row.tags}
    found: list[KeptInput] = read(path, TaggedConfig(), reader=tagged_inputs, labels=tags)
    assert [each.texts[1:] for each in found] == [row.tokens for row in sentences]
    assert len(found) == 3453


@pytest.mark.slow
@pytest.mark.shared_data
def test_squad(shared_data: Path) -> None:
    path = shared_data / "squad" / "dev-v1.1.json.xz"
    questions = read_questions(path)
    fields = ("question", "context")
    found = read(path, QuestionsConfig(), fields=fields, reader=question_inputs, keep=["id"])
    assert [(each.texts, each.kept["id"]) for each in found] == [
        ((row.question, row.context), row.key) for row in questions
    ]
    assert len(found) == 10570


@pytest.mark.shared_data
def test_thucnews_before_its_labels(shared_data: Path) -> None:
    path = shared_data / "thucnews" / "test.txt"
    config = RowsConfig(text=1, label=2)
    found = read(path, config)
    assert len(found) == 10000
    assert not any("\t" in each.texts[0] for each in found)
    with pytest.raises(ft.ForetextError, match="--text 1 --label 2"):
        ft.finetune("classification", "linear", path, quiet=True)
