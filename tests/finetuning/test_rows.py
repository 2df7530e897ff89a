"""Which rows are learned from, which are held out, and what is said of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from foretext.artifact import RunFolder
from foretext.base.errors import CorpusError, SettingError
from foretext.data.rows import LabelledText, RowsConfig, TaggedConfig
from foretext.finetuning.job import FinetuneJob
from foretext.finetuning.network import NetworkLearner
from foretext.finetuning.recipe import TaskRecipe
from foretext.finetuning.rows import new_texts, read_rows, read_unlabelled, unlabelled_source
from foretext.finetuning.task_rows import TaskRows
from tests.task_files import TaskFiles

Output = pytest.CaptureFixture[str]


def read(
    folder: Path,
    train: Path,
    rate: float | None = None,
    *,
    task: str = "classification",
    seed: int = 1,
    rows_are_checked: bool = False,
    **files: Any,
) -> TaskRows:
    """The rows of a run that starts from scratch; such a run holds a tenth out."""
    run = RunFolder(folder / "run")
    run.path.mkdir(exist_ok=True)
    chosen = {} if rate is None else {"valid_rate": rate}
    settings = {"finetuning": chosen, "training": {"seed": seed}}
    recipe = TaskRecipe(task, "textcnn", train, settings=settings, **files)
    job = FinetuneJob(run=run, recipe=recipe, quiet=False, rows_are_checked=rows_are_checked)
    return read_rows(NetworkLearner(job, settings))


def write(path: Path, *rows: str, times: int = 1) -> Path:
    path.write_text("".join(["text\tlabel\n", *(f"{row}\n" for row in rows * times)]))
    return path


@pytest.mark.parametrize("task", ["classification", "matching", "tagging", "span_qa"])
def test_a_tenth_is_held_out_in_the_order_of_the_file(
    task: str, task_files: TaskFiles, tmp_path: Path
) -> None:
    train = task_files.train(task)
    everything = read(tmp_path, train, 0.0, task=task)
    assert (len(everything.train), len(everything.valid)) == (60, 0)
    parts = read(tmp_path, train, task=task)
    assert (len(parts.train), len(parts.valid), parts.valid_rate) == (54, 6, 0.1)
    assert sorted([*parts.train, *parts.valid], key=everything.train.index) == everything.train
    places = [everything.train.index(row) for row in parts.train]
    assert places == sorted(places)
    assert read(tmp_path, train, task=task).valid == parts.valid
    assert read(tmp_path, train, task=task, seed=2).valid != parts.valid


def test_a_rate_that_the_user_chose(task_files: TaskFiles, tmp_path: Path) -> None:
    train = task_files.train("classification")
    assert len(read(tmp_path, train, 0.25).valid) == 15
    assert len(read(tmp_path, train, 0.0).valid) == 0
    few = write(tmp_path / "few.tsv", "a\tx", "b\ty", times=5)
    assert read(tmp_path, few).valid_rate == 0.0  # too few, unless the user wants it
    assert len(read(tmp_path, few, 0.2).valid) == 2


def test_a_file_of_held_out_rows(task_files: TaskFiles, tmp_path: Path) -> None:
    train, other = task_files.train("classification"), task_files.test("classification")
    rows = read(tmp_path, train, valid=other, test=other)
    assert [len(part) for part in (rows.train, rows.valid, rows.test)] == [60, 18, 18]
    assert rows.valid_rate is None
    with pytest.raises(SettingError, match="valid_rate would have no effect beside a file"):
        read(tmp_path, train, 0.1, valid=other)


def test_a_single_label_is_refused(tmp_path: Path) -> None:
    only = write(tmp_path / "only.tsv", "a cat\tcat", "two cats\tcat")
    with pytest.raises(CorpusError, match=r"All 2 rows have the label 'cat'.*nothing to learn"):
        read(tmp_path, only)


def test_warnings_about_rows(tmp_path: Path, capsys: Output) -> None:
    train = write(tmp_path / "train.tsv", "a cat\tcat", "a dog\tdog", "\tdog")
    test = write(tmp_path / "test.tsv", "a cat\tcat", "a hen\then")
    valid = write(tmp_path / "valid.tsv", "an owl\towl", "a dog\tdog")
    rows = read(tmp_path, train, test=test, valid=valid)
    assert [len(part) for part in (rows.train, rows.valid, rows.test)] == [3, 2, 2]
    shown = capsys.readouterr().err
    assert f"1 row has no text; fill in or remove what is empty. ({train}, line 4)" in shown
    assert "1 test row has labels that training never shows (such as 'hen')" in shown
    assert "1 of 2 test rows (50.0%) occur in training too, 1 with the same labels" in shown
    assert "1 of 2 held-out rows have labels that the rows to learn from never show" in shown
    assert f"(such as 'owl'), and cannot be right. ({valid}, line 2)" in shown
    log = (tmp_path / "run" / "train.log").read_text()
    assert "3 rows to learn from, 2 held out, 2 test" in log
    read(tmp_path, train, test=test, valid=valid, rows_are_checked=True)
    assert not capsys.readouterr().err


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
