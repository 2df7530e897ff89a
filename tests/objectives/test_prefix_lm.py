"""Rows of a prefix language model, for one network and for two."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from foretext.data.token_file import Tokens
from foretext.data.token_stream import TokenStream
from foretext.objectives.prefix_lm import PrefixRows

END, START = 3, 0


def test_an_encoder_reads_the_first_part(bert_tokens: Tokens) -> None:
    stream = TokenStream(bert_tokens.train, END)
    rows, cuts = PrefixRows(stream, 40, START), set()
    for seed in range(30):
        batch = rows.batch(np.arange(4) * 40, np.random.default_rng(seed))
        source, targets = batch.inputs.source, batch.targets["next"]
        assert source is not None
        assert source.token_mask is None
        assert (source.ids[:, -1] == END).all()
        whole = torch.cat([source.ids[:, :-1], targets], 1)
        assert whole.tolist() == stream.take(40 * np.arange(4)[:, None] + np.arange(41)).tolist()
        assert (batch.inputs.ids[:, 0] == START).all()
        assert (batch.inputs.ids[:, 1:] == targets[:, :-1]).all()
        cuts.add(source.ids.shape[1] - 1)
    assert cuts == {8, 16, 24, 32}


def test_one_network_reads_both_parts(bert_tokens: Tokens) -> None:
    stream = TokenStream(bert_tokens.train, END)
    rows, cuts = PrefixRows(stream, 40, None), set()
    for seed in range(30):
        batch = rows.batch(np.arange(4) * 40, np.random.default_rng(seed))
        ids, targets = batch.inputs.ids, batch.targets["next"]
        assert (ids[:, 1:] == targets[:, :-1]).all()
        predicted, visible = batch.targets["hidden"], batch.inputs.visible
        if visible is None:
            assert batch.inputs.visibility == "causal"
            assert predicted.all()
            cuts.add(0)
            continue
        cut = 41 - int(predicted[0].sum())
        expected = [[j <= i or j < cut for j in range(40)] for i in range(40)]
        assert visible.tolist() == [expected] * 4
        assert predicted[:, cut - 1 :].all()
        cuts.add(cut)
    assert cuts == {0, 8, 16, 24, 32}


@pytest.mark.parametrize("start", [None, START])
@pytest.mark.parametrize("length", [2, 3, 9, 17])
def test_short_rows_have_something_to_predict(
    bert_tokens: Tokens, start: int | None, length: int
) -> None:
    rows = PrefixRows(TokenStream(bert_tokens.train, END), length, start)
    for seed in range(20):
        batch = rows.batch(np.arange(2), np.random.default_rng(seed))
        predicted = batch.targets["hidden"]
        assert predicted.any()
