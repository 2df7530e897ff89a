"""The auxiliary loss of GPT's fine-tuning against torch's cross-entropy."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

from foretext.base.errors import SettingError
from foretext.data.batch import Inputs
from foretext.heads.next_tokens import NextTokens
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tests.networks import random_inputs
from tests.text_bodies import bert_body, gpt_body

LENGTHS = (12, 5, 1)


def some_inputs(vocab_size: int) -> Inputs:
    mask = torch.arange(12) < torch.tensor(LENGTHS)[:, None]
    return random_inputs(vocab_size, token_mask=mask, visibility="causal")


@torch.no_grad()
def test_every_real_token_but_the_first_is_asked(byte_bpe: SubwordTokenizer) -> None:
    body = gpt_body(byte_bpe)
    part = NextTokens.of(body, 0.5)
    assert part is not None
    inputs = some_inputs(byte_bpe.vocab_size)
    states = body.backbone.eval()(inputs)
    score = part.score(states, inputs)
    assert body.vocabulary_head is not None
    logits = body.vocabulary_head(states.last[:, :-1])
    asked = inputs.token_mask[:, 1:]  # type: ignore[index]
    expected = 0.5 * F.cross_entropy(logits[asked], inputs.ids[:, 1:][asked], reduction="sum")
    torch.testing.assert_close(score.loss, expected, atol=1e-3, rtol=1e-5)
    assert part.count(inputs) == sum(LENGTHS) - len(LENGTHS) == int(asked.sum())
    hits = (logits.argmax(-1) == inputs.ids[:, 1:])[asked].sum()
    assert score.num_correct == hits


def test_rows_without_padding_count_all(byte_bpe: SubwordTokenizer) -> None:
    part = NextTokens.of(gpt_body(byte_bpe), 1.0)
    assert part is not None
    assert part.count(random_inputs(byte_bpe.vocab_size)) == 3 * 11


def test_without_weight_there_is_none(wordpiece: SubwordTokenizer) -> None:
    assert NextTokens.of(bert_body(wordpiece), 0.0) is None


def test_a_body_that_sees_both_sides_is_refused(
    wordpiece: SubwordTokenizer, byte_bpe: SubwordTokenizer
) -> None:
    for body in (bert_body(wordpiece), gpt_body(byte_bpe)._replace(vocabulary_head=None)):
        with pytest.raises(SettingError, match="language_model_weight needs a causal language"):
            NextTokens.of(body, 0.5)
