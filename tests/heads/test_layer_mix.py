"""Which layers a task reads: the last one, or a learned mix, on every backbone that has several."""

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
from foretext.heads.base import Head
from foretext.heads.classification import ClassificationHead
from foretext.heads.matching import MatchingHead
from foretext.heads.span_qa import SpanHead
from foretext.heads.tagging import TaggingHead
from foretext.heads.task_base import TaskBase
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.tokenizers.subwords import learn_subwords

TASKS: dict[type[Head], dict[str, Any]] = {
    ClassificationHead: {"labels": ["a", "b"]},
    MatchingHead: {"labels": ["a", "b"]},
    TaggingHead: {"labels": ["B-X", "I-X", "O"]},
    SpanHead: {},
}


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
    plain = head_class(head_class.settings()(layers="last"), base, **found).eval()
    mixed = head_class(head_class.settings()(layers="mix"), base, **found).eval()
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
    config = head_class.settings()()
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
        assert task.read(states).shape == states.last.shape


def test_one_layer_is_no_mix(tokenizer: SubwordTokenizer) -> None:
    base = TaskBase(tokenizer, TextCNN(TextCNN.Config(), tokenizer.vocab_size), "full")
    with pytest.raises(SettingError, match="one layer of this width"):
        ClassificationHead(ClassificationHead.Config(layers="mix"), base, labels=["a", "b"])
