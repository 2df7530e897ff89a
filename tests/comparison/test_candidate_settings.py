from __future__ import annotations

import pytest

from foretext.base.errors import SettingError
from foretext.comparison.candidate_settings import configured
from foretext.comparison.candidates import CorpusFacts
from foretext.comparison.choosing import choose_candidates
from foretext.comparison.named_candidate import named_candidate

TASK = "classification"


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
    assert [each.pretraining for each in both] == 2 * [vectors["word2vec"]]
    assert all(each.settings["training"] == {"seed": 1} for each in both)
    with pytest.raises(SettingError, match="no candidate has this name"):
        choose_candidates(TASK, facts, 60, only=("linear",), settings=settings)
