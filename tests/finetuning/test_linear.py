"""Which tasks the learners of a linear model take."""

from __future__ import annotations

import pytest

from foretext.base.errors import SettingError
from foretext.finetuning.linear import LinearLearner, LinearPairLearner
from foretext.tasks.matching.linear import LinearMatcher


@pytest.mark.parametrize("task", ["tagging", "classification", "my.task:Task"])
def test_pairs_are_learned_by_matching_alone(task: str) -> None:
    assert LinearPairLearner.predictor_of("matching") is LinearMatcher
    with pytest.raises(SettingError, match=f"classification and matching, not {task}"):
        LinearPairLearner.predictor_of(task)


@pytest.mark.parametrize("task", ["tagging", "span_qa"])
def test_other_tasks_are_not_learned_from_single_texts(task: str) -> None:
    with pytest.raises(SettingError, match=f"classification and matching, not {task}"):
        LinearLearner.predictor_of(task)
