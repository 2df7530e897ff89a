"""Which tasks the learners of a linear model take."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import foretext as ft
from foretext.base.errors import SettingError
from foretext.finetuning.linear import LinearLearner, LinearPairLearner, LinearTagLearner
from foretext.tasks.matching.linear import LinearMatcher
from foretext.tasks.tagging.linear import LinearTagger
from tests.task_files import word_vectors


@pytest.mark.parametrize("task", ["tagging", "classification", "my.task:Task"])
def test_pairs_are_learned_by_matching_alone(task: str) -> None:
    assert LinearPairLearner.predictor_of("matching") is LinearMatcher
    with pytest.raises(SettingError, match=f"classification, matching and tagging, not {task}"):
        LinearPairLearner.predictor_of(task)


@pytest.mark.parametrize("task", ["tagging", "span_qa"])
def test_other_tasks_are_not_learned_from_single_texts(task: str) -> None:
    with pytest.raises(SettingError, match=f"classification, matching and tagging, not {task}"):
        LinearLearner.predictor_of(task)


@pytest.mark.parametrize("task", ["matching", "classification", "my.task:Task"])
def test_tokens_are_learned_by_tagging_alone(task: str) -> None:
    assert LinearTagLearner.predictor_of("tagging") is LinearTagger
    with pytest.raises(SettingError, match=f"classification, matching and tagging, not {task}"):
        LinearTagLearner.predictor_of(task)


SENTENCES = [(["the", "dog", f"barks{number}"], ["O", "B-X", "O"]) for number in range(60)]


@pytest.mark.parametrize("beside", [True, False])
def test_a_run_of_a_tagger_repeats_itself(beside: bool, tmp_path: Path) -> None:
    given = tmp_path / "v.txt"
    word_vectors().save(given)
    (tmp_path / "rows.conll").write_text(
        "\n".join(
            "".join(f"{token} {tag}\n" for token, tag in zip(*row, strict=True))
            for row in SENTENCES
        ),
        "utf-8",
    )
    settings = {"linear": {"vector_length": 2.0}} if beside else {}
    with_vectors = [str(given)] if beside else []
    first = ft.finetune(
        "tagging", "linear", str(tmp_path / "rows.conll"), tmp_path / "first",
        beside=with_vectors, settings=settings,
    )  # fmt: skip
    again = ft.finetune(config=tmp_path / "first" / "recipe.toml", out=tmp_path / "again")
    asked = [["the", "dog", "purrs"]]
    assert again.predict(asked) == first.predict(asked) == [["O", "B-X", "O"]]
    facts = json.loads((tmp_path / "first" / "config.json").read_text("utf-8"))
    assert facts["refit"] == {"train": 54, "valid": 6}
    assert ft.load(tmp_path / "first", ft.LinearTagger).predict(asked) == first.predict(asked)


def test_idle_options_of_a_tagger_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="--with names 2 bases, and a linear tagger reads"):
        ft.finetune("tagging", "linear", SENTENCES, beside=["a", "b"])
    with pytest.raises(SettingError, match="vector_length has no effect without word vectors"):
        ft.finetune("tagging", "linear", SENTENCES, settings=["linear.vector_length=2"])
    with pytest.raises(SettingError, match="--unlabelled has no effect on 'linear'"):
        ft.finetune("tagging", "linear", SENTENCES, unlabelled=["a b"])
    with pytest.raises(ft.ForetextError, match="no/such"):
        ft.finetune("tagging", "linear", SENTENCES, beside="no/such")
