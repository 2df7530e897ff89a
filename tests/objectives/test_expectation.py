from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from foretext.backbones.elmo import Elmo
from foretext.data.batch import Inputs
from foretext.messages import in_language
from foretext.objectives.bidirectional_lm import BidirectionalLM
from foretext.objectives.expectation import Row, expectation_parts, target_expectations
from foretext.shown import Note, Table
from tests.language_model.models import bert, gpt, learned_tokenizer


def row_of(text: str, kind: str) -> Row:
    tokenizer = learned_tokenizer(kind)
    special = tokenizer.special
    if kind == "wordpiece":
        ids = [special.required("cls"), *tokenizer.encode(text), special.required("sep")]
    else:
        ids = [special.required("end"), *tokenizer.encode(text)]
    hideable = torch.from_numpy(tokenizer.ordinary)[torch.tensor(ids)]
    return Row(torch.tensor(ids), hideable, special.mask or 0)


def test_a_causal_model_expects_what_its_token_scores_say() -> None:
    model = gpt()
    row = row_of("the king sails", "bpe")
    assert model.objective is not None
    with torch.no_grad():
        (found,) = model.objective.expected(model.backbone.eval(), row).values()
    (scores,) = model.token_scores([row.ids.tolist()])
    assert found[0].isnan().all()
    own = found[1:].gather(1, row.ids[1:, None])[:, 0]
    np.testing.assert_allclose(own, scores.log_probs, atol=1e-4)


def test_a_masked_model_expects_what_it_fills() -> None:
    """Each token is hidden alone, which is what `fill` does with one mask."""
    model = bert()
    row = row_of("the king and the queen", "wordpiece")
    assert model.objective is not None
    with torch.no_grad():
        (found,) = model.objective.expected(model.backbone.eval(), row).values()
    assert found[0].isnan().all()
    assert found[-1].isnan().all()
    ((best, *_),) = model.fill("the [MASK] and the queen", 1)
    place = model.tokenizer.tokens.index(best.token)
    assert float(found[2, place].exp()) == pytest.approx(best.probability, abs=1e-4)


def test_words_are_expected_from_either_side() -> None:
    tokenizer = learned_tokenizer("wordpiece")
    torch.manual_seed(0)
    shape = {"dim": 8, "widths": [1, 2], "features": [4, 4], "num_layers": 1}
    backbone = Elmo(Elmo.Config(**shape), tokenizer.vocab_size).eval()
    backbone.spell(tokenizer.tokens)
    objective = BidirectionalLM(
        BidirectionalLM.Config(softmax="full", row_length=8), backbone, tokenizer
    )
    row = row_of("the king sails", "wordpiece")
    with torch.no_grad():
        found = objective.expected(backbone, row)
        states = backbone(Inputs(row.ids[None], visibility="split")).last[0]
        halves = [objective.head(half).log_softmax(-1) for half in states.chunk(2, -1)]
    assert list(found) == ["left", "right"]
    torch.testing.assert_close(found["left"][1:], halves[0][:-1])
    torch.testing.assert_close(found["right"][:-1], halves[1][1:])
    assert found["left"][0].isnan().all()
    assert found["right"][-1].isnan().all()


def test_the_perplexity_is_that_of_the_table() -> None:
    """P = 1/2, 1/4 of two tokens: 1.5 bits a token."""
    logs = torch.tensor([[math.nan] * 3, [0.5, 0.25, 0.25], [0.5, 0.25, 0.25]]).log()
    with in_language("en"):
        note, table = expectation_parts({"left": logs}, [2, 0, 1], "abx".__getitem__, 3)
    assert isinstance(note, Note)
    assert "1.50 bits for each of 2 tokens, a perplexity of 2.8" in note.text
    assert isinstance(table, Table)
    assert [row[:4] for row in table.rows] == [
        ("x", None, None, None),
        ("a", 0.5, 1.0, "a 0.500"),
        ("b", 0.25, 2.0, "a 0.500"),
    ]


def test_given_tokens_are_not_expected() -> None:
    head = bert().objective
    assert head is not None
    assert head.token_head is not None
    with torch.no_grad():
        (found,) = target_expectations(head.token_head, torch.randn(4, 16), 2).values()
    assert found[:2].isnan().all()
    np.testing.assert_allclose(found[2:].exp().sum(1), 1, atol=1e-5)
