"""What a task can be learned on, by name: tables, short names, names from outside, and paths."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import torch

import foretext as ft
from foretext.base.errors import SettingError
from foretext.finetuning.base_names import LEARNERS, base_names
from foretext.finetuning.bases import NamedBackbone, learner_class, open_base
from foretext.finetuning.linear import LinearLearner, LinearPairLearner, LinearTagLearner
from foretext.finetuning.network import NetworkLearner
from tests.task_files import TaskFiles

BAG = '''
"""A backbone from outside: the vectors of words, added to their mean so far."""

from torch import nn

from foretext.backbones.base import Backbone, States
from foretext.base.config import Config


class Bag(Backbone):
    """Vectors of words, through one layer."""

    class Config(Config):
        """Shape."""

        dim: int = 8

    visibilities = frozenset({"full", "causal"})
    reads_words = True
    num_layers = 1

    def __init__(self, config, vocab_size):
        super().__init__(config, vocab_size)
        self.dim = config.dim
        self.tokens = nn.Embedding(vocab_size, config.dim)
        self.layer = nn.Linear(config.dim, config.dim)

    @property
    def embedding(self):
        return self.tokens.weight

    def forward(self, inputs, *, keep_layers=False, cache=None):
        embedded = self.tokens(inputs.ids)
        return States(self.layer(embedded), (embedded,) if keep_layers else ())


class Other:
    """No backbone."""
'''


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A module of a user, beside which nothing else is."""
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "my_bags.py").write_text(BAG)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, "my_bags", raising=False)
    return folder


def test_no_name_is_in_two_tables() -> None:
    assert len(set(base_names())) == len(base_names())
    assert {"transformer", "recurrent", "lstm", "gru", "rnn", "linear"} <= set(base_names())


def test_two_tables_with_one_name_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(LEARNERS, "lstm", LEARNERS["linear"])
    with pytest.raises(SettingError, match="BASE = 'lstm' names two things"):
        learner_class("lstm")


def test_short_names_are_rows_with_a_setting() -> None:
    assert open_base("gru") == ("scratch", NamedBackbone("recurrent", {"kind": "gru"}))
    assert open_base("recurrent") == ("scratch", NamedBackbone("recurrent"))
    assert open_base("my.module:Class") == ("scratch", NamedBackbone("my.module:Class"))


def test_who_learns() -> None:
    assert learner_class("linear") is learner_class("linear", "span_qa") is LinearLearner
    assert learner_class("linear", "tagging") is LinearTagLearner
    assert learner_class("linear", "matching") is LinearPairLearner
    assert learner_class("transformer") is learner_class(Path()) is NetworkLearner
    with pytest.raises(SettingError, match=r"no backbone of this name\. Did you mean 'lstm'"):
        learner_class("lstn")


def test_a_name_goes_before_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lstm").mkdir()
    monkeypatch.chdir(tmp_path)
    assert open_base("lstm")[0] == "scratch"
    assert learner_class("./lstm") is NetworkLearner


def test_a_backbone_from_outside(outside: Path, task_files: TaskFiles, tmp_path: Path) -> None:
    train, test = task_files.train("classification"), task_files.test("classification")
    model = ft.finetune(
        "classification", "my_bags:Bag", train, tmp_path / "run", test=test,
        settings={"backbone": {"dim": 12}, "training": {"epochs": 30.0, "learning_rate": 0.01}},
    )  # fmt: skip
    assert model.evaluate(test)["accuracy"] > 0.8
    kept = ft.load(tmp_path / "run")
    assert torch.equal(kept.base.backbone.embedding, model.base.backbone.embedding)
    for name, sentence in (
        ("my_bags:Other", "is no Backbone"),
        ("my_bags:None", "cannot be imported"),
        ("no_bags:Bag", "cannot be imported"),
    ):
        with pytest.raises(SettingError, match=sentence):
            ft.finetune("classification", name, train, tmp_path / "none")


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"kind": "gru"}, "kind = 'gru' is not what BASE names; give BASE = 'recurrent'"),
        ({"name": "textcnn"}, "name = 'textcnn' is not the backbone that BASE names"),
    ],
)
def test_settings_cannot_change_the_backbone(
    settings: dict[str, str], sentence: str, task_files: TaskFiles, tmp_path: Path
) -> None:
    with pytest.raises(SettingError, match=sentence):
        ft.finetune(
            "classification", "lstm", task_files.train("classification"), tmp_path / "run",
            settings={"backbone": settings},
        )  # fmt: skip
