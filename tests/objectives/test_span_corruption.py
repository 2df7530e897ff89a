"""T5's objective: sentinels, gaps, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from foretext.base.errors import SettingError
from foretext.corpus import Corpus
from foretext.data.token_writer import write_tokens
from foretext.objectives.span_corruption import SpanCorruption
from foretext.training.model import Model
from tests.sequence_networks import NUM_SENTINELS, model_of, tokenizer_of


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
