"""``foretext plan``: a table, or JSON; and what it cannot plan."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from foretext.pretraining.plan import planner
from foretext.pretraining.plan import planner as trials
from tests.cli.conftest import Command

SMALL = ("--set", "tokenizer.vocab_size=120", "--set", "objective.row_length=24")


@pytest.fixture(autouse=True)
def two_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trials, "SHAPES", trials.SHAPES[:2])


def test_it_shows_sizes_and_marks_one(command: Command, animal_text: Path) -> None:
    shown = command("plan", "modern-bert", animal_text, "--budget", "30s", *SMALL)
    assert shown.code == 0
    marked = [line for line in shown.out.splitlines() if line.startswith("→")]
    assert len(marked) == 1
    assert "3×192" in shown.out
    assert "00:30 in all" in shown.out
    begin = " ".join(shown.out.split()).partition("begin: ")[2]
    assert begin.startswith(f"foretext pretrain modern-bert {animal_text} -o RUN --set ")
    assert begin.endswith("--budget 30s")


@pytest.mark.slow
def test_json_has_all_of_it(command: Command, animal_text: Path) -> None:
    told = command("plan", "gpt-tiny", animal_text, "--json", "--set", "tokenizer.vocab_size=320")
    plan = json.loads(told.out)
    assert [each["name"] for each in plan["candidates"]] == ["tiny"]
    assert plan["settings"]["training"]["learning_rate"] > 0
    assert not plan["chosen_budget"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["word2vec"], "There is nothing to plan for word2vec: it has no sizes to choose among"),
        (["bert", "--budget", "soon"], "budget = 'soon': write a time like 90s, 10m or 1.5h"),
        (["brt"], "There is no recipe 'brt'. Did you mean 'bert'"),
    ],
)
def test_refusals(command: Command, animal_text: Path, arguments: list[str], sentence: str) -> None:
    refused = command("plan", arguments[0], animal_text, *arguments[1:])
    assert refused.code == 2
    assert sentence in refused.err


def test_a_pair_that_does_not_fit_is_refused_before_text_is_read(
    command: Command, animal_text: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(*_: object) -> None:
        pytest.fail("the text was read")

    monkeypatch.setattr(planner, "CorpusSample", read)
    refused = command("plan", "gpt", animal_text, "--set", "backbone.name=recurrent")
    assert refused.code == 2
    assert "[backbone]" in refused.err or "[objective]" in refused.err


def test_a_dry_run_needs_no_text(command: Command) -> None:
    shown = command("plan", "bert-large", "--dry-run", "--processes", "8", "--device", "h200")
    assert shown.code == 0
    assert "8 processes, one h200 each; nothing was measured" in shown.out
    told = command("plan", "gpt-base", "--dry-run", "--processes", "4", "--json")
    kinds = json.loads(told.out)["dry_runs"]
    assert [each["sharding"] for each in kinds] == ["none", "optimizer", "full"]
    assert all(each["fits"] and each["tokens_per_second"] > 0 for each in kinds)


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--dry-run", "--device", "tpu"], "nothing is known of such a device"),
        (["corpus.txt", "--dry-run"], "--dry-run reads no text; leave out corpus.txt"),
        (["--dry-run", "--budget", "1h"], "keeps no time; leave out --budget"),
        (["--dry-run", "--column", "body"], "leave out --column"),
        (["--dry-run", "--auto"], "leave out --auto"),
        (["corpus.txt", "--processes", "8"], "--processes has no effect without --dry-run"),
        (["corpus.txt", "--device", "h100"], "--device has no effect without --dry-run"),
        (["corpus.txt", "--utilization", "0.3"], "--utilization has no effect without --dry-run"),
        ([], "There is no text to plan for"),
    ],
)
def test_a_plan_needs_a_text_or_a_device(
    command: Command, options: list[str], sentence: str
) -> None:
    refused = command("plan", "bert-tiny", *options)
    assert refused.code == 2
    assert sentence in refused.err
