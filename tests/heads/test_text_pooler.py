"""What stands between states and answers about whole texts."""

from __future__ import annotations

import pytest
import torch

from foretext.heads.task_base import TaskBase
from foretext.heads.text_pooler import TextPooler, default_pooling, initialised_linear
from foretext.nn.pooling import Pool
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tests.text_bodies import bert_body, gpt_body, word_body


def test_each_body_is_pooled_as_suits_it(
    wordpiece: SubwordTokenizer, byte_bpe: SubwordTokenizer
) -> None:
    bert = bert_body(wordpiece)
    assert default_pooling(bert) == "mean"
    assert default_pooling(bert._replace(pooler=torch.nn.Linear(32, 32).state_dict())) == "cls"
    assert default_pooling(gpt_body(byte_bpe)) == "last"
    assert default_pooling(word_body("textcnn")) == "max"


def test_only_the_first_position_of_a_transformer_has_a_layer(wordpiece: SubwordTokenizer) -> None:
    assert TextPooler(bert_body(wordpiece), "cls", 0.0).pooler is not None
    assert TextPooler(bert_body(wordpiece), "mean", 0.0).pooler is None
    assert TextPooler(word_body("recurrent"), "cls", 0.0).pooler is None


def test_the_layer_begins_from_that_of_next_sentences(wordpiece: SubwordTokenizer) -> None:
    body = bert_body(wordpiece)
    layer = torch.nn.Linear(32, 32)
    head = TextPooler(body._replace(pooler=dict(layer.state_dict())), None, 0.0)
    states = torch.randn(2, 5, 32)
    torch.testing.assert_close(head(states, None), torch.tanh(layer(states[:, 0])))


@pytest.mark.parametrize("pooling", ["last", "ends", "mean", "max", "attention"])
def test_without_the_layer_it_pools_alone(wordpiece: SubwordTokenizer, pooling: str) -> None:
    torch.manual_seed(0)
    head = TextPooler(bert_body(wordpiece), pooling, 0.0)  # type: ignore[arg-type]
    pool = Pool(pooling, 32)  # type: ignore[arg-type]
    pool.load_state_dict(head.pool.state_dict())
    states, mask = torch.randn(2, 5, 32), torch.arange(5) < torch.tensor([[5], [3]])
    torch.testing.assert_close(head(states, mask), pool(states, mask))


def test_dropout_is_of_the_vector() -> None:
    body: TaskBase = word_body("lookup")
    head, states = TextPooler(body, "mean", 0.5), torch.ones(64, 3, 16)
    torch.manual_seed(0)
    dropped = head.train()(states, None)
    assert set(dropped.unique().tolist()) == {0.0, 2.0}
    assert head.eval()(states, None).unique().tolist() == [1.0]


def test_weights_are_drawn_as_suits_the_body(wordpiece: SubwordTokenizer) -> None:
    torch.manual_seed(0)
    layer = initialised_linear(bert_body(wordpiece), 200, 200)
    assert float(layer.weight.detach().std()) == pytest.approx(0.02, rel=0.02)
    assert not layer.bias.any()
    on_words = initialised_linear(word_body("lookup"), 200, 200)
    assert float(on_words.weight.detach().std()) == pytest.approx((2 / 400) ** 0.5, rel=0.02)
    assert initialised_linear(word_body("lookup"), 3, 2, bias=False).bias is None
