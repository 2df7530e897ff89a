from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from foretext.base.errors import OutputError, SettingError
from foretext.comparison.candidate import Candidate
from foretext.comparison.checks import check_budget, check_disk, needed_bytes, too_short

LINEAR = Candidate("linear", "linear", group="classical", least_seconds=2)
BERT = Candidate(
    "bert", None, recipe="bert", group="pretrained", least_seconds=30, pretraining_rate=0.7
)
GPT = Candidate(
    "gpt", None, recipe="gpt", group="pretrained", least_seconds=30, pretraining_rate=0.7
)


def affordable(seconds: float) -> list[Candidate]:
    found: list[Candidate] = []
    for each in (LINEAR, BERT, GPT):
        if sum(other.least_seconds for other in [*found, each]) <= seconds:
            found.append(each)
    return found


def test_a_budget_too_short_for_anything_says_what_longer_ones_try() -> None:
    assert too_short(affordable, 1) == (
        "--budget 1s is too short for any candidate; it could be linear with 10s; linear and bert "
        "with 1m; linear, bert and gpt with 2m."
    )


def test_where_no_budget_is_long_enough_nothing_is_offered() -> None:
    assert too_short(lambda seconds: [], 10) == (
        "--budget 10s is too short for any candidate; give more time, or name candidates with "
        "--only."
    )


def test_candidates_without_time_for_a_fair_look_are_named() -> None:
    (sentence,) = check_budget([LINEAR, BERT, GPT], 40)
    assert sentence == (
        "each candidate has 19s in a round, and bert and gpt need up to 30s for a fair look; give "
        "--budget 2m, or fewer candidates with --only"
    )
    assert not list(check_budget([LINEAR, BERT], 60))
    assert not list(check_budget([LINEAR], 3))
    assert not list(check_budget([LINEAR, BERT, GPT], 60))
    assert len(list(check_budget([LINEAR, BERT], 50, rounds=2))) == 1
    assert len(list(check_budget([LINEAR, BERT, GPT], 60, seeds=3))) == 1


def test_a_budget_that_reading_has_used_up_is_refused() -> None:
    with pytest.raises(SettingError, match="reading the rows took all of it"):
        list(check_budget([LINEAR], 0))


def test_room_grows_with_text_models_and_rounds() -> None:
    def total(**changes: Any) -> int:
        settings = {"text_bytes": 10**8, "rows_bytes": 10**6, "seconds": 600} | changes
        return sum(needed_bytes([LINEAR, BERT], **settings).values())

    assert total() < total(text_bytes=10**9)
    assert total() < total(seeds=3)
    assert total(text_bytes=10**12) < 10**10  # no more is read in ten minutes
    assert total() < total(rounds=2)
    assert total() + 10**6 == total(rows_bytes=2 * 10**6)


def test_candidates_of_one_recipe_share_their_ids() -> None:
    other = Candidate(
        "bert again", None, recipe="bert", group="pretrained", pretraining_rate=0.7
    )  # with other settings
    needed = [
        needed_bytes(candidates, text_bytes=10**9, rows_bytes=0, seconds=600)[""]
        for candidates in ([BERT], [BERT, other], [BERT, GPT])
    ]
    assert needed[0] == needed[1] < needed[2]


def test_a_given_model_is_kept_once_for_each_training(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(bytes(5000))
    given = Candidate("model", str(tmp_path), group="given")
    one, two = (
        needed_bytes([given], text_bytes=0, rows_bytes=0, seconds=60, seeds=seeds)["model"]
        for seeds in (1, 2)
    )
    assert one % 10_000 == 5000
    assert two == 2 * one


def test_a_disk_too_small_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    needed = needed_bytes([LINEAR, BERT], text_bytes=10**9, rows_bytes=10**6, seconds=600)
    check_disk(tmp_path, {"": 1000, "linear": 1})
    usage = shutil.disk_usage(tmp_path)._replace(free=200_000_000)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
    with pytest.raises(OutputError, match=r"needs about 1\.\d GB and 0\.2 GB are free .*such as "):
        check_disk(tmp_path, needed)
