"""T5's objective: sentinels, gaps, and what is refused."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from foretext.base.errors import SettingError
from foretext.corpus import Corpus
from foretext.data.token_file import Tokens
from foretext.data.token_stream import TokenStream
from foretext.data.token_writer import write_tokens
from foretext.objectives.span_corruption import (
    SpanCorruption,
    SpanCounts,
    SpanRows,
    cut_out,
    hide_spans,
    random_segments,
)
from foretext.training.model import Model
from tests.sequence_networks import NUM_SENTINELS, model_of, tokenizer_of

WORDS = ["Thank", "you", "for", "inviting", "me", "to", "your", "party", "last", "week", "."]
X, Y, END = 200, 201, 3  # no ids of the animals
SENTINELS = tuple(range(200, 210))


@pytest.fixture(scope="module")
def t5(animal_text: Path) -> Model[SpanCorruption]:
    return model_of("span_corruption", tokenizer_of("span_corruption", animal_text))


def test_sources_are_packed_to_the_length_of_a_row(t5: Model[SpanCorruption]) -> None:
    assert t5.objective.row_counts().source_length == t5.objective.row_length == 32


def test_a_vocabulary_without_sentinels_is_refused(
    t5: Model[SpanCorruption], animal_text: Path
) -> None:
    tokenizer = tokenizer_of("prefix_lm", animal_text)
    config = SpanCorruption.Config(row_length=64)
    objective = SpanCorruption(config, t5.backbone, tokenizer)  # to be used it needs none
    with pytest.raises(SettingError) as error:
        Model(t5.backbone, objective)
    assert str(error.value) == (
        "A row of 64 tokens has 3 hidden spans, and the tokenizer has 0 sentinels "
        "(<extra_id_0>, <extra_id_1>, ...); set tokenizer.num_sentinels = 3 or more, or take "
        "shorter rows (objective.row_length)."
    )


def test_a_text_shorter_than_a_row_is_one_row(
    t5: Model[SpanCorruption], tmp_path: Path, animal_text: Path
) -> None:
    (tmp_path / "short.txt").write_text("the dog barks again .\n", encoding="utf-8")
    tokenizer = tokenizer_of("span_corruption", animal_text)
    tokens = write_tokens(Corpus(tmp_path / "short.txt"), tokenizer, tmp_path / "ids")
    examples = t5.objective.examples(tokens.train)
    rng = np.random.default_rng(0)
    batch = examples.batch(examples.keys(rng), rng)
    assert len(batch) == 1
    assert batch.targets["hidden"].any()


def test_gaps_are_sentinels_and_spans_are_written_in_order(t5: Model[SpanCorruption]) -> None:
    first, second, third = t5.objective.tokenizer.special.sentinels[:3]
    start, end = t5.objective.start, t5.objective.end
    pieces = [[20, 21], [22], []]
    gap = t5.objective.gap(pieces, [])
    assert gap.reading.source == (20, 21, first, 22, second, end)
    assert gap.reading.opening == (start, first)
    assert gap.ends == (second, end)
    gap = t5.objective.gap(pieces, [[30, 31]])
    assert gap.reading.source == (20, 21, first, 22, second, end)
    assert gap.reading.opening == (start, first, 30, 31, second)
    assert gap.ends == (third, end)


def test_the_last_sentinel_is_followed_by_the_end(t5: Model[SpanCorruption]) -> None:
    gap = t5.objective.gap([[20]] * (NUM_SENTINELS + 1), [[30]] * (NUM_SENTINELS - 1))
    assert gap.ends == (t5.objective.end,)
    with pytest.raises(SettingError, match="13 masks, and the tokenizer has 12 sentinels"):
        t5.objective.gap([[20]] * (NUM_SENTINELS + 2), [])


def test_a_text_is_written_after_its_source(t5: Model[SpanCorruption]) -> None:
    reading = t5.objective.reading([20, 21])
    assert reading.source == (20, 21, t5.objective.end)
    assert reading.opening == (t5.objective.tokenizer.special.pad,)


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


def test_the_papers_rows() -> None:
    """512 tokens, 15 %, mean 3: `random_spans_helper` gives 568 tokens, and 114 of a target."""
    counts = SpanCounts.packed(512, 0.15, 3.0)
    assert counts == SpanCounts(tokens=568, hidden=85, spans=28)
    assert (counts.source_length, counts.target_length) == (512, 114)


@pytest.mark.parametrize(("rate", "mean"), [(0.15, 3.0), (0.5, 1.0), (0.5, 3.0), (0.9, 10.0)])
def test_packed_rows_are_as_long_as_they_can_be(rate: float, mean: float) -> None:
    for length in range(3, 200):
        counts = SpanCounts.packed(length, rate, mean)
        assert counts.source_length <= length
        assert SpanCounts.of(counts.tokens + 1, rate, mean).source_length > length
        assert 1 <= counts.spans <= min(counts.hidden, counts.tokens - counts.hidden)


def test_every_division_is_as_likely_as_any_other() -> None:
    """Five items in three segments: six divisions."""
    drawn = random_segments(5, 3, 6_000, np.random.default_rng(0))
    found = Counter(map(tuple, drawn.tolist()))
    assert set(found) == {(1, 1, 3), (1, 3, 1), (3, 1, 1), (1, 2, 2), (2, 1, 2), (2, 2, 1)}
    assert min(found.values()) > 900


@pytest.mark.parametrize(("items", "segments"), [(1, 1), (7, 1), (7, 7), (40, 6)])
def test_segments_hold_all_items(items: int, segments: int) -> None:
    drawn = random_segments(items, segments, 50, np.random.default_rng(1))
    assert drawn.shape == (50, segments)
    assert (drawn >= 1).all()
    assert (drawn.sum(1) == items).all()


def test_hidden_spans_have_their_numbers() -> None:
    counts = SpanCounts.packed(64, 0.15, 3.0)
    hidden, spans = hide_spans(counts, 40, np.random.default_rng(2))
    assert (hidden.sum(1) == counts.hidden).all()
    assert not hidden[:, 0].any()
    assert hidden[:, -1].all()
    for row, numbers in zip(hidden, spans, strict=True):
        begins = np.flatnonzero(np.diff(row.astype(int), prepend=0) == 1)
        assert len(begins) == counts.spans
        assert numbers[begins].tolist() == list(range(counts.spans))
    assert len({tuple(row) for row in hidden.tolist()}) == 40


def test_the_mean_length_is_the_papers() -> None:
    counts = SpanCounts.packed(512, 0.15, 3.0)
    hidden, _ = hide_spans(counts, 64, np.random.default_rng(3))
    assert hidden.mean() == pytest.approx(0.15, abs=0.001)
    assert counts.hidden / counts.spans == pytest.approx(3.0, abs=0.05)
    assert abs(hidden[:, 1:-3].mean(0) - 0.15).mean() < 0.06  # of 64 rows each: no place preferred
