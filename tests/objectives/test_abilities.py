"""What objectives say of themselves, and which backbones they refuse."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from foretext.backbones.base import Backbone, States
from foretext.backbones.recurrent import Recurrent
from foretext.backbones.transformer import Transformer
from foretext.base.errors import SettingError
from foretext.corpus import Corpus, CorpusConfig
from foretext.data.batch import Batch, Inputs, Visibility
from foretext.data.token_writer import write_tokens
from foretext.nn.vocabulary_head import Score
from foretext.objectives.causal_lm import CausalLM
from foretext.objectives.criterion import Criterion
from foretext.objectives.masked_lm import MaskedLM
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.training.model import Model
from tests.networks import SHAPE, bert, gpt, random_inputs


class Doubled(Criterion):
    """Looks at the batch first, by a network of its own."""

    visibility: Visibility = "full"

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.first = nn.Linear(dim, dim)
        self.prepared = 0

    def prepare(self, batch: Batch, backbone: Backbone) -> Batch:
        self.prepared += 1
        vectors = self.first(backbone.embedding[batch.inputs.ids])
        targets = {**batch.targets, "guess": vectors}
        return replace(
            batch, inputs=replace(batch.inputs, ids=batch.inputs.ids + 1), targets=targets
        )

    def counts(self, batch: Batch) -> Mapping[str, int]:
        return {"doubled": batch.inputs.ids.numel()}

    def scores(self, states: States, batch: Batch) -> Mapping[str, Score]:
        return {"doubled": Score((states.last - batch.targets["guess"]).square().sum())}


class Translating(Doubled):
    needs_source = True


class AnyOrder(Doubled):
    @property
    def trains_with(self) -> frozenset[Visibility]:
        return frozenset({"matrix", "split"})


def transformer() -> Transformer:
    torch.manual_seed(0)
    return Transformer(Transformer.Config(**SHAPE), 50)


def test_a_batch_is_prepared_before_the_backbone_reads_it() -> None:
    backbone = transformer()
    model = Model(backbone, Doubled(backbone.dim))
    ids = torch.arange(12).view(2, 6)
    loss = model(Batch(Inputs(ids)))["doubled"].loss
    guess = model.objective.first(backbone.embedding[ids])
    expected = (backbone(Inputs(ids + 1)).last - guess).square().sum()
    assert torch.allclose(loss, expected)
    loss.backward()
    assert model.objective.prepared == 1
    assert model.objective.first.weight.grad is not None
    assert model.objective.first.weight.grad.abs().sum() > 0


def test_pairs_are_checked_when_the_model_is_built() -> None:
    backbone = transformer()
    with pytest.raises(SettingError, match="Translating needs a backbone that reads a source text"):
        Model(backbone, Translating(backbone.dim))
    with pytest.raises(SettingError, match="AnyOrder needs split visibility"):
        Model(backbone, AnyOrder(backbone.dim))
    backbone.reads_source = True
    Model(backbone, Translating(backbone.dim))
    with pytest.raises(
        SettingError, match=r"Transformer reads a source text, and .* gives it none"
    ):
        Model(backbone, Doubled(backbone.dim))


def test_a_tied_head_without_a_transform_needs_vectors_as_wide_as_states(
    byte_bpe: SubwordTokenizer,
) -> None:
    for width, fits in ((8, False), (16, True)):
        config = Recurrent.Config(dim=16, vector_size=width, bidirectional=False)
        backbone = Recurrent(config, byte_bpe.vocab_size)
        if fits:
            Model(backbone, CausalLM(CausalLM.Config(), backbone, byte_bpe))
        else:
            with pytest.raises(SettingError, match=f"have {width} numbers and its states 16"):
                Model(backbone, CausalLM(CausalLM.Config(), backbone, byte_bpe))
        Model(backbone, CausalLM(CausalLM.Config(tied=False), backbone, byte_bpe))


@pytest.mark.parametrize("tied", [True, False])
def test_a_transform_ends_in_the_width_of_tied_vectors(
    wordpiece: SubwordTokenizer, tied: bool
) -> None:
    shape = {"num_layers": 1, "dim": 16, "num_heads": 2, "max_length": 32}
    narrow = Transformer.Config(embedding_dim=8, **shape)
    for backbone in (
        Transformer(narrow, wordpiece.vocab_size),
        Recurrent(Recurrent.Config(dim=8, vector_size=8), wordpiece.vocab_size),
    ):
        objective = MaskedLM(MaskedLM.Config(tied=tied), backbone, wordpiece)
        head = Model(backbone, objective).objective.token_head
        assert (head.weight is backbone.embedding) == tied
        assert head.weight.shape == (wordpiece.vocab_size, 8 if tied else 16)
        assert head(torch.zeros(2, 16)).shape == (2, wordpiece.vocab_size)


def test_what_a_text_does_not_allow_is_left_out(
    wordpiece: SubwordTokenizer, tmp_path: Path
) -> None:
    lines = "a dog barks .\na cat purrs .\n\na cow moos .\na hen clucks .\n"
    (tmp_path / "text").write_text(lines)
    config = MaskedLM.Config(next_sentence=True, pair_sentences=1, mask_rate=0.2)
    objective = bert(wordpiece, next_sentence=True).objective
    texts = {
        documents: write_tokens(
            Corpus(tmp_path / "text", CorpusConfig(documents=documents)),
            wordpiece,
            tmp_path / documents,
        ).train
        for documents in ("blank_line", "line")
    }
    assert MaskedLM.text_rules.possible(config, [texts["blank_line"]]) == (config, None)
    assert objective.problem(texts["blank_line"]) is None
    left, note = MaskedLM.text_rules.possible(config, [texts["blank_line"], texts["line"]])
    assert left == MaskedLM.Config(mask_rate=0.2)
    assert str(note).startswith("next_sentence is left out: the text has no two documents")
    assert "no two documents" in str(objective.problem(texts["line"]))


def test_heads_for_tasks(wordpiece: SubwordTokenizer, byte_bpe: SubwordTokenizer) -> None:
    masked = bert(wordpiece, next_sentence=True).objective.for_tasks
    assert masked.pooler is not None
    assert {name: value.shape for name, value in masked.pooler.items()} == {
        "weight": (32, 32),
        "bias": (32,),
    }
    assert masked.transform is not None
    assert bert(wordpiece).objective.for_tasks.pooler is None
    model = gpt(byte_bpe)
    assert model.objective.for_tasks.vocabulary_head is model.objective.token_head
    copied = copy.deepcopy(model)  # a copy of both keeps them tied
    assert copied.objective.token_head.weight is copied.backbone.embedding


def test_an_objective_begins_with_the_heads_of_another(wordpiece: SubwordTokenizer) -> None:
    with_pairs, without = bert(wordpiece, next_sentence=True), bert(wordpiece)
    bias: Tensor = without.objective.head.bias
    torch.nn.init.normal_(bias)
    with_pairs.objective.start_from(without.objective)
    assert torch.equal(with_pairs.objective.head.bias, bias)


def test_nothing_is_carried_by_a_transformer(wordpiece: SubwordTokenizer) -> None:
    model = bert(wordpiece)
    inputs = random_inputs(wordpiece.vocab_size, (2, 6))
    masked = torch.ones(2, 6, dtype=torch.bool)
    model(Batch(inputs, {"masked": masked, "original": inputs.ids}))
    assert model.carried == ()
