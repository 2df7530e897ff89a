"""Beam search finds what `transformers` finds, and what trying everything finds."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
import torch

from foretext.generation import Decoding, Output, decode
from foretext.language_model import LanguageModel
from foretext.objectives.reading import Reading
from tests.language_model.models import gpt

OPENINGS = [(5, 70, 12), (33, 8, 41), (9, 10, 11), (40, 2, 7)]
END = 0


def searched(model: LanguageModel, decoding: Decoding, **reading: Any) -> list[list[Output]]:
    """The outputs after each of the openings."""
    assert model.objective is not None
    assert model.objective.token_head is not None
    readings = [Reading(opening, **reading) for opening in OPENINGS]
    return decode(model.backbone.eval(), model.objective.token_head, readings, decoding, end=END)


SEARCHES = [
    {"num_beams": 4},
    {"num_beams": 4, "early_stopping": True},
    {"num_beams": 4, "early_stopping": "never"},
    {"num_beams": 3, "length_penalty": 0.0},
    {"num_beams": 5, "length_penalty": 2.0, "num_best": 5},
    {"num_beams": 3, "length_penalty": -1.0, "early_stopping": "never", "num_best": 2},
    {"num_beams": 2, "min_new_tokens": 9},
    {"num_beams": 6, "max_new_tokens": 3, "num_best": 6},
]


@pytest.fixture(scope="module")
def model_and_peer(tmp_path_factory: pytest.TempPathFactory) -> tuple[LanguageModel, Any]:
    """A model whose end token is likely, and the same in transformers."""
    transformers = pytest.importorskip("transformers")
    model = gpt(seed=6, dim=32)
    head = model.objective.token_head
    with torch.no_grad():
        torch.nn.init.normal_(head.weight, std=0.5)
        head.weight[END] *= 2.0
    folder = tmp_path_factory.mktemp("peer") / "gpt"
    model.save(folder)
    return model, transformers.AutoModelForCausalLM.from_pretrained(folder).eval()


@pytest.mark.parametrize("settings", SEARCHES, ids=str)
def test_it_finds_what_transformers_finds(
    model_and_peer: tuple[LanguageModel, Any], settings: dict[str, Any]
) -> None:
    model, peer = model_and_peer
    decoding = Decoding(**{"max_new_tokens": 12, **settings})
    theirs = peer.generate(
        torch.tensor(OPENINGS),
        attention_mask=torch.ones(4, 3),
        do_sample=False,
        num_beams=decoding.num_beams,
        num_return_sequences=decoding.num_best,
        max_new_tokens=decoding.max_new_tokens,
        min_new_tokens=decoding.min_new_tokens,
        length_penalty=decoding.length_penalty,
        early_stopping=decoding.early_stopping,
        eos_token_id=END,
        pad_token_id=90,
        return_dict_in_generate=True,
        output_scores=True,
    )
    ours = [output for outputs in searched(model, decoding) for output in outputs]
    for output, ids, score in zip(
        ours, theirs.sequences[:, 3:].tolist(), theirs.sequences_scores.tolist(), strict=True
    ):
        expected = list(itertools.takewhile(lambda token: token != END, ids))
        assert output.ids == expected
        assert output.ended == (END in ids)
        assert output.score == pytest.approx(score, abs=1e-4)
