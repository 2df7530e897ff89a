from __future__ import annotations

import json
from pathlib import Path

import pytest

from foretext.data.rows import read_texts
from foretext.tasks.classification.linear import LinearClassifier
from tests.cli.conftest import Command


@pytest.fixture(scope="module")
def folder(run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A classifier, word vectors, labelled rows, and texts in several forms."""
    folder = tmp_path_factory.mktemp("suggest")
    (folder / "words").symlink_to(run)
    texts, labels = ["the ship on the wave", "the judge and the jury"] * 5, ["sea", "law"] * 5
    LinearClassifier().fit(texts, labels).save(folder / "classifier")
    rows = zip(texts, labels, strict=True)
    (folder / "rows.csv").write_text("text,label\n" + "".join(f"{t},{y}\n" for t, y in rows))
    given = ["the ship on the wave", "the ship of the judge", "a wave", "the jury", "", "a wave"]
    (folder / "texts.txt").write_text("".join(f"{text}\n" for text in given))
    return folder


def test_what_is_said_and_written(command: Command, folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "next.csv"
    given = [folder / "classifier", folder / "texts.txt", "-o", out, "-n", 2]
    done = command("suggest", *given, "--labelled", folder / "rows.csv")
    assert done.code == 0, done.err
    first, second = done.out.splitlines()
    assert first == (
        "2 texts of 6, without 1 repeated, 1 empty, 1 labelled, by uncertainty and coverage, "
        "vectors of words of the texts"
    )
    assert second.startswith(f"{out} is kept; label the texts in it")
    header, *rows = out.read_text().splitlines()
    assert header == "text,label,suggested,probability,priority,why"
    assert len(rows) == 2
    again = command("suggest", *given)
    assert again.code == 2
    assert "exists; choose another name" in again.err


def test_the_round_of_label_studio(command: Command, folder: Path, tmp_path: Path) -> None:
    """What is suggested is labelled, exported, and learned from."""
    out = tmp_path / "tasks.json"
    done = command(
        "suggest", folder / "classifier", folder / "texts.txt", "-o", out, "--by", "uncertainty"
    )
    assert done.code == 0, done.err
    tasks = json.loads(out.read_text())
    for task in tasks:
        task["annotations"] = [{"result": task["predictions"][0]["result"]}]
    (tmp_path / "export.json").write_text(json.dumps(tasks))
    assert {label for row in read_texts(tmp_path / "export.json") for label in row.labels} == {
        "sea", "law"
    }  # fmt: skip
    given = ("finetune", "classification", "linear", tmp_path / "export.json")
    learned = command(*given, "-o", tmp_path / "better", "--no-report", "--quiet")
    assert learned.code == 0, learned.err


def test_nothing_is_labelled_yet(command: Command, folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "first.jsonl"
    done = command("suggest", folder / "words", folder / "texts.txt", "-o", out, "--json")
    assert done.code == 0, done.err
    result = json.loads(done.out)
    assert (result["by"], result["vectors"], result["suggested"]) == ("coverage", "the model's", 4)
    assert json.loads(out.read_text().splitlines()[0])["label"] is None


def test_standard_input(
    command: Command, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import io
    import sys

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"the ship\nthe jury\n")))
    out = tmp_path / "a.jsonl"
    done = command("suggest", folder / "classifier", "-", "-o", out, "--format", "doccano")
    assert done.code == 0, done.err
    assert [json.loads(line)["label"] for line in out.read_text().splitlines()]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("classifier texts.txt -o a.xyz", "the name does not say which format is meant"),
        ("classifier texts.txt -o a.tsv", "which .tsv cannot have; give csv"),
        ("classifier nothing.txt -o a.csv", "nothing.txt: there is no such file"),
        ("nothing texts.txt -o a.csv", "nothing"),
        ("words texts.txt -o a.csv --by both", "gives no probabilities of labels"),
        ("classifier texts.txt -o a.csv --text body", "there is no column"),
        ("classifier texts.txt -o a.csv --text-a x", "--text-a has no effect"),
        ("classifier texts.txt -o a.csv --with rows.csv", "rows.csv"),
        ("classifier texts.txt -o a.csv --set rows.nothing=1", "nothing"),
    ],
)
def test_errors_are_one_sentence(
    arguments: str, sentence: str, command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    done = command("suggest", *arguments.split())
    assert done.code == 2, done.out
    assert sentence in done.err
    assert len(done.err.splitlines()) == 1
    assert not [*folder.glob("a.*")]
