"""``foretext predict`` on tables, and on texts unlike those of the training."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import foretext as ft
from tests.cli.conftest import Command
from tests.task_files import small_settings, write_task_files


def test_columns_are_copied_beside_the_answers(command: Command, tmp_path: Path) -> None:
    files = write_task_files(tmp_path)
    ft.finetune("classification", "linear", files.train("classification"), tmp_path / "run")
    table = tmp_path / "new.csv"
    table.write_text('id,text,author\n1,"the cat purrs, again",A\n2,the dog barks,B\n')
    done = command("predict", tmp_path / "run", table, "--keep", "id,author", "--json")
    records = [json.loads(line) for line in done.out.splitlines()]
    assert [(each["id"], each["author"]) for each in records] == [("1", "A"), ("2", "B")]
    assert records[0]["text"] == "the cat purrs, again"
    shown = command("predict", tmp_path / "run", table, "--keep", "id").out.splitlines()
    assert [line.split("\t")[0] for line in shown] == ["1", "2"]
    plain = command("predict", tmp_path / "run", table, "--json").out.splitlines()
    assert json.loads(plain[1])["text"] == "the dog barks"  # the header is no text
    (tmp_path / "plain.txt").write_text("the cat purrs\n")
    refused = command("predict", tmp_path / "run", tmp_path / "plain.txt", "--keep", "id")
    assert (refused.code, "--keep copies columns of a table" in refused.err) == (2, True)


def test_texts_unlike_the_rows_of_a_tagger_are_named(command: Command, tmp_path: Path) -> None:
    sentence = "John B-PER\nlives O\nin O\nRome B-LOC\n. O\n\n"
    (tmp_path / "tags.txt").write_text(30 * sentence)
    settings = small_settings("lstm", epochs=2.0)
    ft.finetune("tagging", "lstm", tmp_path / "tags.txt", tmp_path / "run", settings=settings)
    (tmp_path / "like.txt").write_text("John lives in Rome.\n" * 10)
    (tmp_path / "unlike.txt").write_text("zwei ganz andere sachen hier drin\n" * 10)
    like = command("predict", tmp_path / "run", tmp_path / "like.txt")
    assert (like.code, like.err) == (0, "")
    unlike = command("predict", tmp_path / "run", tmp_path / "unlike.txt")
    assert unlike.code == 0
    assert "100% of the tokens are unknown, and 0% were in training" in unlike.err
    assert "hardly any capital letters" in unlike.err
    rows = "".join(f"{word} O\n" for word in ["zwei", "andere", "sachen"]) + "\n"
    (tmp_path / "rows.txt").write_text(20 * rows)
    judged = command("evaluate", tmp_path / "run", tmp_path / "rows.txt")
    assert "100% of the tokens are unknown" in judged.err


@pytest.mark.slow
def test_a_network_computes_in_other_numbers_and_a_linear_model_does_not(
    command: Command, tmp_path: Path
) -> None:
    files = write_task_files(tmp_path)
    rows = files.train("classification")
    settings = small_settings("transformer", epochs=1.0)
    ft.finetune("classification", "transformer", rows, tmp_path / "run", settings=settings)
    ft.finetune("classification", "linear", rows, tmp_path / "linear")
    (tmp_path / "texts.txt").write_text("the cat purrs\n" * 3)
    exact, rough = (
        command("predict", tmp_path / "run", tmp_path / "texts.txt", "--precision", precision)
        for precision in ("fp32", "bf16")
    )
    assert (exact.code, rough.code) == (0, 0)
    assert len(exact.out.splitlines()) == 3
    refused = command("predict", tmp_path / "linear", tmp_path / "texts.txt", "--precision", "int8")
    assert (refused.code, "--precision has no effect on" in refused.err) == (2, True)


def test_the_words_that_decided_are_marked(command: Command, tmp_path: Path) -> None:
    files = write_task_files(tmp_path)
    model = ft.finetune("classification", "linear", files.train("classification"), tmp_path / "run")
    texts = ["the cat purrs, again", "the dog barks"]
    (tmp_path / "texts.txt").write_text("\n".join(texts) + "\n")
    plain, shown = (
        command("predict", tmp_path / "run", tmp_path / "texts.txt", *option).out.splitlines()
        for option in ([], ["--explain"])
    )
    expected = model.explain(texts)
    for line, before, found in zip(shown, plain, expected, strict=True):
        answer, text = before.split("\t")
        assert line == f"{answer}\t{found.marked('text')}"
        assert text in texts
    assert "[+" in shown[0]
    done = command("predict", tmp_path / "run", tmp_path / "texts.txt", "--explain", "--json")
    records = [json.loads(line) for line in done.out.splitlines()]
    assert [each["explanation"] for each in records] == [each.record() for each in expected]
    assert [each["text"] for each in records] == texts


def test_answers_without_words_to_explain_them_are_refused(
    command: Command, tmp_path: Path
) -> None:
    (tmp_path / "tags.txt").write_text(30 * "John B-PER\nlives O\nin O\nRome B-LOC\n. O\n\n")
    settings = small_settings("lstm", epochs=1.0)
    ft.finetune("tagging", "lstm", tmp_path / "tags.txt", tmp_path / "run", settings=settings)
    done = command("predict", tmp_path / "run", tmp_path / "missing.txt", "--explain")
    assert (done.code, done.out) == (2, "")
    assert "Tagging cannot be explained by words" in done.err
