"""Rows of BART: what is read is damaged, what is written is the text."""

from __future__ import annotations

import numpy as np
import pytest

from foretext.data.padded_examples import WIDTHS
from foretext.data.token_file import Tokens
from foretext.data.token_stream import TokenStream
from foretext.objectives.infilled_rows import Damage, InfilledRows

FIRST, END, MASK, PAD = 2, 3, 4, 0  # of the animals' tokenizer


def rows_of(tokens: Tokens, damage: Damage, length: int = 50) -> InfilledRows:
    return InfilledRows(TokenStream(tokens.train, END), length, damage, first=FIRST, pad=PAD)


@pytest.mark.parametrize("permutes", [False, True])
def test_the_target_is_the_text(bert_tokens: Tokens, permutes: bool) -> None:
    rows = rows_of(bert_tokens, Damage(0.3, 3.0, permutes, MASK))
    keys = np.arange(8) * 48
    batch = rows.batch(keys, np.random.default_rng(0))
    text = rows.stream.take(keys[:, None] + np.arange(48))
    target = batch.targets["next"].numpy()
    assert (target[:, 1:-1] == text).all()
    assert (target[:, 0] == FIRST).all()
    assert (target[:, -1] == END).all()
    read = batch.inputs.ids.numpy()
    assert (read[:, 0] == END).all()
    assert (read[:, 1:] == target[:, :-1]).all()


@pytest.mark.parametrize("permutes", [False, True])
def test_the_source_shows_what_is_not_hidden(bert_tokens: Tokens, permutes: bool) -> None:
    rows = rows_of(bert_tokens, Damage(0.3, 3.0, permutes, MASK))
    batch = rows.batch(np.arange(8) * 48, np.random.default_rng(0))
    source, hidden = batch.inputs.source, batch.targets["hidden"].numpy()
    assert source is not None
    assert source.ids.shape[1] % WIDTHS == 0
    assert not hidden[:, [0, -1]].any()
    assert (hidden.sum(1) == round(0.3 * 48)).all()
    assert source.token_mask is not None
    order_kept = True
    for row, real in enumerate(source.token_mask.numpy()):
        read = source.ids[row].numpy()
        assert (read[~real] == PAD).all()
        assert (read[real][0], read[real][-1]) == (FIRST, END)
        shown = read[real][1:-1]
        shown = shown[shown != MASK]
        expected = batch.targets["next"][row].numpy()[1:-1][~hidden[row, 1:-1]]
        assert sorted(shown.tolist()) == sorted(expected.tolist())
        order_kept &= shown.tolist() == expected.tolist()
    assert order_kept != permutes


def test_no_damage_is_a_copy(bert_tokens: Tokens) -> None:
    batch = rows_of(bert_tokens, Damage(0.0, 3.0, permutes=False, mask=MASK)).batch(
        np.arange(2) * 48, np.random.default_rng(0)
    )
    source = batch.inputs.source
    assert source is not None
    assert (source.ids[:, :50] == batch.targets["next"]).all()
    assert not batch.targets["hidden"].any()


@pytest.mark.parametrize(("length", "mean_span"), [(50, 0.2), (11, 0.1), (13, 3.0)])
def test_a_source_has_no_more_positions_than_are_read(
    bert_tokens: Tokens, length: int, mean_span: float
) -> None:
    """Spans of length 0 insert masks, and rows are filled up to a multiple of eight."""
    stream, damage = TokenStream(bert_tokens.train, END), Damage(0.3, mean_span, False, MASK)
    rows = InfilledRows(stream, length, damage, first=FIRST, pad=PAD, longest=length)
    batch = rows.batch(np.arange(16) * 8, np.random.default_rng(0))
    source, hidden = batch.inputs.source, batch.targets["hidden"].numpy()
    assert source is not None
    assert source.ids.shape[1] <= length
    assert length % WIDTHS
    for row in range(16):
        real = (
            source.ids[row]
            if source.token_mask is None
            else source.ids[row][source.token_mask[row]]
        )
        assert real[0] == FIRST
        assert real[-1] == END
        shown = [int(token) for token in real[1:-1] if token != MASK]
        text = batch.targets["next"][row, 1:-1].numpy()
        assert shown == text[~hidden[row, 1:-1]].tolist()
