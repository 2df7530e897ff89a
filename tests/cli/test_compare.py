"""``foretext compare``: what its options ask for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from foretext.comparison import run
from foretext.comparison.request import CompareRequest
from foretext.data.rows.parallel_files import ParallelFiles
from tests.cli.conftest import Command

Ask = Any
NEEDED = ("--budget", "2m", "-o", "out", "--task")


class AskedError(Exception):
    """Holds a request that would have been done."""


@pytest.fixture
def ask(command: Command, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """Return the request of a command, or what it prints where it is refused."""
    found: list[CompareRequest] = []

    def run_comparison(request: CompareRequest, out: Path, **options: Any) -> None:
        found.append(request)
        raise AskedError

    def asked(*arguments: object) -> CompareRequest | str:
        found.clear()
        done = command("compare", *arguments)
        assert found or done.code == 2
        return found[0] if found else done.err

    monkeypatch.setattr(run, "run_comparison", run_comparison)
    return asked


def test_numbers_of_labels(ask: Ask) -> None:
    request = ask(*NEEDED, "classification", "--train", "t.tsv", "--labels", "all,50,20")
    assert (request.labels, request.draws) == ((20, 50, "all"), 5)
    request = ask(*NEEDED, "classification", "--train", "t.tsv", "--labels", "20,40", "--draws", 3)
    assert (request.labels, request.draws) == ((20, 40), 3)
    assert "'few' is no number of labels" in ask(
        *NEEDED, "classification", "--train", "t.tsv", "--labels", "few"
    )


def test_all_options(ask: Ask) -> None:
    request = ask(
        "a.txt", "b.txt", *NEEDED, "classification", "--train", "train.tsv", "--valid", "v.tsv",
        "--test", "t.tsv", "--text", 3, "--label", "1", "--column", "body", "--seeds", 3,
        "--rounds", 2, "--seed", 7, "--only", "linear", "--only", "bert", "--with", "runs/x",
        "--without", "elmo", "--set", "rows.encoding=latin-1", "--set", "corpus.lines=wrapped",
        "--set", "bert:objective.mask_rate=0.2", "--set", "bert:training.epochs=2",
        "--set", "word2vec+bilstm:vectors.epochs=1",
    )  # fmt: skip
    assert request == CompareRequest(
        task="classification",
        train="train.tsv",
        valid="v.tsv",
        test="t.tsv",
        budget_seconds=120.0,
        corpus=("a.txt", "b.txt"),
        rows={"encoding": "latin-1", "text": 3, "label": 1},
        text={"lines": "wrapped", "column": "body"},
        seeds=3,
        rounds=2,
        seed=7,
        only=("linear", "bert"),
        without=("elmo",),
        given=("runs/x",),
        settings={
            "bert": {"objective": {"mask_rate": 0.2}, "training": {"epochs": 2}},
            "word2vec+bilstm": {"vectors": {"epochs": 1}},
        },
    )


def test_parallel_files(ask: Ask) -> None:
    request = ask(*NEEDED, "text_to_text", "--train", "a.de", "--target", "a.en")
    assert request.train == ParallelFiles("a.de", "a.en")
    table = ask(*NEEDED, "text_to_text", "--train", "a.csv", "--source", "de", "--target", "en")
    assert (table.train, table.rows) == ("a.csv", {"source": "de", "target": "en"})


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("tagging", "--text", "body"), "--text has no effect on tagging"),
        (("taging",), "there is no such task"),
        (("tagging", "--set", "training.epochs=2"), "say which candidate is meant"),
        (("tagging", "--set", "bert:epochs"), "write it as section.setting=value"),
        (("tagging", "--test-target", "x"), "--test-target x: give the file of its sources"),
        (("tagging", "--only", "bert", "--without", "bert"), "--only and --without both name"),
    ],
)
def test_refusals(ask: Ask, arguments: tuple[str, ...], sentence: str) -> None:
    assert sentence in " ".join(ask(*NEEDED, *arguments, "--train", "rows.txt").split())


def test_what_is_missing(command: Command) -> None:
    done = command("compare", "--task", "tagging", "--train", "rows.txt", "-o", "out")
    assert done.code == 2
    assert "Missing option '--budget'" in done.err
