"""Rows of T5 against the example of the paper's figure 2, and put together again."""

from __future__ import annotations

import numpy as np

from foretext.data.token_file import Tokens
from foretext.data.token_stream import TokenStream
from foretext.objectives.span_rows import SpanRows, cut_out
from foretext.objectives.spans import SpanCounts

WORDS = ["Thank", "you", "for", "inviting", "me", "to", "your", "party", "last", "week", "."]
X, Y, END = 200, 201, 3  # no ids of the animals
SENTINELS = tuple(range(200, 210))


def test_the_papers_example() -> None:
    """Figure 2: "for inviting" and "last" are cut out; the target ends without a third sentinel."""
    text = np.arange(10, 10 + len(WORDS))[None]
    hidden = np.array([[word in ("for", "inviting", "last") for word in WORDS]])
    sentinels = np.array([[X] * 4 + [Y] * 7])
    source, target = cut_out(text, hidden, sentinels, END)
    named = {**dict(enumerate(WORDS, 10)), X: "<X>", Y: "<Y>", END: "</s>"}
    read, written = (" ".join(named[i] for i in row[0].tolist()) for row in (source, target))
    assert read == "Thank you <X> me to your party <Y> week . </s>"
    assert written == "<X> for inviting <Y> last </s>"


def put_together(source: list[int], target: list[int]) -> list[int]:
    """The text, from a source and its target."""
    assert source.pop() == target.pop() == END
    spans: dict[int, list[int]] = {}
    for token in target:
        if token in SENTINELS:
            spans[token] = []
            span = spans[token]
        else:
            span.append(token)
    assert all(spans.values())
    assert list(spans) == list(SENTINELS[: len(spans)])  # in order, each once
    assert [token for token in source if token in SENTINELS] == list(spans)
    return [token for each in source for token in spans.get(each, [each])]


def test_source_and_target_are_the_text(bert_tokens: Tokens) -> None:
    stream = TokenStream(bert_tokens.train, END)
    counts = SpanCounts.packed(64, 0.15, 3.0)
    rows = SpanRows(stream, counts, SENTINELS, start=0)
    keys = rows.keys(np.random.default_rng(0))[:16]
    batch = rows.batch(keys, np.random.default_rng(1))
    source, targets = batch.inputs.source, batch.targets["next"]
    assert source is not None
    assert source.token_mask is None  # no row is padded
    assert source.ids.shape == (16, 64) == (16, counts.source_length)
    assert targets.shape == (16, counts.target_length)
    for key, read, written in zip(keys, source.ids.tolist(), targets.tolist(), strict=True):
        text = stream.take(key + np.arange(counts.tokens)).tolist()
        assert put_together(read, written) == text
    assert (batch.inputs.ids[:, 0] == 0).all()
    assert (batch.inputs.ids[:, 1:] == targets[:, :-1]).all()


def test_a_batch_is_a_function_of_keys_and_numbers(bert_tokens: Tokens) -> None:
    rows = SpanRows(
        TokenStream(bert_tokens.train, END), SpanCounts.packed(32, 0.15, 3.0), SENTINELS, start=0
    )
    keys = rows.keys(np.random.default_rng(0))[:4]
    first, again, other = (
        rows.batch(keys, np.random.default_rng(seed)).targets["next"] for seed in (1, 1, 2)
    )
    assert (first == again).all()
    assert (first != other).any()
