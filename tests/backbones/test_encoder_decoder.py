"""Two towers: equal to PyTorch's and to those of transformers, read at once or by pieces."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch
from pydantic import ValidationError
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

from foretext.backbones.encoder_decoder import EncoderDecoder
from foretext.backbones.transformer import Transformer
from foretext.base.errors import SettingError
from foretext.data.batch import Inputs
from foretext.nn.cache import KeyValueCache

V, B, T, S = 40, 3, 6, 7
LENGTHS = (7, 2, 4)  # of the sources
SHAPE: dict[str, Any] = {
    "num_layers": 1,
    "num_decoder_layers": 2,
    "dim": 16,
    "num_heads": 2,
    "max_length": 20,
    "init_std": 0.3,
    "dropout": 0.0,
}
FORMS: dict[str, dict[str, Any]] = {
    "2017": {},
    "t5": {
        "positions": "relative",
        "num_buckets": 8,
        "max_distance": 12,
        "head_dim": 6,
        "scale_scores": False,
        "scale_embeddings": False,
        "norm": "rms",
        "norm_position": "pre",
        "bias": False,
    },
    "bart": {
        "positions": "learned",
        "embedding_norm": True,
        "scale_embeddings": False,
        "activation": "gelu",
    },
    "rotary": {"positions": "rotary", "norm_position": "pre", "activation": "swiglu"},
}


def towers(form: str = "2017", source_vocab_size: int | None = None) -> EncoderDecoder:
    torch.manual_seed(1)
    config = EncoderDecoder.Config(**{**SHAPE, **FORMS[form]})
    return EncoderDecoder.build(config, V, source_vocab_size=source_vocab_size).eval()


def ids(rows: int, length: int, seed: int, size: int = V) -> Tensor:
    return torch.randint(1, size, (rows, length), generator=torch.Generator().manual_seed(seed))


def some_inputs(**fields: Any) -> Inputs:
    token_mask = torch.arange(S) < torch.tensor(LENGTHS)[:, None]
    source = Inputs(ids(B, S, 2), token_mask=token_mask)
    return Inputs(ids(B, T, 3), visibility="causal", source=source, **fields)


def read(backbone: EncoderDecoder, cache: KeyValueCache, rows: Tensor) -> Tensor:
    """The states of further ids, whose source the cache knows."""
    return backbone(Inputs(rows, visibility="causal"), cache=cache).last


def near(ours: Tensor, theirs: Tensor) -> None:
    torch.testing.assert_close(ours, theirs, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("form", FORMS)
def test_padding_of_the_source_changes_nothing(form: str) -> None:
    backbone, inputs = towers(form), some_inputs()
    assert inputs.source is not None
    together = backbone(inputs).last
    for row, length in enumerate(LENGTHS):
        source = Inputs(inputs.source.ids[row : row + 1, :length])
        near(backbone(replace(inputs.rows(row, row + 1), source=source)).last[0], together[row])


@pytest.mark.parametrize("form", FORMS)
def test_reading_by_pieces_equals_reading_at_once(form: str) -> None:
    backbone, inputs = towers(form), some_inputs()
    whole, cache = backbone(inputs).last, backbone.new_cache()
    pieces = [backbone(replace(inputs, ids=inputs.ids[:, :2]), cache=cache).last]
    pieces += [read(backbone, cache, inputs.ids[:, t : t + 1]) for t in range(2, T)]
    near(torch.cat(pieces, 1), whole)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "kept", [(0, 0, 1, 1, 2, 2), (1, 1, 0, 0), (2, 0, 0), (1,)], ids=["beams", "less", "odd", "one"]
)
def test_rows_can_share_a_source(form: str, kept: tuple[int, ...]) -> None:
    """As hypotheses of a beam search do; twice, as the rows of one step are those of the next."""
    backbone, inputs, rows = towers(form), some_inputs(), torch.tensor(kept)
    whole, cache = backbone(inputs).last, backbone.new_cache()
    backbone(replace(inputs, ids=inputs.ids[:, :2]), cache=cache)
    cache.keep_rows(rows)
    near(read(backbone, cache, inputs.ids[rows, 2:3]), whole[rows, 2:3])
    again = torch.arange(len(rows)).flip(0)
    cache.keep_rows(again)
    rows = rows[again]
    near(read(backbone, cache, inputs.ids[rows, 3:5]), whole[rows, 3:5])


def test_states_of_the_source_can_be_given() -> None:
    backbone, inputs = towers(), some_inputs()
    assert inputs.source is not None
    memory = backbone.encode(inputs.source)
    assert memory.shape == (B, S, backbone.dim)
    backbone.encoder = None  # type: ignore[assignment]  # it is not needed
    assert torch.equal(backbone(replace(inputs, memory=memory)).last, towers()(inputs).last)


def test_tasks_read_with_the_encoder() -> None:
    backbone = towers()
    encoder = backbone.for_tasks
    assert encoder.visibilities == Transformer.visibilities
    assert encoder.embedding is backbone.embedding
    assert encoder.for_tasks is encoder
    source = Inputs(ids(2, S, 2))
    assert torch.equal(encoder(source).last, backbone.encode(source))


def test_one_vocabulary_has_one_table() -> None:
    shared, apart = towers(), towers(source_vocab_size=V)
    assert shared.encoder.embedding is shared.decoder.embedding
    more = sum(p.numel() for p in apart.parameters()) - sum(p.numel() for p in shared.parameters())
    assert more == V * SHAPE["dim"]


def test_a_source_vocabulary_of_its_own() -> None:
    backbone = towers(source_vocab_size=90)
    assert backbone.arguments == {"source_vocab_size": 90}
    assert (len(backbone.encoder.embedding), len(backbone.embedding)) == (90, V)
    again = backbone.reinitialised()
    assert [p.shape for p in again.parameters()] == [p.shape for p in backbone.parameters()]
    inputs = replace(some_inputs(), source=Inputs(ids(B, S, 2, size=90)))
    assert backbone(inputs).last.shape == (B, T, SHAPE["dim"])


@pytest.mark.parametrize("form", FORMS)
def test_maps_sum_to_one_and_see_no_padding(form: str) -> None:
    backbone, inputs = towers(form), some_inputs()
    maps = backbone.cross_attention_maps(inputs)
    assert [each.shape for each in maps] == 2 * [(B, 2, T, S)]
    for each in maps:
        near(each.sum(-1), torch.ones(B, 2, T))
        assert not each[1, :, :, LENGTHS[1] :].any()
    own = backbone.attention_maps(inputs)
    assert [each.shape for each in own] == 2 * [(B, 2, T, T)]
    assert not torch.stack(own).triu(1).any()


def test_one_text_has_no_source() -> None:
    alone = Transformer(Transformer.Config(num_layers=1, dim=16, num_heads=2), V)
    with pytest.raises(SettingError, match="reads no source text; use an encoder-decoder"):
        alone.encode(Inputs(ids(1, 3, 2)))
    with pytest.raises(SettingError, match="reads no source text"):
        alone.cross_attention_maps(Inputs(ids(1, 3, 2)))


def test_layers_follow_the_way_from_source_to_text() -> None:
    backbone = towers("t5")
    names = {
        0: "encoder.embeddings.tokens.weight",
        1: "encoder.blocks.0.attention.output.weight",
        2: "decoder.blocks.0.cross.norm.weight",
        3: "decoder.final_norm.weight",
    }
    assert {backbone.layer_of(name): name for name in names.values()} == names
    assert backbone.layer_of("encoder.final_norm.weight") == 1
    assert backbone.layer_of("decoder.relative.scores.weight") == 0
    assert backbone.depth == 3


def test_matrices_of_both_towers() -> None:
    counts = towers().matrices_for_muon()
    assert counts["encoder.blocks.0.attention.query_key_value.weight"] == 3
    assert counts["decoder.blocks.1.cross.attention.key_value.weight"] == 2
    assert counts["decoder.blocks.1.cross.attention.query.weight"] == 1
    assert len(counts) == 4 + 2 * 7
    assert set(counts) <= {name for name, _ in towers().named_parameters()}


def test_operations_are_those_that_pytorch_counts() -> None:
    backbone = towers("bart").train()
    inputs = replace(some_inputs(), source=Inputs(ids(B, S, 2)))
    with FlopCounterMode(display=False) as counter:
        backbone(inputs).last.sum().backward()
    again = sum(  # our attention computes scores once more on the way back
        2 * 16 * queries * keys for queries, keys in ((S, 16), (T, 16), (T, 16), (T, 16), (T, 16))
    )
    scores = 12 * 16 * B * (S * (16 - S) + 2 * T * (16 - T) + 2 * T * (16 - S))  # keys by 16
    assert backbone.flops().of(inputs) + B * again + scores == counter.get_total_flops()


def test_operations_without_what_is_frozen() -> None:
    backbone = towers()
    whole = backbone.flops()
    for parameter in backbone.encoder.parameters():
        parameter.requires_grad_(False)
    frozen = backbone.flops()
    assert frozen.per_source_pair * 3 == whole.per_source_pair
    assert frozen.per_pair == whole.per_pair


@pytest.mark.parametrize("form", FORMS)
def test_layers_computed_again_give_the_same_gradients(form: str) -> None:
    gradients = []
    for again in (False, True):
        backbone = towers(form).train()
        if again:
            backbone.recompute_layers()
        weights = torch.linspace(0.5, 2, backbone.dim)
        (backbone(some_inputs()).last * weights).sum().backward()
        gradients.append([p.grad for p in backbone.parameters()])
        assert None not in gradients[-1]
    assert all(map(torch.equal, *gradients))


def test_what_is_added_begins_smaller_in_deep_towers() -> None:
    def spread(weight: Tensor) -> float:
        return float(weight.detach().std() / SHAPE["init_std"])

    decoder = towers("t5").decoder  # two layers of three parts
    for name in ("attention.output", "cross.attention.output", "feed_forward.outer"):
        assert spread(decoder.layers[0].get_submodule(name).weight) == pytest.approx(6**-0.5, 0.1)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"num_segments": 2}, "num_segments must be 0"),
        (
            {"num_layers": 2, "share_layers": True, "num_decoder_layers": 1},
            "num_decoder_layers = 1",
        ),
        ({"num_buckets": 8}, "num_buckets would have no effect without relative positions"),
        ({"positions": "relative", "max_distance": 9}, "more than half of num_buckets = 32"),
        ({"sinusoids": "halves", "positions": "learned"}, "without sinusoidal positions"),
        ({"dim": 15}, "must be a multiple of num_heads = 4, or head_dim be set"),
    ],
)
def test_settings_that_do_not_fit_are_refused(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValidationError, match=sentence):
        EncoderDecoder.Config(**settings)


def test_heads_of_another_width() -> None:
    backbone = towers("t5")
    attention = backbone.decoder.layers[0].attention
    assert attention.query_key_value.weight.shape == (3 * 2 * 6, 16)
    assert attention.output.weight.shape == (16, 2 * 6)


def test_equals_pytorchs_transformer() -> None:
    """`nn.Transformer` of 2017 form, with our weights; it has a last norm that ours leaves out."""
    backbone, inputs = towers(), some_inputs()
    assert inputs.source is not None
    theirs = nn.Transformer(16, 2, 1, 2, 64, 0.0, batch_first=True).eval()
    theirs.encoder.norm = theirs.decoder.norm = None
    theirs.load_state_dict(as_pytorch(backbone))
    right = theirs(
        backbone.encoder.embeddings(inputs.source, 0),
        backbone.decoder.embeddings(inputs, 0),
        tgt_mask=nn.Transformer.generate_square_subsequent_mask(T),
        src_key_padding_mask=~inputs.source.token_mask,  # type: ignore[operator]
        memory_key_padding_mask=~inputs.source.token_mask,  # type: ignore[operator]
    )
    near(backbone(inputs).last, right)
    with torch.no_grad():
        near(backbone(inputs).last, right)


def as_pytorch(backbone: EncoderDecoder) -> dict[str, Tensor]:
    """Our weights under the names of `nn.Transformer`."""
    weights: dict[str, Tensor] = {}
    for tower in ("encoder", "decoder"):
        for layer, block in enumerate(getattr(backbone, tower).blocks):
            parts: dict[str, nn.Module] = {
                "self_attn.out_proj": block.attention.output,
                "linear1": block.feed_forward.inner,
                "linear2": block.feed_forward.outer,
                "norm1": block.attention_norm,
                "norm2" if block.cross is None else "norm3": block.feed_forward_norm,
            }
            prefix = f"{tower}.layers.{layer}."
            joint = block.attention.query_key_value
            weights[f"{prefix}self_attn.in_proj_weight"] = joint.weight
            weights[f"{prefix}self_attn.in_proj_bias"] = joint.bias
            if block.cross is not None:
                cross = block.cross.attention
                for kind in ("weight", "bias"):
                    joined = torch.cat((getattr(cross.query, kind), getattr(cross.key_value, kind)))
                    weights[f"{prefix}multihead_attn.in_proj_{kind}"] = joined
                parts |= {"multihead_attn.out_proj": cross.output, "norm2": block.cross.norm}
            for name, part in parts.items():
                weights |= {f"{prefix}{name}.{kind}": p for kind, p in part.named_parameters()}
    return weights


def test_cross_attention_can_be_drawn_again() -> None:
    torch.manual_seed(1)
    shape = {**SHAPE, **FORMS["t5"], "dim": 64, "first_attention": "neighbours"}
    backbone = EncoderDecoder.build(EncoderDecoder.Config(**shape), V)
    first = {name: value.clone() for name, value in backbone.state_dict().items()}
    with torch.no_grad():
        for value in backbone.parameters():
            value.add_(1.0)
    backbone.redraw_cross_attention()
    drawn = {
        f"decoder.blocks.{layer}.cross.attention.{part}.weight"
        for layer in (0, 1)
        for part in ("query", "key_value", "output")
    }
    for name, value in backbone.state_dict().items():
        if name in drawn:
            assert not torch.equal(value, first[name])
            assert float(value.std() / first[name].std()) == pytest.approx(1, rel=0.1)
        else:
            assert torch.equal(value, first[name] + 1.0), name
    attention = backbone.decoder.layers[0].cross.attention
    assert torch.equal(attention.query.weight, attention.key_value.weight[: attention.width])


def test_only_heads_that_began_at_equal_tokens_seek_sentinels() -> None:
    found = {form: towers(form) for form in FORMS}
    assert not any(backbone.task_traits.seeks_sentinels for backbone in found.values())
    assert all(backbone.task_traits.default_dropout == 0.1 for backbone in found.values())
    usual = found["t5"].fine_tuning_defaults(pretrained=True)["learning_rate"]
    config = EncoderDecoder.Config(**{**SHAPE, **FORMS["t5"], "first_attention": "neighbours"})
    own = EncoderDecoder.build(config, V)
    assert own.task_traits.seeks_sentinels
    assert own.task_traits.default_dropout is None
    assert own.fine_tuning_defaults(pretrained=True)["learning_rate"] == 2 * usual
    with pytest.raises(
        SettingError, match="redraw_cross_attention: Transformer has no cross-attention"
    ):
        Transformer(
            Transformer.Config(num_layers=1, dim=16, num_heads=2), V
        ).redraw_cross_attention()
