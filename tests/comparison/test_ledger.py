"""What a comparison keeps, and what it refuses to read."""

from __future__ import annotations

from pathlib import Path

import pytest

from foretext.base.errors import ForetextError, OutputError
from foretext.comparison.ledger import Ledger, Outcome, Plan, SeedOutcome
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
