"""What a comparison keeps, and what it refuses to read."""

from __future__ import annotations

from pathlib import Path

import pytest

from foretext.base.errors import ForetextError, OutputError, SettingError
from foretext.comparison.ledger import Ledger, Outcome, Plan, SeedOutcome, comparison_folder, finish
from tests.comparison.conftest import BERT, LINEAR

PLAN = Plan(
    foretext="0",
    request={"task": "classification"},
    content="ab",
    seconds=1.5,
    pace=1.0,
    rows={"train": 8, "valid": 1, "test": 1},
    reading={},
    corpus=["corpus.txt"],
    text={},
    candidates=[LINEAR, BERT],
    left_out={"gpt": "the budget is too short"},
)


def test_what_was_kept_is_read_back(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    assert ledger.plan is None
    assert ledger.given(BERT, 1) is None
    assert ledger.outcome(BERT, 1) is None
    ledger.begin(PLAN)
    ledger.keep_given(BERT, 1, 12.5)
    outcome = Outcome(
        status="finished",
        round=1,
        given=12.5,
        used=12.0,
        seeds=[SeedOutcome(0, 0.5, 12.0)],
        curve=[(1.0, 0.25)],
    )
    ledger.keep_outcome(BERT, outcome)
    again = Ledger(tmp_path)
    assert again.plan == PLAN
    assert again.given(BERT, 1) == 12.5
    assert again.outcome(BERT, 1) == outcome
    assert again.outcome(BERT, 2) is None


@pytest.mark.parametrize(
    ("kept", "damaged"),
    [
        ('"seconds": 1.5', '"seconds": -1'),
        ('"seconds": 1.5', '"seconds": "1.5"'),
        ('"name": "bert"', '"name": "../.."'),
        ('"group": "classical"', '"group": "others"'),
        ('"rows": {', '"rows": ["train", {'),
    ],
)
def test_a_damaged_plan_is_a_sentence(tmp_path: Path, kept: str, damaged: str) -> None:
    ledger = Ledger(tmp_path)
    ledger.begin(PLAN)
    path = tmp_path / "plan.json"
    text = path.read_text(encoding="utf-8")
    assert kept in text
    path.write_text(text.replace(kept, damaged), encoding="utf-8")
    with pytest.raises(ForetextError):
        _ = ledger.plan


def test_a_score_that_is_no_number_is_a_sentence(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    seeds = [SeedOutcome(0, 0.5, 1.0)]
    ledger.keep_outcome(BERT, Outcome(status="finished", round=1, given=2.0, used=1.0, seeds=seeds))
    path = ledger.turn(BERT, 1) / "outcome.json"
    path.write_text(path.read_text().replace('"valid": 0.5', '"valid": NaN'))
    with pytest.raises(OutputError, match=r"outcome\.json is damaged"):
        ledger.outcome(BERT, 1)


def test_a_torn_outcome_is_a_sentence_that_names_its_file(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    ledger.keep_given(BERT, 1, 1.0)
    (ledger.turn(BERT, 1) / "outcome.json").write_text('{"status": "fin')
    with pytest.raises(OutputError, match=r"outcome\.json is damaged"):
        ledger.outcome(BERT, 1)


def begin(out: Path, *, overwrite: bool = False, resume: bool = False, end: bool = False) -> Path:
    """Begin a comparison, or go on with it; with `end`, finish it."""
    with comparison_folder(out, overwrite=overwrite, resume=resume) as ledger:
        if not resume:
            ledger.begin(PLAN)
        if end:
            (ledger.path / "compare.json").write_text("{}")
            return finish(ledger)
        return ledger.path


def test_what_fails_before_the_plan_leaves_nothing(tmp_path: Path) -> None:
    out = tmp_path / "deep" / "out"

    def fail() -> None:
        with comparison_folder(out, overwrite=False, resume=False) as ledger:
            ledger.rows.mkdir()
            raise SettingError("a wrong setting.")

    with pytest.raises(SettingError):
        fail()
    assert not out.exists()


def test_a_folder_with_other_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("mine")
    with pytest.raises(OutputError, match="other files in it"):
        begin(tmp_path)
    assert (tmp_path / "letter.txt").read_text() == "mine"


def test_what_a_process_left_that_died_early_is_removed(tmp_path: Path) -> None:
    (tmp_path / "rows").mkdir()
    (tmp_path / "rows" / "train.jsonl").write_text("{}")
    assert begin(tmp_path) == tmp_path
    assert not (tmp_path / "rows").exists()


def test_an_unfinished_comparison_is_resumed_or_refused(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(OutputError, match="no comparison to resume"):
        begin(out, resume=True)
    assert not out.exists()
    begin(out)
    with pytest.raises(OutputError, match="an unfinished comparison; go on with --resume"):
        begin(out)
    assert begin(out, resume=True) == out


def test_a_finished_comparison_is_kept_until_the_new_one_is_finished(tmp_path: Path) -> None:
    out = tmp_path / "out"
    begin(out, end=True)
    (out / "best").mkdir()
    with pytest.raises(OutputError, match="a finished comparison; choose another folder"):
        begin(out)
    with pytest.raises(OutputError, match="nothing to resume"):
        begin(out, resume=True)
    assert begin(out, overwrite=True) == out / "replacement"
    assert (out / "best").is_dir()
    assert begin(out, resume=True) == out / "replacement"
    assert begin(out, resume=True, end=True) == out
    assert Ledger(out).plan == PLAN
    assert not (out / "best").exists()
    assert not (out / "replacement").exists()


def test_a_replacement_that_was_finished_before_a_kill_takes_its_place(tmp_path: Path) -> None:
    out = tmp_path / "out"
    begin(out, end=True)
    (begin(out, overwrite=True) / "compare.json").write_text('{"new": true}')
    with pytest.raises(OutputError, match="nothing to resume"):
        begin(out, resume=True)
    assert (out / "compare.json").read_text() == '{"new": true}'


def test_two_processes_cannot_work_in_one_folder(tmp_path: Path) -> None:
    with (
        comparison_folder(tmp_path, overwrite=False, resume=False),
        pytest.raises(OutputError, match="Another process is at work"),
        comparison_folder(tmp_path, overwrite=False, resume=True),
    ):
        pytest.fail("the folder was not locked")
