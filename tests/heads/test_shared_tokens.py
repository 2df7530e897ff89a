"""Tokens that stand in both texts: which they are, and how a body sees them."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from foretext.data.framing import Framing
from foretext.heads.shared_tokens import mark_shared_tokens, shared_tokens
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tests.networks import random_inputs
from tests.text_bodies import bert_body, gpt_body

FIRST, BOTH = 0, 2  # kinds of tokens


def test_what_stands_in_both_and_not_around() -> None:
    framing = Framing([1], [2], 16, [2])
    told = shared_tokens(framing, [5, 6, 5, 2], [7, 5, 2])
    #                [1] 5  6  5  2 [2] 7  5  2 [2]
    assert told.tolist() == [0, 1, 0, 1, 1, 0, 0, 1, 1, 0]
    assert shared_tokens(framing, [], [5]).tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("has_segments", [True, False])
def test_states_of_other_tokens_stay_as_they_are(
    wordpiece: SubwordTokenizer, byte_bpe: SubwordTokenizer, *, has_segments: bool
) -> None:
    body = bert_body(wordpiece) if has_segments else gpt_body(byte_bpe)
    kinds = (torch.arange(12) > 4).long().expand(3, 12)
    inputs = random_inputs(100, visibility=body.visibility, segments=kinds)
    before = body.backbone(inputs).last
    mark_shared_tokens(body)
    torch.testing.assert_close(body.backbone(inputs).last, before)
    # Of a table without segments both texts are alike still.
    segments = body.backbone.embeddings.segments.weight
    assert torch.equal(segments[0], segments[1]) is not has_segments
    shared = replace(inputs, segments=kinds + BOTH)
    assert not torch.allclose(body.backbone(shared).last, before, atol=1e-2)


def test_both_texts_are_told_by_one_vector_of_half_a_tokens_size(
    wordpiece: SubwordTokenizer,
) -> None:
    body = bert_body(wordpiece)
    mark_shared_tokens(body)
    segments = body.backbone.embeddings.segments.weight.detach()
    assert body.backbone.config.num_segments == len(segments) == 4
    told = segments[BOTH:] - segments[:BOTH]
    torch.testing.assert_close(told[0], told[1])
    scale = float(told[0].std() / body.backbone.embedding.detach().std())
    assert 0.3 < scale < 0.7


def test_a_body_that_sees_them_stays_as_it_is(wordpiece: SubwordTokenizer) -> None:
    body = bert_body(wordpiece)
    mark_shared_tokens(body)
    before = body.backbone.embeddings.segments.weight.detach().clone()
    mark_shared_tokens(body)
    assert torch.equal(body.backbone.embeddings.segments.weight, before)
