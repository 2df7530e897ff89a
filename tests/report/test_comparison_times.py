from __future__ import annotations

import json
from typing import Any

import pytest

from foretext.base.errors import OutputError
from foretext.base.parsing import parse_json
from foretext.report.comparison_files import ComparisonFacts
from foretext.report.comparison_times import time_rows
from tests.report.comparison_content import candidate, content


def facts(**changes: Any) -> ComparisonFacts:
    found: ComparisonFacts = parse_json(
        json.dumps(content(**changes)), "here", OutputError, ComparisonFacts
    )
    return found


def test_bars_of_time_have_one_scale_and_no_gaps() -> None:
    found = time_rows(facts().candidates)
    assert [row.name for row in found][-1] == "lstm-lm"  # the other two had no time
    bert = found[0]
    assert [part.kind for part in bert.parts] == ["shared", "pretraining", "finetuning", "other"]
    assert sum(part.percent for part in bert.parts) == pytest.approx(100 * 58.9 / 60)
    assert bert.given_percent == 100
    assert (bert.given, bert.used, bert.pretraining) == ("1 min 00 s", "59 s", "42 s")


def test_rounds_follow_each_other() -> None:
    first = candidate("a")["rounds"][0]
    second = {**first, "round": 2, "given": 120.0, "used": 118.0, "shared": 0.0}
    [row] = time_rows(facts(candidates=[candidate("a", rounds=[first, second])]).candidates)
    assert [part.words.split(":")[0] for part in row.parts] == [
        "shared work, round 1", "pretraining, round 1", "fine-tuning, round 1", "other, round 1",
        "pretraining, round 2", "fine-tuning, round 2", "other, round 2",
    ]  # fmt: skip
    assert (row.rounds, row.given) == (2, "3 min 00 s")
