"""What a candidate refuses, and where its files go."""

from __future__ import annotations

from typing import Any

import pytest

from foretext.base.errors import SettingError
from foretext.comparison.candidate import Candidate


def test_the_folder_of_a_candidate_is_its_name_without_signs() -> None:
    candidate = Candidate("modern-bert, not pretrained", "transformer", group="from scratch")
    assert candidate.folder == "modern-bert-not-pretrained"
    assert Candidate("word2vec + TextCNN", "runs/w2v").folder == "word2vec-textcnn"
    assert Candidate("runs/模型_1", "runs/模型_1").folder == "runs-模型-1"
    assert len(Candidate("/deep" * 100, "/deep").folder) <= 80


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"name": "../.."}, "no letter or digit"),
        ({"group": "others"}, "the groups are: classical"),
        ({"base": None}, "needs either a recipe to pretrain by, or a base"),
        ({"recipe": "bert", "pretraining_rate": 0.5}, "needs either a recipe"),
        ({"base": None, "recipe": "bert"}, "pretraining_rate = 0.0"),
        ({"pretraining_rate": 0.5}, "pretraining_rate = 0.5"),
    ],
)
def test_what_cannot_work_is_refused(changes: dict[str, Any], complaint: str) -> None:
    given: dict[str, Any] = {"name": "linear", "base": "linear", "group": "classical", **changes}
    with pytest.raises(SettingError, match=complaint):
        Candidate(**given)


@pytest.mark.parametrize(
    ("seconds", "pretraining"), [(40.0, 20.0), (120.0, 60.0), (150.0, 90.0), (1000.0, 700.0)]
)
def test_a_short_time_is_halved(seconds: float, pretraining: float) -> None:
    candidate = Candidate(
        "bert", None, recipe="bert", pretraining_rate=0.7, finetuning_seconds=60.0
    )
    assert candidate.pretraining_seconds(seconds) == pytest.approx(pretraining)


def test_a_pretraining_takes_its_rate_at_most() -> None:
    candidate = Candidate("word2vec + bilstm", None, recipe="word2vec", pretraining_rate=0.4)
    assert candidate.pretraining_seconds(40.0) == pytest.approx(16.0)
