"""Answers are computed in the numbers that were asked for, with the weights that there are."""

from __future__ import annotations

import pytest
import torch

from foretext.base.errors import SettingError
from foretext.tasks.classification.linear import LinearClassifier
from foretext.tasks.classification.network import TextClassifier
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tests.text_bodies import SIGHTED, bert_body


@pytest.fixture
def model(wordpiece: SubwordTokenizer) -> TextClassifier:
    base = bert_body(wordpiece)
    task = TextClassifier.task.head(TextClassifier.task.head_config(), base, labels=list(SIGHTED))
    return TextClassifier(base, task, device="cpu", precision="fp32")


def test_another_precision_and_nothing_else(model: TextClassifier) -> None:
    model.answering({"precision": "bf16"})
    assert next(model.network().parameters()).dtype == torch.bfloat16
    assert next(model.exact_network().parameters()).dtype == torch.float32
    model.answering({})
    assert model.precision == "bf16"
    with pytest.raises(SettingError, match="--num-beams has no effect"):
        model.answering({"num_beams": 2})


def test_a_precision_is_one_of_networks() -> None:
    linear = LinearClassifier().fit(["a ship", "a judge"] * 3, ["sea", "court"] * 3)
    said = "--precision has no effect on a model that is no network; leave it out."
    with pytest.raises(SettingError, match=said):
        linear.answering({"precision": "fp32"})


def test_int8_without_its_instructions_is_refused(
    model: TextClassifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cpu, "_is_vnni_supported", lambda: False)
    with pytest.raises(SettingError, match="VNNI"):
        model.answering({"precision": "int8"})
    assert model.precision == "fp32"


def test_in_training_the_weights_themselves_answer(model: TextClassifier) -> None:
    model.use_precision("bf16")
    with model.in_training():
        assert model.network().backbone is model.base.backbone
        assert model.reader().backbone is model.base.backbone
    assert model.network().backbone is not model.base.backbone
