"""``predict`` and ``evaluate`` read what ``finetune`` reads; advice that is followed works."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import foretext as ft
from tests.cli.conftest import Command
from tests.task_files import small_settings

ROWS = [
    ("sea", "ship near wave"), ("court", "judge near law"), ("sea", "anchor, wave"),
    ("court", "jury and law"),
]  # fmt: skip


class Runs(NamedTuple):
    folder: Path

    def write(self, name: str, content: str) -> Path:
        path = self.folder / name
        path.write_text(content, encoding="utf-8")
        return path


def table(header: str, rows: list[tuple[str, ...]], separator: str = ",") -> str:
    quoted = [
        separator.join(f'"{cell}"' if "," in cell and separator == "," else cell for cell in row)
        for row in rows
    ]
    return "\n".join([*([header] if header else []), *quoted, ""])


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """Runs of the same rows from files of other forms."""
    runs = Runs(tmp_path_factory.mktemp("rows"))
    many = 15 * ROWS
    named = runs.write("named.csv", table("label,text", many))
    body = runs.write("body.csv", table("topic,body", many))
    numbered = runs.write("numbered.txt", table("", [(b, a) for a, b in many], "\t"))
    ft.finetune("classification", "linear", named, runs.folder / "named")
    for name, path, rows in (
        ("body", body, {"text": "body", "label": "topic"}),
        ("numbered", numbered, {"text": 1, "label": 2}),
    ):
        settings: dict[str, Any] = {"rows": rows}
        ft.finetune("classification", "linear", path, runs.folder / name, settings=settings)
    return runs


def answers(command: Command, *arguments: object) -> list[dict[str, Any]]:
    done = command("predict", *arguments, "--json")
    assert (done.code, done.err) == (0, "")
    return [json.loads(line) for line in done.out.splitlines()]


FILES = {
    "new.csv": table("label,text", ROWS),
    "new.tsv": table("label\ttext", ROWS, "\t"),
    "new.jsonl": "".join(json.dumps({"label": a, "text": b}) + "\n" for a, b in ROWS),
    "plain.txt": "".join(f"{text}\n" for _, text in ROWS),
    "tabs.txt": table("", ROWS, "\t"),
    "fasttext.txt": "".join(f"__label__{label} {text}\n" for label, text in ROWS),
}


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("name", FILES)
def test_files_of_every_form_are_answered_alike(
    name: str, command: Command, learned: Runs, tmp_path: Path
) -> None:
    path = Runs(tmp_path).write(name, FILES[name])
    model: Any = ft.load(learned.folder / "named")
    expected = list(model.predictions([text for _, text in ROWS]))
    assert answers(command, learned.folder / "named", path) == expected
    assert list(model.predictions(path)) == expected
    packed = tmp_path / f"{name}.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert answers(command, learned.folder / "named", packed) == expected


def test_a_run_remembers_its_columns(command: Command, learned: Runs, tmp_path: Path) -> None:
    model: Any = ft.load(learned.folder / "body")
    files = Runs(tmp_path)
    body = files.write("body.csv", table("topic,body", ROWS))
    usual = files.write("usual.csv", table("label,text", ROWS))
    assert model.evaluate(body)["accuracy"] == 1
    assert model.evaluate(usual)["accuracy"] == 1
    assert model.evaluate([(text, label) for label, text in ROWS])["accuracy"] == 1
    assert model.evaluate(body, rows={"text": "topic", "label": "topic"})["accuracy"] < 1
    for path in (body, usual):
        found = command("evaluate", learned.folder / "body", path, "--json")
        assert json.loads(found.out)[str(path)]["accuracy"] == 1
    numbered: Any = ft.load(learned.folder / "numbered")
    turned = files.write("turned.txt", table("", [(b, a) for a, b in ROWS], "\t"))
    assert numbered.evaluate(turned)["accuracy"] == 1
    assert numbered.evaluate(usual)["accuracy"] == 1
    assert answers(command, learned.folder / "numbered", turned, "--keep", "2")[0]["2"] == "sea"


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("name", FILES)
def test_the_format_of_the_training_is_not_that_of_other_files(
    name: str, command: Command, tmp_path: Path
) -> None:
    files = Runs(tmp_path)
    rows = files.write("rows.jsonl", 15 * FILES["new.jsonl"])
    settings: dict[str, Any] = {"rows": {"format": "jsonl"}}
    ft.finetune("classification", "linear", rows, tmp_path / "run", settings=settings)
    path = files.write(name, FILES[name])
    found = answers(command, tmp_path / "run", path)
    assert [each["text"] for each in found] == [text for _, text in ROWS]
    refused = command("predict", tmp_path / "run", path, "--set", "rows.format=jsonl")
    assert (refused.code == 0) == (name == "new.jsonl")
    model: Any = ft.load(tmp_path / "run")
    if name != "plain.txt":
        assert model.evaluate(path)["accuracy"] == 1


@pytest.mark.slow
def test_a_file_in_other_columns_can_be_judged(
    command: Command, learned: Runs, tmp_path: Path
) -> None:
    files = Runs(tmp_path)
    other = files.write("other.csv", table("id,kind,words", [("1", *row) for row in ROWS]))
    bare = files.write("bare.tsv", table("", [("1", *row) for row in ROWS], "\t"))
    for path, text, label in ((other, "words", "kind"), (bare, "3", "2")):
        for run in ("named", "body", "numbered"):
            found = command(
                "evaluate", learned.folder / run, path, "--text", text, "--label", label, "--json"
            )
            assert json.loads(found.out)[str(path)]["accuracy"] == 1, (path, run)
            shown = answers(command, learned.folder / run, path, "--text", text)
            assert [each["text"] for each in shown] == [text for _, text in ROWS]


# An error of a verb on a file, and what its advice says to type.
ADVICE = [
    ("predict", "x.csv", table("kind,words", ROWS), r"--text COLUMN", ["--text", "words"]),
    ("predict", "x.tsv", table("", [("1", *row) for row in ROWS], "\t"), "by its number from 1",
     ["--text", "3"]),
    ("evaluate", "x.csv", table("kind,words", ROWS), r"--text, --label",
     ["--text", "words", "--label", "kind"]),
    ("evaluate", "x.jsonl", '{"words": "ship wave", "kind": "sea"}\n', "(--text NAME)",
     ["--text", "words", "--label", "kind"]),
    ("evaluate", "x.txt", table("", [("1", *row) for row in ROWS], "\t"),
     "--label 1 --text 3", ["--label", "2", "--text", "3"]),
    ("evaluate", "x.txt", table("kind,words", ROWS), "--set rows.format=csv",
     ["--set", "rows.format=csv", "--text", "words", "--label", "kind"]),
]  # fmt: skip


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize(("verb", "name", "content", "advice", "options"), ADVICE)
def test_advice_that_is_followed_works(
    verb: str,
    name: str,
    content: str,
    advice: str,
    options: list[str],
    command: Command,
    learned: Runs,
    tmp_path: Path,
) -> None:
    path = Runs(tmp_path).write(name, content)
    refused = command(verb, learned.folder / "named", path)
    assert refused.code == 2
    assert advice in refused.err
    done = command(verb, learned.folder / "named", path, *options)
    assert (done.code, done.err) == (0, "")


def test_encodings_of_files(command: Command, learned: Runs, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes("label,text\nsea,ship é wave\n".encode("cp1252"))
    for verb in ("predict", "evaluate"):
        refused = command(verb, learned.folder / "named", path)
        assert (refused.code, "--set rows.encoding=" in refused.err) == (2, True)
        for option in (["--encoding", "cp1252"], ["--set", "rows.encoding=cp1252"]):
            assert command(verb, learned.folder / "named", path, *option).code == 0


def test_options_without_effect_are_refused(command: Command, learned: Runs) -> None:
    for verb in ("predict", "evaluate"):
        refused = command(
            verb, learned.folder / "named", learned.folder / "named.csv", "--text-a", "text"
        )
        assert refused.code == 2
        assert "--text-a has no effect on" in refused.err
        assert "--text, --label" in refused.err
        refused = command(
            verb, learned.folder / "named", learned.folder / "named.csv", "--set", "task.dropout=1"
        )
        assert "there is no such section here" in refused.err


def test_lines_of_tokens_are_sentences(command: Command, tmp_path: Path) -> None:
    files = Runs(tmp_path)
    sentence = "Anna B-PER\nvan I-PER\nKeller I-PER\nlives O\n\n"
    rows = files.write("rows.conll", 20 * (sentence + "John B-PER\nsails O\n\n"))
    settings = small_settings("lstm", epochs=2.0)
    model: Any = ft.finetune("tagging", "lstm", rows, tmp_path / "run", settings=settings)
    one = files.write("q.txt", sentence)
    (found,) = answers(command, tmp_path / "run", one)
    words = ["Anna", "van", "Keller", "lives"]
    assert found["text"] == " ".join(words)
    assert [token for token, _ in found["tags"]] == words
    assert [tag for _, tag in found["tags"]] == model.predict([words])[0]
    objects = files.write("q.jsonl", json.dumps({"tokens": words}) + "\n")
    assert answers(command, tmp_path / "run", objects) == [found]
    texts = files.write("texts.txt", "Anna van Keller lives\n")
    assert answers(command, tmp_path / "run", texts)[0]["text"] == found["text"]
    judged = command("evaluate", tmp_path / "run", one, "--json", "--token", "1", "--tag", "2")
    assert json.loads(judged.out)[str(one)]["tokens"] == 4


@pytest.mark.slow
def test_a_recipe_is_no_base_yet(
    command: Command, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = Runs(tmp_path).write("rows.csv", table("label,text", 15 * ROWS))
    for name in ("bert", "word2vec"):
        refused = command("finetune", "classification", name, rows, "-o", "run")
        assert refused.code == 2
        assert f"`foretext pretrain {name} TEXT -o runs/{name}`" in refused.err
    advice = refused.err.split("`")[1].replace("TEXT", str(corpus)).split()[1:]
    small = ["--set", "vectors.epochs=1", "--set", "vectors.vector_size=8", "--no-report", "-q"]
    assert command(*advice, *small).code == 0
    steps = ["--set", "training.steps=2", "--no-report", "-q"]
    done = command("finetune", "classification", "runs/word2vec", rows, "-o", "run", *steps)
    assert done.code == 0


def test_texts_before_labels_are_refused_and_the_advice_works(
    command: Command, tmp_path: Path
) -> None:
    words = ["bank", "fund", "rate", "team", "goal", "cup", "film", "star", "role"]
    rows = [(f"{words[n % 9]} {n} {words[n * 7 % 9]}", str(n % 3)) for n in range(300)]
    path = Runs(tmp_path).write("thu.txt", table("", rows, "\t"))
    refused = command("finetune", "classification", "linear", path, "-o", tmp_path / "run")
    assert refused.code == 2
    assert "different labels, and only 3 different values where a text should be" in refused.err
    assert "--text 1 --label 2" in refused.err
    assert "Warning" not in refused.err
    options = ["--text", "1", "--label", "2", "--no-report"]
    done = command("finetune", "classification", "linear", path, "-o", tmp_path / "run", *options)
    assert done.code == 0
    assert "header" not in done.err


def test_libraries_do_not_warn_on_the_screen(tmp_path: Path) -> None:
    """Many labels of few rows each: scikit-learn would say that they may be numbers."""
    rows = [(f"a text of topic {n}", f"topic{n}") for n in range(60)]
    model: Any = ft.finetune("classification", "linear", rows)  # warnings are errors here
    assert model.num_labels == 60
