"""``foretext finetune sentence_vectors``, and the verbs that use its run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.networks import ANIMALS, SOUNDS

SHAPE = [f"--set=backbone.{setting}" for setting in ("num_layers=1", "dim=16", "num_heads=2")]


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("rows") / "rows.tsv"
    lines = (
        f"{number}\tthe {ANIMALS[number % 6]}\tit {SOUNDS[number % 6]}\ta {ANIMALS[number % 5]}\n"
        for number in range(40)
    )
    path.write_text("".join(["id\tasked\tright\twrong\n", *lines]), encoding="utf-8")
    return path


def test_from_triples_to_vectors(command: Command, rows: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    columns = ["--text-a", "asked", "--text-b", "right", "--negative", "wrong"]
    done = command(
        "finetune", "sentence_vectors", "transformer", rows, *columns, *SHAPE, "--test", rows,
        "--set=training.epochs=1", "--set=task.dims=[8]", "-o", run, "--quiet", "--json",
    )  # fmt: skip
    assert done.code == 0, done.err
    result = json.loads(done.out)
    assert {"recall@1", "recall@10", "ndcg@10", "alignment"} <= result["test"].keys()
    assert "nDCG@10" in result["verdict"]["sentence"]
    page = (run / "report.html").read_text(encoding="utf-8")
    assert "Right texts that are found last" in page
    (figures,) = json.loads(command("evaluate", run, rows, "--json").out).values()
    assert figures["ndcg@10"] == pytest.approx(result["test"]["ndcg@10"])
    (tmp_path / "texts.txt").write_text("the dog\nit barks\n", encoding="utf-8")
    lines = command("embed", run, tmp_path / "texts.txt", "--quiet").out.splitlines()
    embedded = [json.loads(line) for line in lines]
    short = command("embed", run, tmp_path / "texts.txt", "--dim", "8", "--quiet").out
    assert [len(json.loads(line)["vector"]) for line in short.splitlines()] == [8, 8]
    assert "use 1 to 16" in command("embed", run, tmp_path / "texts.txt", "--dim", "17").err
    predicted = command("predict", run, tmp_path / "texts.txt", "--json").out
    for one, line in zip(embedded, predicted.splitlines(), strict=True):
        other = json.loads(line)
        assert one["text"] == other["text"]
        assert one["vector"] == pytest.approx(other["vector"], abs=2e-2)  # bf16


@pytest.mark.slow
def test_texts_alone_are_measured_by_pairs_with_scores(command: Command, tmp_path: Path) -> None:
    texts, pairs = tmp_path / "texts.txt", tmp_path / "pairs.tsv"
    lines = [f"the {ANIMALS[row % 6]} {SOUNDS[row % 5]} again {row}\n" for row in range(60)]
    texts.write_text("".join(lines), encoding="utf-8")
    rows = [f"the {ANIMALS[row % 6]}\tit {SOUNDS[row % 4]}\t{row % 3}.5\n" for row in range(30)]
    header = "sentence1\tsentence2\tscore\n"
    pairs.write_text("".join([header, *rows]), encoding="utf-8")
    run, other = tmp_path / "run", tmp_path / "other"
    learn = ["finetune", "sentence_vectors", "transformer", texts, *SHAPE, "--quiet", "--json"]
    epochs = "--set=training.epochs=1"
    done = command(*learn, epochs, "--test", pairs, "-o", run)
    assert done.code == 0, done.err
    result = json.loads(done.out)
    assert result["valid"] is None  # six texts are held out, which have no scores
    assert {"spearman", "pearson"} <= result["test"].keys()
    assert "Spearman" in result["verdict"]["sentence"]
    assert "Spearman, test" in (run / "report.html").read_text(encoding="utf-8")
    assert "| Spearman |" in (run / "README.md").read_text(encoding="utf-8")
    (figures,) = json.loads(command("evaluate", run, pairs, "--json").out).values()
    assert figures["spearman"] == pytest.approx(result["test"]["spearman"])
    done = command(*learn, epochs, "--valid", pairs, "--set=finetuning.seeds=2", "-o", other)
    assert done.code == 0, done.err
    assert "spearman" in json.loads(done.out)["valid"]
    log = (other / "train.log").read_text(encoding="utf-8")
    assert "Texts alone do not say how good their vectors are" in log


def test_options_of_other_rows_are_refused(command: Command, rows: Path, tmp_path: Path) -> None:
    done = command(
        "finetune",
        "sentence_vectors",
        "transformer",
        rows,
        "--label",
        "right",
        "-o",
        tmp_path / "r",
    )
    assert done.code == 2
    assert "--label has no effect on sentence_vectors" in done.err
    assert "--negative" in done.err
