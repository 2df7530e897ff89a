from __future__ import annotations

import json
from functools import cache

import pytest

from foretext.comparison.candidates import usual_names
from foretext.finetuning.setting_groups import SECTIONS, TABLES, setting_groups
from foretext.pretraining import building
from foretext.recipes import recipe_names
from foretext.tasks import TASKS
from tests.cli.conftest import Command


def test_names(command: Command) -> None:
    assert "word2vec" in json.loads(command("list", "--json").out)["recipes"]
    assert "word2vec" in command("list").out


def test_settings_have_default_values_and_a_sentence(command: Command) -> None:
    [settings] = json.loads(command("list", "--settings", "word2vec", "--json").out).values()
    assert settings["vectors"]["vector_size"] == {
        "default": 100,
        "values": "1 to 10,000",
        "description": "Numbers of a vector.",
    }
    assert settings["vectors"]["name"]["default"] == "word2vec"
    shown = command("list", "--settings", "word2vec").out
    assert max(map(len, shown.splitlines())) <= 80
    assert "[vectors]\n" in shown
    assert "  vector_size = 100 " in shown
    assert "Numbers of a vector. (1 to 10,000)" in shown


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize(
    ("name", "groups"),
    [
        ("bert-mini", {"recipe bert-mini"}),
        ("classification", {"task classification, learned by a network"}),
        (
            "linear",
            {
                "base linear",
                "base linear, which learns matching",
                "base linear, which learns tagging",
                "autoencoder linear",
            },
        ),
        ("fasttext", {"recipe fasttext", "base fasttext"}),
        ("lstm", {"base lstm"}),
        ("textcnn", {"base textcnn"}),
        ("masked_lm", {"objective masked_lm"}),
        ("wordpiece", {"tokenizer wordpiece"}),
        ("training", {"section training"}),
        (
            "tokenizer",
            {"tokenizer bpe", "tokenizer wordpiece", "tokenizer unigram", "tokenizer word"},
        ),
        ("rows", {f"task {task}" for task in TASKS}),
    ],
)
def test_everything_that_has_settings(command: Command, name: str, groups: set[str]) -> None:
    assert json.loads(command("list", "--settings", name, "--json").out).keys() == groups
    assert all(group in command("list", "--settings", name).out for group in groups)


def test_a_size_and_a_short_name_change_the_defaults() -> None:
    [group] = setting_groups("bert-mini")
    assert next(e for e in group.sections()["backbone"] if e.name == "num_layers").default == 4
    [group] = setting_groups("gru")
    assert next(e for e in group.sections()["backbone"] if e.name == "kind").default == "gru"


def test_no_name_has_no_settings() -> None:
    components = [row for table in TABLES.values() for row in table]
    for name in [*recipe_names(), *components, *SECTIONS, *TABLES]:
        for group in setting_groups(name):
            assert all(group.sections().values()), name


def test_an_unknown_name(command: Command) -> None:
    done = command("list", "--settings", "clasification")
    assert done.code == 2
    assert "Did you mean 'classification' or" in done.err


def test_what_goes_together(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "lawful_pairs", cache(building.lawful_pairs))  # takes seconds
    rows = json.loads(command("list", "--pairs", "--json").out)
    [bert] = [
        row for row in rows if (row["objective"], row["backbone"]) == ("masked_lm", "transformer")
    ]
    assert "bert" in bert["recipes"]
    assert (bert["fills"], bert["generates"], bert["scores"]) == (True, False, False)
    assert "masked_lm" in command("list", "--pairs").out
    refused = command("list", "--pairs", "--settings", "bert")
    assert "--pairs and --settings show different things" in refused.err


@pytest.mark.parametrize("task", [task for task in TASKS if task != "sentence_vectors"])
def test_candidates_of_a_task(command: Command, task: str) -> None:
    rows = json.loads(command("list", "--candidates", task, "--json").out)
    assert [row["name"] for row in rows] == usual_names(task)
    shown = command("list", "--candidates", task).out
    assert all(row["name"] in shown and row["group"] in shown for row in rows)


def test_candidates_of_no_task(command: Command) -> None:
    done = command("list", "--candidates", "taging")
    assert done.code == 2
    assert "Did you mean 'tagging'" in done.err
    assert (
        "compare does not take sentence_vectors"
        in command("list", "--candidates", "sentence_vectors").err
    )
    refused = command("list", "--pairs", "--candidates", "tagging")
    assert "--pairs and --candidates show different things" in refused.err
