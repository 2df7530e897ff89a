"""The tables of the families: what goes there comes back."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from foretext.backbones.transformer import Transformer
from foretext.interop.families import FAMILIES
from foretext.interop.family import Family
from foretext.interop.transfer import Heads, Row
from tests.interop.conftest import LIKE_ROBERTA

FREE = {  # what no key of a family says
    **{name: {"bias"} for name in ("roberta", "xlm-roberta", "camembert", "bert", "albert")},
    "electra": {"bias"},
    "distilbert": {"bias"},
    "ernie": {"bias"},
    "gpt2": {"bias"},
    "modernbert": set(),
    "llama": {"dropout"},
}


@st.composite
def configs(draw: st.DrawFn, family: Family) -> Transformer.Config:
    """Settings that a family has."""
    share = st.floats(0, 0.9)
    settings: dict[str, Any] = {
        "num_layers": draw(st.integers(1, 50)),
        "dim": 8 * draw(st.integers(1, 100)),
        "num_heads": draw(st.sampled_from([1, 2, 4])),
        "feed_forward_dim": draw(st.integers(1, 1000)),
        "max_length": draw(st.integers(2, 10_000)),
        "num_segments": draw(st.integers(1, 4)),
        "norm_eps": draw(st.floats(1e-12, 1e-3)),
        "activation": draw(st.sampled_from(sorted(family.activations.values()))),
        "dropout": draw(share),
        "attention_dropout": draw(share),
        "init_std": draw(st.floats(1e-3, 1)),
        "bias": draw(st.booleans()),
        **family.fixed,
    }
    if family.model_type in LIKE_ROBERTA:
        settings["num_segments"] = 1
    if family.model_type == "albert":
        settings["embedding_dim"] = draw(st.integers(1, 100))
        settings["share_layers"] = settings["num_layers"] > 1
    if settings["positions"] == "rotary":
        settings["rotary_base"] = draw(st.floats(2, 1e6))
    free = FREE[family.model_type]
    return Transformer.Config(**{k: v for k, v in settings.items() if k not in free})


TRANSFORMERS = [name for name, family in FAMILIES.items() if family.backbone is Transformer]


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize("name", TRANSFORMERS)
@given(data=st.data())
def test_settings_come_back(name: str, data: st.DataObject) -> None:
    family = FAMILIES[name]
    config = data.draw(configs(family))
    theirs = family.theirs(config, None)
    assert theirs is not None
    assert Transformer.Config(**family.ours(theirs)) == config


@pytest.mark.parametrize("name", TRANSFORMERS)
def test_names_are_distinct(name: str) -> None:
    heads = Heads(head=True, pair_head=True, tied=False)
    narrow = {"share_layers": True, "embedding_dim": 8} if name == "albert" else {}
    config = Transformer.Config(num_layers=2, **narrow)
    rows = list(FAMILIES[name].rows(config, "there.", heads))
    theirs = [part for row in rows for part in row.theirs]
    ours = [row.ours for row in rows]
    assert len(set(theirs)) == len(theirs)
    assert len(set(ours)) == len(ours)
    assert not any("{" in part for part in (*theirs, *ours))


@pytest.mark.parametrize("layout", ["same", "transposed", "reversed"])
def test_parts_of_a_row(layout: Any) -> None:
    row = Row("all", ("first", "second"), layout)
    weight = torch.arange(24.0).view(6, 4)
    parts = row.split(weight)
    assert all(tuple(part.shape) == row.shape_there(weight.shape) for part in parts)
    again = torch.zeros(6, 4)
    row.join(parts, again)
    assert torch.equal(again, weight)
    expected = {"same": weight[:3], "transposed": weight[:3].T, "reversed": weight[:3].flip(0)}
    assert torch.equal(parts[0], expected[layout])


def test_rows_that_no_program_reads() -> None:
    """RoBERTa's position vectors begin behind that of padding."""
    row = Row("positions", ("theirs",), num_unused=2)
    weight = torch.arange(12.0).view(3, 4)
    (part,) = row.split(weight)
    assert tuple(part.shape) == row.shape_there(weight.shape) == (5, 4)
    assert not part[:2].any()
    again = torch.zeros(3, 4)
    row.join([part], again)
    assert torch.equal(again, weight)
