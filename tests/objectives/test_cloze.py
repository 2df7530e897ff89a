from __future__ import annotations

import numpy as np
import pytest
from torch import Tensor

from foretext.base.errors import SettingError
from foretext.data.token_file import Tokens
from foretext.objectives.masked_lm import MaskedLM
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tests.networks import bert


def drawn(
    tokens: Tokens, tokenizer: SubwordTokenizer, **settings: float
) -> tuple[Tensor, Tensor, int]:
    """What hidden tokens became, what they were, and the id of the mask token."""
    objective = bert(tokenizer, mask_rate=0.5, **settings).objective
    examples, rng = objective.examples(tokens.train), np.random.default_rng(0)
    batch = examples.batch(examples.keys(rng), rng)
    hidden = batch.targets["masked"]
    mask = tokenizer.special.required("mask")
    return batch.inputs.ids[hidden], batch.targets["original"][hidden], mask


def test_the_shares_are_those_of_bert(bert_tokens: Tokens, wordpiece: SubwordTokenizer) -> None:
    seen, original, mask = drawn(bert_tokens, wordpiece)
    assert len(seen) > 1_000
    assert (seen == mask).float().mean().item() == pytest.approx(0.8, abs=0.04)
    # A random token may happen to be the right one.
    assert (seen == original).float().mean().item() == pytest.approx(0.1, abs=0.03)


@pytest.mark.parametrize(
    ("mask_token_rate", "random_token_rate"), [(1.0, 0.0), (0.0, 1.0), (0.0, 0.0)]
)
def test_the_shares_can_be_set(
    bert_tokens: Tokens,
    wordpiece: SubwordTokenizer,
    mask_token_rate: float,
    random_token_rate: float,
) -> None:
    settings = {"mask_token_rate": mask_token_rate, "random_token_rate": random_token_rate}
    seen, original, mask = drawn(bert_tokens, wordpiece, **settings)
    if mask_token_rate:
        assert (seen == mask).all()
    elif random_token_rate:
        assert (seen != mask).all()
        assert (seen == original).float().mean().item() < 0.1
    else:
        assert (seen == original).all()


def test_shares_above_one_are_refused() -> None:
    with pytest.raises(SettingError, match=r"mask_token_rate \+ random_token_rate = 1.1"):
        MaskedLM.Config.checked({"mask_token_rate": 0.9, "random_token_rate": 0.2}, "objective")
