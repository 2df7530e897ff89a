"""The layer and norm before a task's answers: on which bodies, and what it begins with."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from foretext.backbones.transformer import Transformer
from foretext.base.errors import SettingError
from foretext.heads.state_transform import default_transform, made_transform
from foretext.heads.task_base import TaskBase
from foretext.heads.text_pooler import TextPooler
from foretext.nn.vocabulary_head import HeadTransform
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tests.networks import SHAPE
from tests.text_bodies import bert_body, gpt_body, word_body

MODERN: dict[str, Any] = {
    **SHAPE, "norm_position": "pre", "positions": "rotary", "bias": False, "norm_eps": 1e-5,
}  # fmt: skip


def modern_body(tokenizer: SubwordTokenizer) -> TaskBase:
    return TaskBase(
        tokenizer, Transformer(Transformer.Config(**MODERN), tokenizer.vocab_size), "full"
    )


def transform(activation: Any = "gelu", *, bias: bool = False) -> HeadTransform:
    return HeadTransform(32, activation, "layer", eps=1e-5, bias=bias)


def test_encoders_with_a_norm_before_each_part_have_one(
    wordpiece: SubwordTokenizer, byte_bpe: SubwordTokenizer
) -> None:
    modern = modern_body(wordpiece)
    assert default_transform(modern) == "gelu"
    assert default_transform(modern._replace(transform=transform("relu"))) == "relu"
    assert default_transform(modern._replace(visibility="causal")) == "none"
    others = (bert_body(wordpiece), gpt_body(byte_bpe), word_body("textcnn"))
    assert {default_transform(body) for body in others} == {"none"}


def test_it_begins_with_what_the_language_model_learned(wordpiece: SubwordTokenizer) -> None:
    learned = transform()
    body = modern_body(wordpiece)._replace(transform=learned)
    states = torch.randn(2, 5, 32)
    head = TextPooler(body, "mean", 0.0, "gelu")
    torch.testing.assert_close(head(states, None), learned(states.mean(1)))


@pytest.mark.parametrize("learned", [transform("relu"), transform(bias=True)])
def test_one_of_another_form_is_not_taken(
    wordpiece: SubwordTokenizer, learned: HeadTransform
) -> None:
    made = made_transform(modern_body(wordpiece)._replace(transform=learned), "gelu")
    assert made is not None
    assert not torch.equal(made.dense.weight, learned.dense.weight)


def test_word_vectors_have_none() -> None:
    with pytest.raises(SettingError, match="transform = 'gelu' is for Transformers"):
        made_transform(word_body("recurrent"), "gelu")
