from __future__ import annotations

import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from foretext.base.errors import CorpusError, SettingError
from foretext.comparison.rows import (
    ComparisonRows,
    compared_task,
    held_out,
    num_held_out,
    read_rows,
)
from foretext.corpus import Corpus
from foretext.data.rows import LabelledPair, LabelledText, Question
from foretext.tasks.classification.linear import LinearClassifier
from foretext.tasks.matching.network import TextMatcher
from foretext.tasks.span_qa.network import SpanReader


def table(folder: Path, name: str, number: int, first: int = 0) -> Path:
    path = folder / name
    rows = [f"{'yes' if n % 4 else 'no'};text {n}\n" for n in range(first, first + number)]
    path.write_text("".join(rows).replace(";", "\t"), encoding="utf-8")
    return path


def plain(rows: Any) -> list[Any]:
    return [row._replace(place="") for row in rows]


def written(rows: ComparisonRows, folder: Path) -> ComparisonRows:
    """The rows, as candidates read them."""
    files = rows.write(folder)
    config = rows.task.rows_config.checked(dict(rows.settings), "rows")
    return replace(rows, **{part: rows.task.read(path, config) for part, path in files.items()})


def test_rows_are_held_out_and_written_for_all(tmp_path: Path) -> None:
    train, test = table(tmp_path, "train.tsv", 100), table(tmp_path, "test.tsv", 30, 100)
    sources = {"train": train, "test": test}
    rows = read_rows("classification", sources, {"text": 2, "label": 1})
    assert rows.counts() == {"train": 80, "valid": 20, "test": 30}
    assert (rows.measured, rows.warnings) == ("test", ())
    assert sum(row.labels == ("no",) for row in rows.valid) == 5
    files = rows.write(tmp_path / "rows")
    assert sorted(path.name for path in files.values()) == [
        "test.jsonl",
        "train.jsonl",
        "valid.jsonl",
    ]
    again = written(rows, tmp_path / "rows")
    for part in rows.parts:
        assert plain(again.parts[part]) == plain(rows.parts[part])


def test_without_test_rows_the_held_out_ones_are_measured(tmp_path: Path) -> None:
    rows = read_rows("classification", {"train": table(tmp_path, "a.txt", 40)}, {})
    assert (rows.measured, len(rows.test)) == ("valid", 0)
    assert sorted(rows.write(tmp_path / "rows")) == ["train", "valid"]


def test_held_out_rows_of_a_file_are_taken_as_they_are(tmp_path: Path) -> None:
    sources = {"train": table(tmp_path, "a.txt", 10), "valid": table(tmp_path, "b.txt", 6, 10)}
    rows = read_rows("classification", sources, {})
    assert rows.counts() == {"train": 10, "valid": 6, "test": 0}


def test_rows_in_memory_with_several_labels(tmp_path: Path) -> None:
    labels = [["a"], ["a", "b"], [], ["b"]]
    given = [(f"text {n}", labels[n % 4]) for n in range(40)]
    rows = read_rows("classification", {"train": given}, {})
    again = written(rows, tmp_path)
    assert plain(again.train) == plain(rows.train)
    assert {row.labels for row in again.train} == {("a",), ("a", "b"), (), ("b",)}


def test_pairs_with_scores(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text("s,x,y\n" + "".join(f"{n / 7},a {n},b\n" for n in range(50)), encoding="utf-8")
    settings = {"text_a": "x", "text_b": "y", "score": "s"}
    rows = read_rows("matching", {"train": path}, settings)
    assert rows.settings == {"score": "score"}
    assert plain(written(rows, tmp_path).valid) == plain(rows.valid)


def test_tagged_sentences(tmp_path: Path) -> None:
    path = tmp_path / "a.conll"
    path.write_text("".join(f"Ada X B-PER\nword{n} X O\n\n" for n in range(30)), encoding="utf-8")
    rows = read_rows("tagging", {"train": path}, {"tag": 3})
    again = written(rows, tmp_path)
    assert [(row.tokens, row.tags) for row in again.train] == [
        (row.tokens, row.tags) for row in rows.train
    ]


def test_questions_of_which_some_have_no_answer(tmp_path: Path) -> None:
    given = [
        {
            "id": str(n),
            "question": f"what is {n % 3}?",
            "context": f"passage {n // 3} says so",
            "answers": [] if n % 3 else [{"text": "passage", "answer_start": 0}],
        }
        for n in range(90)
    ]
    rows = read_rows("span_qa", {"train": given}, {})
    assert not {row.context for row in rows.train} & {row.context for row in rows.valid}
    again = written(rows, tmp_path)
    assert plain(again.train) == plain(rows.train)
    assert sum(not row.answers for row in again.train) == 2 * len(again.train) // 3


def test_parallel_files(tmp_path: Path) -> None:
    for side in ("de", "en"):
        lines = "".join(f"{side} {n}\n" for n in range(30))
        (tmp_path / f"a.{side}").write_text(lines, encoding="utf-8")
    files = (str(tmp_path / "a.de"), str(tmp_path / "a.en"))
    rows = read_rows("text_to_text", {"train": files}, {})
    assert plain(written(rows, tmp_path).train) == plain(rows.train)
    with pytest.raises(SettingError, match=r"--train: two parallel files .* classification"):
        read_rows("classification", {"train": files}, {})


def test_problems_become_warnings_and_errors(tmp_path: Path) -> None:
    one = [(f"text {n}", "same") for n in range(30)]
    with pytest.raises(CorpusError, match="All 30 rows have the label 'same'"):
        read_rows("classification", {"train": one}, {})
    mixed = [*one, ("", "other"), ("x", "other"), ("y", "other")]
    rows = read_rows("classification", {"train": mixed, "test": [("z", "strange")]}, {})
    assert any("1 row has no text" in sentence for sentence in rows.warnings)
    assert any("1 test row has labels that training never" in each for each in rows.warnings)


def test_rows_of_one_answer_are_refused(tmp_path: Path) -> None:
    tagged = [(["a", f"b{n}"], ["O", "O"]) for n in range(30)]
    with pytest.raises(CorpusError, match="All tokens to learn from have the tag 'O'"):
        read_rows("tagging", {"train": tagged}, {})
    pairs = [{"text_a": f"a {n}", "text_b": "b", "score": 3} for n in range(30)]
    with pytest.raises(CorpusError, match="All rows to learn from have the score 3"):
        read_rows("matching", {"train": pairs}, {"score": "score"})
    asked = [{"question": f"q {n}", "context": f"c {n}", "answers": []} for n in range(30)]
    with pytest.raises(CorpusError, match=r"None of the .* has an answer"):
        read_rows("span_qa", {"train": asked}, {})
    empty = [(f"a {n}", "") for n in range(30)]
    with pytest.raises(CorpusError, match="No row has both a source and a target"):
        read_rows("text_to_text", {"train": empty}, {})


def test_a_test_of_one_label_is_a_warning(tmp_path: Path) -> None:
    train = [(f"text {n}", "ab"[n % 2]) for n in range(40)]
    rows = read_rows("classification", {"train": train, "test": [("x", "a"), ("y", "a")]}, {})
    assert rows.warnings == (
        "All 2 test rows are of one kind ('a'), so that a model which always answers this is "
        "right; give rows of every kind.",
    )


def test_common_rows_are_told_once(tmp_path: Path) -> None:
    train = [(f"text {n}", "ab"[n % 2]) for n in range(40)]
    test = [*train[:3], *((f"new {n}", "a") for n in range(7))]
    rows = read_rows("classification", {"train": train, "test": test}, {})
    told = [sentence for sentence in rows.warnings if "3 of 10" in sentence]
    assert len(told) == 1


def test_what_changes_no_score_is_a_note(tmp_path: Path) -> None:
    train = [(f"text {n}", "ab"[n % 2]) for n in range(200)]
    rows = read_rows("classification", {"train": [*train, train[0]]}, {})
    assert rows.warnings == ()
    assert "repeat an earlier one" in rows.notes[0]


def test_a_test_that_is_the_held_out_file_is_refused(tmp_path: Path) -> None:
    train, valid = table(tmp_path, "a.txt", 40), table(tmp_path, "b.txt", 10, 40)
    with pytest.raises(CorpusError, match=r"--test: 10 of 10 rows .* among the held-out rows"):
        read_rows("classification", {"train": train, "valid": valid, "test": valid}, {})


def test_texts_of_rows_as_a_corpus(tmp_path: Path) -> None:
    given = [
        {
            "id": str(n),
            "question": f"what, {n}?",
            "context": f"passage {n // 3}",
            "answers": ["passage"],
        }
        for n in range(60)
    ]
    rows = read_rows("span_qa", {"train": given}, {})
    path = rows.write_texts(tmp_path)
    documents = list(Corpus(path))
    assert len(documents) == len(rows.train)
    assert sum("passage" in document for document in documents) == len(rows.train) // 3
    held_out_text = rows.valid[0].context
    assert held_out_text not in path.read_text(encoding="utf-8")


def test_rows_of_every_task_are_read_without_pytorch() -> None:
    code = (
        "import sys; from foretext.tasks import TASKS; from foretext.tasks.task import task_named; "
        "[task_named(name).read for name in TASKS]; sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_tasks_that_are_not_there() -> None:
    with pytest.raises(SettingError, match="there is no such task"):
        compared_task("clasification")


def texts(labels: list[str]) -> list[LabelledText]:
    return [LabelledText(f"text {n}", (label,), f"a:{n}") for n, label in enumerate(labels)]


@pytest.mark.parametrize(
    ("num_rows", "expected"),
    [(20, 4), (600, 120), (1500, 200), (5000, 500), (100_000, 2000)],  # a fifth of few, a tenth
)
def test_how_many_rows_are_held_out(num_rows: int, expected: int) -> None:
    assert num_held_out(num_rows) == expected


def test_too_few_rows_are_not_divided() -> None:
    with pytest.raises(CorpusError, match=r"19 rows to learn from are too few .* with --valid"):
        num_held_out(19)


def test_each_label_has_its_share_and_rows_keep_their_order() -> None:
    labels = ["a"] * 700 + ["b"] * 200 + ["c"] * 90 + ["d"] * 10
    shuffled = np.random.default_rng(1).permutation(labels).tolist()
    rows = texts(shuffled)
    train, valid = held_out(LinearClassifier.task, rows, 100, seed=3)
    counts = Counter(row.labels[0] for row in valid)
    assert counts == {"a": 70, "b": 20, "c": 9, "d": 1}
    assert sorted([*train, *valid], key=rows.index) == rows
    assert train == sorted(train, key=rows.index)
    assert valid == sorted(valid, key=rows.index)


def test_the_seed_decides() -> None:
    rows = texts(["a", "b"] * 50)
    first, again, other = (held_out(LinearClassifier.task, rows, 20, seed) for seed in (0, 0, 1))
    assert first == again
    assert first != other


def test_the_only_row_of_a_label_is_learned() -> None:
    rows = texts([*["a"] * 30, "rare", *["b"] * 30])
    for seed in range(20):
        _, valid = held_out(LinearClassifier.task, rows, 20, seed)
        assert "rare" not in {row.labels[0] for row in valid}


def test_repeated_texts_are_never_divided() -> None:
    rows = [LabelledText(f"text  {n % 40}", ("a",), "") for n in range(200)]
    rows += [LabelledText(f"text {n}", ("a",), "") for n in range(40)]
    train, valid = held_out(LinearClassifier.task, rows, 24, seed=0)
    assert len(valid) == 24  # four groups of six
    plain = [{" ".join(row.text.split()) for row in part} for part in (train, valid)]
    assert not plain[0] & plain[1]


def test_the_questions_of_a_passage_stay_together() -> None:
    rows = [
        Question(str(n), "why?", f"passage {n // 5}", (), "", "") for n in range(100)
    ]  # twenty passages
    train, valid = held_out(SpanReader.task, rows, 10, seed=0)
    assert len(valid) == 10
    assert not {row.context for row in train} & {row.context for row in valid}


def test_rows_of_one_passage_are_divided_all_the_same() -> None:
    rows = [Question(str(n), "why?", "passage", (), "", "") for n in range(50)]
    train, valid = held_out(SpanReader.task, rows, 10, seed=0)
    assert (len(train), len(valid)) == (40, 10)


def test_a_large_group_does_not_flood_the_held_out_rows() -> None:
    rows = [LabelledPair("same", "same", None, 0.5, "")] * 500
    rows += [LabelledPair(f"a {n}", "b", None, 0.1, "") for n in range(500)]
    for seed in range(5):
        _, valid = held_out(TextMatcher.task, rows, 100, seed)
        assert len(valid) in (*range(50, 101), 500, 550)
