"""The layers of a task's network, with the shapes that one row gives them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from foretext.backbones.base import States
from foretext.data.rows import LabelledText
from foretext.heads.base import TaskBase
from foretext.heads.classification import ClassificationHead
from foretext.tasks.classification.network import TextClassifier
from foretext.tasks.structure import network_structure
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tests.text_bodies import bert_body, word_body


def classifier(body: TaskBase, **settings: object) -> TextClassifier:
    rows = [LabelledText("the dog barks .", ("a",), "1"), LabelledText("a cat", ("b",), "2")]
    config = ClassificationHead.Config.checked({"dropout": 0.0, **settings}, "task")
    model = TextClassifier.begin(body, config, rows)
    assert isinstance(model, TextClassifier)
    return model


def structure_of(model: TextClassifier, text: str) -> dict[str, tuple[int, ...]]:
    examples = model.examples([LabelledText(text, ("a",), "1")])
    found = network_structure(model.exact_network(), examples.batch(np.zeros(1, np.int64)))
    return dict(found)


def test_a_bidirectional_lstm_joins_the_states_of_both_ends() -> None:
    """Embeddings, an LSTM from each side, the last state of each, and the labels."""
    body = word_body("recurrent")
    model = classifier(body, pooling="ends")
    D, E = body.backbone.dim, body.backbone.tokens.dim
    assert structure_of(model, "the dog barks") == {
        "tokens": (3,),
        "vectors": (3, E),
        "layer 1": (3, D),
        "pooled (ends)": (D,),
        "answer": (2,),
    }
    network = model.exact_network()
    inputs = model.examples([LabelledText("the dog barks", ("a",), "1")]).batch(np.zeros(1, int))
    with torch.no_grad():
        states = network.backbone(inputs.inputs)
        ours = network.head.outputs(states, inputs.inputs)[0]
        [row] = states.last
        ends = torch.cat((row[-1, : D // 2], row[0, D // 2 :]))  # read from the left, the right
        torch.testing.assert_close(ours, network.head.classifier(ends))


@pytest.mark.parametrize("pooling", ["ends", "mean"])
def test_a_backbone_may_keep_no_layers(pooling: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """`States.layers` is empty by default, and a backbone from outside may leave it so."""
    body = word_body("recurrent")
    forward = type(body.backbone).forward

    def without_layers(*args: Any, **options: Any) -> States:
        return replace(forward(*args, **options), layers=())

    monkeypatch.setattr(type(body.backbone), "forward", without_layers)
    found = structure_of(classifier(body, pooling=pooling), "the dog barks")
    assert list(found) == ["tokens", f"pooled ({pooling})", "answer"]


def test_a_transformer_has_its_layers(wordpiece: SubwordTokenizer) -> None:
    body = bert_body(wordpiece)
    found = structure_of(classifier(body, pooling="mean"), "the dog barks .")
    T = found["tokens"][0]
    assert found["vectors"] == (T, body.backbone.dim)
    assert found[f"layer {body.backbone.num_layers}"] == (T, body.backbone.dim)
    assert list(found)[-2:] == ["pooled (mean)", "answer"]
