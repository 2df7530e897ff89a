from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from foretext.base.errors import SettingError
from foretext.comparison import candidates
from foretext.comparison.candidate import named_candidate
from foretext.comparison.candidates import (
    FEWEST_BYTES,
    USABLE_RATE,
    Choice,
    CorpusFacts,
    configured,
    default_candidates,
    usual_names,
)
from foretext.comparison.chosen_candidates import choose_candidates
from foretext.tasks import TASKS
from foretext.tasks.task import task_named

LARGE = 10_000_000  # bytes of text
WIDE = "word2vec + reader + words"
EVERYTHING = 3_600.0  # seconds in which all candidates have room

TASK = "classification"


def chosen(
    task: str = "classification",
    *,
    language: str = "en",
    corpus_bytes: int = LARGE,
    num_rows: int = 5_000,
    budget_seconds: float = EVERYTHING,
) -> Choice:
    return default_candidates(task, CorpusFacts(language, corpus_bytes, num_rows), budget_seconds)


COMPARED = [name for name in TASKS if task_named(name).is_compared]


def names(choice: Choice) -> list[str]:
    return [each.name for each in choice.candidates]


def test_every_task_has_an_order() -> None:
    assert {*COMPARED} == {*TASKS} - {"sentence_vectors"}
    for task in COMPARED:
        order = usual_names(task)
        assert len({named_candidate(name, task).folder for name in order}) == len(order)


@pytest.mark.parametrize("task", COMPARED)
def test_names_stand_for_themselves(task: str) -> None:
    assert [named_candidate(name, task).name for name in usual_names(task)] == usual_names(task)


def test_an_hour_tries_every_kind_of_pretraining() -> None:
    recipes = {each.recipe for each in chosen().candidates}
    vectors = {"doc2vec", "word2vec", "glove", "fasttext"}
    networks = {"lstm-lm", "elmo", "gpt", "bert", "modern-bert", "ernie", "unilm", "xlnet"}
    assert recipes == {None, *vectors, *networks, "electra", "t5", "bart"}
    assert {"linear", "fasttext", "textcnn", "modern-bert, not pretrained"} <= {*names(chosen())}
    assert chosen().left_out == {}


@pytest.mark.parametrize("task", [*COMPARED, "tests.outside.regression:Regression"])
@pytest.mark.parametrize("seconds", [20.0, 60.0, 120.0, 600.0, EVERYTHING])
def test_everybody_gets_a_fair_look(task: str, seconds: float) -> None:
    choice = chosen(task, budget_seconds=seconds)
    quick = [each for each in choice.candidates if each.group == "classical"]
    others = [each for each in choice.candidates if each.group != "classical"]
    left = USABLE_RATE * seconds - sum(each.least_seconds + 1 for each in quick)
    assert all(each.least_seconds <= left / len(others) for each in others)
    assert {*names(choice), *choice.left_out} == {*usual_names(task)}


def test_words_stand_beside_labels_and_not_beside_scores() -> None:
    facts = CorpusFacts("en", LARGE, 5_000)
    assert WIDE in names(default_candidates("matching", facts, EVERYTHING))
    scored = default_candidates("matching", replace(facts, have_scores=True), EVERYTHING)
    assert WIDE not in names(scored)
    assert "these rows have scores" in scored.left_out[WIDE]


def test_two_minutes_pretrain_one_language_model() -> None:
    assert names(chosen(budget_seconds=120)) == [
        "linear", "fasttext", "doc2vec + linear + words", "word2vec + bilstm", "modern-bert",
    ]  # fmt: skip


def test_longer_budgets_try_more_and_give_each_more() -> None:
    numbers = [len(names(chosen(budget_seconds=seconds))) for seconds in (15, 120, 600, 3600)]
    assert numbers == [2, 5, 12, 24]  # as the guide says
    shares = [s / len(names(chosen(budget_seconds=s))) for s in (120.0, 600.0, 3600.0, 7200.0)]
    assert all(shorter < longer for shorter, longer in pairwise(shares))


def test_no_candidate_fits_into_a_second() -> None:
    choice = chosen(budget_seconds=1)
    assert choice.candidates == []
    assert choice.left_out["bert"] == "a fair look takes 30 s, and the budget leaves 1 s for each"
    named = {name for name, why in choice.left_out.items() if "another one needs" not in why}
    assert named == {*choice.left_out}


def test_a_candidate_can_take_too_much_from_others() -> None:
    why = chosen(budget_seconds=120).left_out["textcnn"]
    assert why == "the budget would leave 26 s for each candidate, and another one needs 30 s"


def test_many_rows_leave_less_time_for_networks() -> None:
    few, many = (chosen(num_rows=rows, budget_seconds=60) for rows in (1_000, 150_000))
    assert len(names(many)) < len(names(few))
    assert "linear" not in names(chosen(num_rows=10_000_000, budget_seconds=60))


def test_little_text_is_not_pretrained_on() -> None:
    choice = chosen(corpus_bytes=FEWEST_BYTES["pretrained"] - 1)
    groups = {each.group for each in choice.candidates}
    assert groups == {"classical", "vectors", "from scratch"}
    assert "99,999 bytes of text" in choice.left_out["bert"]
    assert {each.group for each in chosen(corpus_bytes=0).candidates} == {
        "classical",
        "from scratch",
    }


def test_words_are_masked_soon_in_chinese() -> None:
    order = usual_names("classification", "zh")
    assert order.index("ernie") == order.index("modern-bert") + 1
    assert sorted(order) == sorted(usual_names("classification", "en"))
    assert usual_names("text_to_text", "zh") == usual_names("text_to_text")


def test_chinese_words_need_jieba(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(candidates, "is_jieba_installed", lambda: False)
    assert "ernie" in names(chosen())
    assert "foretext[chinese]" in chosen(language="zh").left_out["ernie"]


def test_networks_need_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(candidates, "find_spec", lambda name: None)
    frozen = ["doc2vec + linear + words", "word2vec + linear + words"]
    assert names(chosen()) == ["linear", "fasttext", *frozen]
    assert "foretext[neural]" in chosen().left_out["bert"]


def test_a_language_model_shares_its_sections_out() -> None:
    given: dict[str, dict[str, float]] = {
        "backbone": {"num_layers": 1},
        "objective": {"mask_rate": 0.2},
        "training": {"batch_examples": 8},
        "task": {"dropout": 0.2},
    }
    found = configured(named_candidate("modern-bert", TASK), given)
    assert found.pretraining == {name: given[name] for name in ("backbone", "objective")}
    assert found.settings == {name: given[name] for name in ("training", "task")}


def test_the_network_over_vectors_is_not_part_of_their_recipe() -> None:
    found = configured(
        named_candidate("word2vec + bilstm", TASK),
        {"vectors": {"window": 2}, "backbone": {"dim": 16}, "tokenizer": {"min_count": 2}},
    )
    assert found.pretraining == {"vectors": {"window": 2}, "tokenizer": {"min_count": 2}}
    assert found.settings["backbone"] == {"name": "lstm", "dim": 16}
    assert found.settings["task"] == {"pooling": "attention"}


def test_what_is_not_pretrained_has_one_kind_of_settings() -> None:
    found = configured(named_candidate("textcnn", TASK), {"backbone": {"num_maps": 8}})
    assert (found.pretraining, found.settings) == ({}, {"backbone": {"num_maps": 8}})
    assert named_candidate("textcnn", TASK).settings == {}


@pytest.mark.parametrize(
    ("name", "sections", "sentence"),
    [
        ("bert", {"objective": {"mask_rat": 0.2}}, "Did you mean 'mask_rate'"),
        ("bert", {"training": {"epoch": 2}}, "Did you mean 'epochs'"),
        ("bert", {"training": {"epochs": 2}}, "the budget of a comparison says how long"),
        ("word2vec", {"vectors": {"epochs": 2}}, "the budget of a comparison says how long"),
        ("linear", {"finetuning": {"seed": 2}}, "no such setting"),
        ("linear", {"vectors": {"window": 1}}, "a candidate has no such section"),
        ("linear", {"rows": {"text": "body"}}, "a candidate has no such section"),
    ],
)
def test_wrong_settings(name: str, sections: dict[str, dict[str, object]], sentence: str) -> None:
    with pytest.raises(SettingError, match=sentence):
        configured(named_candidate(name, TASK), sections)


def test_settings_reach_the_candidates_that_they_name() -> None:
    facts = CorpusFacts("en", 10**7, 5000)
    only = ("linear", "textcnn")
    settings = {"textcnn": {"backbone": {"num_maps": 8}}}
    first, second = choose_candidates(TASK, facts, 60, only=only, settings=settings).candidates
    assert (first.settings, second.settings) == ({}, settings["textcnn"])
    vectors = {"word2vec": {"vectors": {"window": 2}}, "vectors": {"training": {"seed": 1}}}
    both = choose_candidates(TASK, facts, 60, only=("word2vec",), settings=vectors).candidates
    assert [each.pretraining for each in both] == 3 * [vectors["word2vec"]]
    networks = [each for each in both if not each.is_frozen]
    assert [each.settings["training"] for each in networks] == 2 * [{"seed": 1}]
    with pytest.raises(SettingError, match="no candidate has this name"):
        choose_candidates(TASK, facts, 60, only=("linear",), settings=settings)
