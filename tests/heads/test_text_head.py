"""What stands between states and answers about whole texts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from foretext.backbones.elmo import Elmo
from foretext.backbones.recurrent import Recurrent
from foretext.backbones.textcnn import TextCNN
from foretext.backbones.transformer import Transformer
from foretext.base.errors import SettingError
from foretext.corpus import Corpus
from foretext.data.batch import Inputs
from foretext.heads.base import Head, TaskBase
from foretext.heads.classification import ClassificationHead
from foretext.heads.matching import MatchingHead
from foretext.heads.span_qa import SpanHead
from foretext.heads.tagging import TaggingHead
from foretext.heads.text_head import (
    TextPooler,
    default_pooling,
    default_transform,
    initialised_linear,
    made_transform,
)
from foretext.nn.pooling import Pool
from foretext.nn.vocabulary_head import HeadTransform
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.tokenizers.subwords import learn_subwords
from tests.networks import SHAPE
from tests.text_bodies import bert_body, gpt_body, word_body

TASKS: dict[type[Head], dict[str, Any]] = {
    ClassificationHead: {"labels": ["a", "b"]},
    MatchingHead: {"labels": ["a", "b"]},
    TaggingHead: {"labels": ["B-X", "I-X", "O"]},
    SpanHead: {},
}

MODERN: dict[str, Any] = {
    **SHAPE, "norm_position": "pre", "positions": "rotary", "bias": False, "norm_eps": 1e-5,
}  # fmt: skip


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


@pytest.fixture(scope="module")
def tokenizer(animal_text: Path) -> SubwordTokenizer:
    return learn_subwords("word", {}, Corpus(animal_text))


def base_of(tokenizer: SubwordTokenizer, kind: str = "transformer") -> TaskBase:
    torch.manual_seed(0)
    V = tokenizer.vocab_size
    if kind == "elmo":
        elmo = Elmo(Elmo.Config(dim=8, num_layers=3), V)
        elmo.spell(tokenizer.tokens)
        return TaskBase(tokenizer, elmo.eval(), "split")
    shape = {"num_layers": 3, "dim": 16, "num_heads": 2, "max_length": 32, "init_std": 0.3}
    return TaskBase(tokenizer, Transformer(Transformer.Config(**shape), V).eval(), "full")  # type: ignore[arg-type]


def inputs_of(base: TaskBase) -> Inputs:
    generator = torch.Generator().manual_seed(1)
    ids = torch.randint(5, base.tokenizer.vocab_size, (4, 9), generator=generator)
    return Inputs(ids, visibility=base.visibility)


@pytest.mark.parametrize("kind", ["transformer", "elmo"])
@pytest.mark.parametrize("head_class", TASKS, ids=lambda each: each.__name__)
def test_a_mix_of_one_layer_is_that_layer(
    tokenizer: SubwordTokenizer, head_class: type[Head], kind: str
) -> None:
    """With all weight on the last layer a task answers as one that reads it alone."""
    base, found = base_of(tokenizer, kind), TASKS[head_class]
    inputs = inputs_of(base)
    plain = head_class(head_class.Config(layers="last"), base, **found).eval()
    mixed = head_class(head_class.Config(layers="mix"), base, **found).eval()
    assert mixed.mix is not None
    assert plain.mix is None
    assert mixed.needs_layers
    assert not plain.needs_layers
    missing = mixed.load_state_dict(plain.state_dict(), strict=False)
    assert set(missing.missing_keys) == {"mix.scores", "mix.scale"}
    with torch.no_grad():
        mixed.mix.scores[-1] = 100.0
        states = base.backbone(inputs, keep_layers=True)
        assert torch.allclose(
            mixed.outputs(states, inputs), plain.outputs(states, inputs), atol=1e-5
        )
        mixed.mix.scores.zero_()
        other = mixed.outputs(states, inputs)
    assert not torch.allclose(other, plain.outputs(states, inputs), atol=1e-4)
    assert mixed.layer_weights == pytest.approx([0.25] * 4)
    assert plain.layer_weights == []


@pytest.mark.parametrize("head_class", TASKS, ids=lambda each: each.__name__)
def test_the_choice_is_kept(tokenizer: SubwordTokenizer, head_class: type[Head]) -> None:
    config = head_class.Config()
    for kind, layers in (("transformer", "last"), ("elmo", "mix")):
        made = head_class(config, base_of(tokenizer, kind), **TASKS[head_class])
        assert made.config.layers == layers


def test_embeddings_of_another_width_are_left_out(tokenizer: SubwordTokenizer) -> None:
    for vector_size, layers in ((16, 3), (10, 2)):
        shape = Recurrent.Config(vector_size=vector_size, num_layers=2, dim=8)
        base = TaskBase(tokenizer, Recurrent(shape, tokenizer.vocab_size).eval(), "full")
        task = TaggingHead(TaggingHead.Config(layers="mix"), base, labels=["B-X", "O"])
        assert len(task.layer_weights) == layers
        inputs = inputs_of(base)
        states = base.backbone(inputs, keep_layers=True)
        assert task.read(states, inputs_of(base)).shape == states.last.shape


def test_one_layer_is_no_mix(tokenizer: SubwordTokenizer) -> None:
    base = TaskBase(tokenizer, TextCNN(TextCNN.Config(), tokenizer.vocab_size), "full")
    with pytest.raises(SettingError, match="one layer of this width"):
        ClassificationHead(ClassificationHead.Config(layers="mix"), base, labels=["a", "b"])


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
