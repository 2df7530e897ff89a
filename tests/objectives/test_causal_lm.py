"""The LSTM language model: its losses against plain PyTorch, and what it refuses."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn

from foretext.backbones.base import Backbone
from foretext.backbones.recurrent import Recurrent
from foretext.backbones.transformer import Transformer
from foretext.base.errors import SettingError
from foretext.data.batch import Batch, Inputs
from foretext.data.token_file import Tokens
from foretext.interop.config_file import read_config
from foretext.language_model import LanguageModel
from foretext.nn.adaptive_softmax import AdaptiveSoftmax
from foretext.objectives.causal_lm import CausalLM
from foretext.pretraining.building import check_model
from foretext.recipe import Recipe
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.training.batches import Batches, Lanes
from foretext.training.model import Model
from tests.language_model.models import learned_tokenizer

SHAPE = {"vector_size": 12, "dim": 12, "num_layers": 2, "bidirectional": False, "dropout": 0.0}


def recurrent(tokenizer: SubwordTokenizer, **settings: Any) -> Recurrent:
    torch.manual_seed(0)
    return Recurrent(Recurrent.Config(**{**SHAPE, **settings}), tokenizer.vocab_size)


def model_of(
    tokenizer: SubwordTokenizer, backbone: Backbone | None = None, **settings: Any
) -> Model[CausalLM]:
    backbone = backbone or recurrent(tokenizer)
    config = CausalLM.Config(**{"row_length": 6, **settings})
    return Model(backbone, CausalLM(config, backbone, tokenizer))


def test_a_backbone_that_usually_reads_short_rows_has_learned_no_more_positions() -> None:
    tokenizer = learned_tokenizer("bpe")
    shape = Transformer.Config(num_layers=1, dim=8, num_heads=1, max_length=32)
    backbone = Transformer(shape, tokenizer.vocab_size)
    backbone.usual_length = 12  # as one from outside the package may have it
    for chosen, learned in ((None, 12), (20, 20), (64, 32)):
        objective = CausalLM(CausalLM.Config(row_length=chosen), backbone, tokenizer)
        assert objective.learned_length(backbone) == learned


def batches_of(model: Model[CausalLM], tokens: Tokens) -> Iterator[Batch]:
    batches = Batches(model.objective.examples(tokens.train), 4, seed=1, continues=True)
    return (batches.batch(step) for step in range(5))


def twin(backbone: Recurrent) -> nn.LSTM:
    """`nn.LSTM` with the same weights."""
    network = nn.LSTM(12, 12, num_layers=2, batch_first=True)
    weights = {
        f"{name}_l{layer}": parameter.detach()
        for layer, block in enumerate(backbone.blocks)
        for name, parameter in block.rightward.named_parameters()
    }
    network.load_state_dict(weights)
    return network


@pytest.mark.parametrize("softmax", ["full", "adaptive"])
def test_steps_are_those_of_a_plain_loop(
    byte_bpe: SubwordTokenizer, gpt_tokens: Tokens, softmax: str
) -> None:
    """Losses and gradients of the loop that everyone writes with `nn.LSTM`, batch after batch."""
    model = model_of(byte_bpe, carry_state=True, softmax=softmax, tied=False)
    head: Any = model.objective.head
    network, vectors = twin(model.backbone), model.backbone.embedding.detach().requires_grad_()
    lanes, hidden = Lanes(), None
    for batch in batches_of(model, gpt_tokens):
        loss = model(lanes.begin(batch))["causal_lm"].loss
        lanes.add(model.carried)
        lanes.end()
        states, hidden = network(vectors[batch.inputs.ids], hidden)
        logits = head.log_probs(states.flatten(0, 1)) if softmax == "adaptive" else head(states)
        expected = F.cross_entropy(
            logits.flatten(0, -2), batch.targets["next"].flatten(), reduction="sum"
        )
        torch.testing.assert_close(loss, expected, rtol=1e-5, atol=0)
        ours = torch.autograd.grad(loss, [model.backbone.embedding], retain_graph=True)
        theirs = torch.autograd.grad(expected, [vectors], retain_graph=True)
        torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)
        hidden = tuple(state.detach() for state in hidden)


def test_rows_of_lanes_are_the_text_in_order(
    byte_bpe: SubwordTokenizer, gpt_tokens: Tokens
) -> None:
    model = model_of(byte_bpe, carry_state=True)
    rows = torch.cat([batch.inputs.ids for batch in batches_of(model, gpt_tokens)], dim=1)
    examples: Any = model.objective.examples(gpt_tokens.train)
    text = examples.stream.take(np.arange(len(examples.stream)))
    windows = np.lib.stride_tricks.sliding_window_view(text, rows.shape[1])
    for row in rows.numpy():
        assert (windows == row).all(1).any()


def test_rows_are_shuffled_where_no_state_is_carried(
    byte_bpe: SubwordTokenizer, gpt_tokens: Tokens
) -> None:
    def starts(**settings: Any) -> np.ndarray:
        examples = model_of(byte_bpe, **settings).objective.examples(gpt_tokens.train)
        return examples.keys(np.random.default_rng(2))

    assert (np.diff(starts(carry_state=True)) == 6).all()
    assert not (np.diff(starts()) == 6).all()


def test_by_hand(byte_bpe: SubwordTokenizer) -> None:
    """One plain cell: h = tanh(x + h_before), and the chance of a token is softmax(h E^T)."""
    backbone = recurrent(byte_bpe, kind="rnn", vector_size=1, dim=1, num_layers=1)
    model = model_of(byte_bpe, backbone)
    reader = backbone.blocks[0].rightward
    with torch.no_grad():
        for weight in (reader.weight_ih, reader.weight_hh):
            weight.fill_(1.0)
        for bias in (reader.bias_ih, reader.bias_hh):
            bias.zero_()
        backbone.embedding.zero_()
        backbone.embedding[7] = 0.5
    inputs = Inputs(torch.tensor([[7, 7]]), visibility="causal")
    loss = model(Batch(inputs, {"next": torch.tensor([[7, 8]])}))["causal_lm"].loss
    first = np.tanh(0.5)  # 0.4621
    second = np.tanh(0.5 + first)  # 0.7452
    others = byte_bpe.vocab_size - 1  # tokens with score 0
    chances = [np.exp(0.5 * first) / (np.exp(0.5 * first) + others)]
    chances += [1 / (np.exp(0.5 * second) + others)]
    assert loss.item() == pytest.approx(-np.log(chances).sum(), rel=1e-6)


def test_dropout_is_of_the_states_that_the_head_reads(
    byte_bpe: SubwordTokenizer, gpt_tokens: Tokens
) -> None:
    model = model_of(byte_bpe, dropout=0.5)
    batch = next(batches_of(model, gpt_tokens))
    losses = [float(model(batch)["causal_lm"].loss.detach()) for _ in range(2)]
    assert losses[0] != losses[1]
    model.eval()
    plain = model_of(byte_bpe).eval()
    assert model(batch)["causal_lm"].loss == plain(batch)["causal_lm"].loss


def test_tied_vectors_are_the_heads_weights(byte_bpe: SubwordTokenizer) -> None:
    model = model_of(byte_bpe, softmax="adaptive", cutoffs=[50])
    head = model.objective.head
    assert isinstance(head, AdaptiveSoftmax)
    assert head.words is model.backbone.embedding
    assert head.cutoffs == (50,)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"cutoffs": [10]}, "cutoffs would have no effect with softmax = 'full'"),
        ({"div_value": 2.0}, "div_value would have no effect"),
        ({"softmax": "adaptive", "cutoffs": [20, 10]}, r"cutoffs = \[20, 10\] must increase"),
        ({"softmax": "adaptive", "cutoffs": [0]}, r"cutoffs.*greater than 0"),
        ({"softmax": "adaptive", "div_value": 0.5}, "div_value = 0.5"),
        ({"softmax": "sampled"}, "softmax = 'sampled'"),
    ],
)
def test_settings_that_cannot_be(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SettingError, match=sentence):
        CausalLM.Config.checked(settings, "objective")


def test_cutoffs_beyond_the_vocabulary_are_left_out(
    byte_bpe: SubwordTokenizer, gpt_tokens: Tokens
) -> None:
    config = CausalLM.Config(softmax="adaptive", cutoffs=[100, 100_000])
    possible, note = CausalLM.text_rules.possible(config, [gpt_tokens.train])
    assert possible.cutoffs == [100]
    assert note == "objective.cutoffs: without 100,000, for the vocabulary has 320 tokens"
    assert CausalLM.text_rules.possible(possible, [gpt_tokens.train]) == (possible, None)
    head: Any = model_of(byte_bpe, softmax="adaptive", cutoffs=[100, 100_000]).objective.head
    assert head.cutoffs == (100,)


def test_a_recipe_with_cutoffs_is_checked_before_the_text_is_read() -> None:
    check_model(Recipe.load("lstm-lm", ["objective.cutoffs=[2000,5000]"]))
    with pytest.raises(SettingError, match="have 64 numbers and its states 256"):
        check_model(Recipe.load("lstm-lm", ["backbone.vector_size=64"]))


@pytest.mark.parametrize("softmax", ["full", "adaptive"])
def test_tied_weights_of_another_width_are_refused(
    byte_bpe: SubwordTokenizer, softmax: str
) -> None:
    narrow = recurrent(byte_bpe, vector_size=8)
    with pytest.raises(SettingError, match="have 8 numbers and its states 12"):
        model_of(byte_bpe, narrow, softmax=softmax)


def test_a_gpt_with_an_adaptive_softmax_is_kept_in_our_own_form(
    byte_bpe: SubwordTokenizer, tmp_path: Path
) -> None:
    """`transformers` has no such head; weights and probabilities stay the same."""
    form = {"num_segments": 0, "norm_position": "pre", "embedding_norm": False}
    shape = Transformer.Config(num_layers=1, dim=16, num_heads=2, max_length=16, **form)
    backbone = Transformer(shape, byte_bpe.vocab_size)
    objective = model_of(byte_bpe, backbone, softmax="adaptive").objective
    model = LanguageModel(byte_bpe, backbone, objective, device="cpu")
    model.save(tmp_path / "gpt")
    assert read_config(tmp_path / "gpt" / "config.json")["model_type"] == "foretext"
    again = LanguageModel.load(tmp_path / "gpt", device="cpu")
    assert again.likelihood("the dog barks") == model.likelihood("the dog barks")
    assert len(again.generate("the dog", max_new_tokens=3)[0].ids) <= 3


def test_a_transformer_has_no_state_to_carry(byte_bpe: SubwordTokenizer) -> None:
    shape = Transformer.Config(num_layers=1, dim=16, num_heads=2, max_length=16)
    backbone = Transformer(shape, byte_bpe.vocab_size)
    with pytest.raises(SettingError, match="carry_state = true: Transformer has no state"):
        model_of(byte_bpe, backbone, carry_state=True)
