"""Rows of a prefix and a text for one network, and sources beside rows for two."""

from __future__ import annotations

import numpy as np
import torch

from foretext.data.padded_examples import IGNORED, PaddedExamples, PrefixExamples, Ragged

X, PAD, MASK = IGNORED, 0, 1
ROWS = Ragged([[5, 6, 9, 7, 8], [5, 9, 7]])  # 9 ends the prefix
NEXT = Ragged([[X, X, 7, 8, 9], [X, 7, 9]])
LENGTHS = np.array([3, 2])
BOTH = np.array([0, 1])


def test_a_decoder_sees_what_is_left_of_each_position() -> None:
    batch = PrefixExamples(ROWS, NEXT, LENGTHS, pad=PAD, sees_prefix=False).batch(BOTH)
    assert batch.inputs.visibility == "causal"
    assert batch.inputs.visible is None
    assert batch.inputs.ids.tolist() == [[5, 6, 9, 7, 8], [5, 9, 7, PAD, PAD]]
    assert batch.targets["next"].tolist() == [[X, X, 7, 8, 9], [X, 7, 9, X, X]]


def test_a_prefix_sees_itself_as_a_whole_and_the_text_what_is_left_of_it() -> None:
    examples = PrefixExamples(ROWS, NEXT, LENGTHS, pad=PAD, sees_prefix=True, segments=(4, 6))
    inputs = examples.batch(BOTH).inputs
    assert inputs.visibility == "matrix"
    assert inputs.visible is not None
    assert inputs.visible[0].int().tolist() == [
        [1, 1, 1, 0, 0],
        [1, 1, 1, 0, 0],
        [1, 1, 1, 0, 0],
        [1, 1, 1, 1, 0],
        [1, 1, 1, 1, 1],
    ]
    assert inputs.visible[1, 0].int().tolist() == [1, 1, 0, 0, 0]
    assert inputs.segments is not None
    assert inputs.segments.tolist() == [[4, 4, 4, 6, 6], [4, 4, 6, 6, 6]]


def test_tokens_that_are_hidden_are_those_that_are_predicted() -> None:
    right = Ragged([[X, X, X, 7, 8], [X, X, 7]])
    examples = PrefixExamples(ROWS, right, LENGTHS, pad=PAD, sees_prefix=True, mask=MASK)
    hidden = 0
    for seed in range(200):
        batch = examples.batch(BOTH, np.random.default_rng(seed))
        ids, targets = batch.inputs.ids, batch.targets["next"]
        asked = targets != IGNORED
        assert torch.equal(asked, ids == MASK)
        assert asked.any(1).all()
        assert not asked[0, :3].any()
        assert set(targets[asked].tolist()) <= {7, 8}
        hidden += int(asked[0].sum())
    assert 1.3 < hidden / 200 < 1.7  # 0.7 of two, and one at least: 1.49


def test_a_process_hides_in_its_rows_what_the_whole_batch_hides_there() -> None:
    """Although its rows are padded less: the numbers of a row do not depend on its padding."""
    texts = np.random.default_rng(0).integers(5, 9, (30, 12))
    lengths = 3 + np.arange(30) % 10
    rows = Ragged([text[:length] for text, length in zip(texts, lengths, strict=True)])
    right = Ragged([[X, *rows[row][1:]] for row in range(30)])
    of_prefix = np.ones(30, np.int64)
    examples = PrefixExamples(rows, right, of_prefix, pad=PAD, sees_prefix=True, mask=MASK)
    whole = examples.batch(np.arange(30), np.random.default_rng(1))
    for share in (range(7), range(7, 9), range(9, 30), range(30)):
        part = examples.part(np.arange(30), share, np.random.default_rng(1))
        ours, theirs = part.rows(0, len(part)), whole.rows(share.start, share.stop)
        assert torch.equal(ours.inputs.ids, theirs.inputs.ids)
        assert torch.equal(ours.targets["next"], theirs.targets["next"])


def test_sources_stand_beside_the_rows_that_follow_them() -> None:
    sources = Ragged([[3, 4], [3, 4, 5, 6, 7, 8, 9]])
    examples = PaddedExamples(ROWS, {"next": NEXT}, pad=PAD, visibility="causal", sources=sources)
    assert examples.lengths(BOTH).tolist() == [7, 10]
    inputs = examples.batch(BOTH).inputs
    assert inputs.source is not None
    assert inputs.source.ids.tolist() == [[3, 4, 0, 0, 0, 0, 0], [3, 4, 5, 6, 7, 8, 9]]
    assert inputs.source.token_mask is not None
    assert inputs.source.token_mask.sum(1).tolist() == [2, 7]
    assert inputs.num_tokens == 17
    assert examples.batch(np.array([1])).inputs.source.token_mask is None  # type: ignore[union-attr]
