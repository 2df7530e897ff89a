"""``foretext quantize``: a small classifier, and what it lost."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import torch

import foretext as ft
from foretext.tasks.classification.linear import LinearClassifier
from foretext.tasks.classification.network import TextClassifier
from foretext.tasks.fasttext.classifier import FastTextClassifier
from tests.cli.conftest import Command
from tests.task_files import small_settings, write_task_files
from tests.tasks.fasttext.texts import labelled_texts

HAS_INT8 = torch.cpu._is_vnni_supported()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A classifier, and the rows that it learned from."""
    folder = tmp_path_factory.mktemp("quantize")
    texts, labels = labelled_texts(300)
    settings = {"dim": 12, "lr": 0.5, "epochs": 10, "workers": 1}
    classifier = FastTextClassifier(**settings, word_ngrams=2, bucket=2_000).fit(texts, labels)
    classifier.save(folder / "whole")
    lines = (f"__label__{label} {text}\n" for text, label in zip(texts, labels, strict=True))
    (folder / "rows.txt").write_text("".join(lines), encoding="utf-8")
    return folder


def test_small_folders_and_files(command: Command, folder: Path, tmp_path: Path) -> None:
    rows = ("--test", folder / "rows.txt", "--json")
    done = command(
        "quantize", folder / "whole", tmp_path / "small", "--cutoff", 100, "--qnorm",
        "--train", folder / "rows.txt", *rows,
    )  # fmt: skip
    assert done.code == 0, done.err
    result = json.loads(done.out)
    assert result["bytes"] == sum(path.stat().st_size for path in (tmp_path / "small").iterdir())
    assert result["accuracy"] > result["accuracy_before"] - 0.1
    small = FastTextClassifier.load(tmp_path / "small").model
    assert len(small.dictionary) + len(small.buckets) == 100
    plain = command("quantize", folder / "whole", tmp_path / "small.ftz", *rows[:2])
    assert plain.out.startswith(f"{(tmp_path / 'small.ftz').stat().st_size:,} bytes: ")
    assert re.search(r"accuracy (0\.9|1\.0)\d+, before", plain.out)


def test_what_is_there_stays(command: Command, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "small.ftz").write_text("mine")
    done = command("quantize", folder / "whole", tmp_path / "small.ftz")
    assert done.code == 2
    assert "small.ftz exists; choose another name" in done.err
    assert (tmp_path / "small.ftz").read_text() == "mine"


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A network that learned texts, and its rows."""
    folder = tmp_path_factory.mktemp("network")
    rows = write_task_files(folder).train("classification")
    settings = small_settings("transformer", epochs=1.0)
    ft.finetune("classification", "transformer", rows, folder / "run", settings=settings)
    return folder / "run", Path(rows)


@pytest.mark.skipif(not HAS_INT8, reason="the processor has no products of integers")
def test_a_network_keeps_int8(command: Command, network: tuple[Path, Path], tmp_path: Path) -> None:
    run, rows = network
    done = command("quantize", run, tmp_path / "fast", "--test", rows, "--json")
    assert done.code == 0, done.err
    result = json.loads(done.out)
    assert result["figure"] == "accuracy"
    assert result["accuracy"] >= result["accuracy_before"] - 0.005
    assert TextClassifier.load(tmp_path / "fast").keeps_int8
    assert not TextClassifier.load(run).keeps_int8
    judged = command("evaluate", tmp_path / "fast", rows, "--precision", "int8", "--json")
    assert json.loads(judged.out)[str(rows)]["accuracy"] == result["accuracy"]


def test_what_a_network_needs(command: Command, network: tuple[Path, Path], tmp_path: Path) -> None:
    run, rows = network
    refused = command("quantize", run, tmp_path / "fast")
    assert (refused.code, "--test ROWS" in refused.err) == (2, True)
    refused = command("quantize", run, tmp_path / "fast", "--dsub", 4, "--test", rows)
    assert (refused.code, "--dsub has no effect" in refused.err) == (2, True)
    assert not (tmp_path / "fast").exists()


def test_other_models_are_refused(command: Command, tmp_path: Path) -> None:
    texts, labels = labelled_texts(40)
    LinearClassifier().fit(texts, labels).save(tmp_path / "linear")
    refused = command("quantize", tmp_path / "linear", tmp_path / "small")
    assert refused.code == 2
    assert "holds neither the network of a task nor a classifier of fastText" in refused.err
