"""Speeds are those of the steps after the first ones, by whatever clock is given."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from foretext.data.token_file import Tokens
from foretext.pretraining.plan.stopwatch import MOST_STEPS, WARM_STEPS, measure_speed
from foretext.progress.run_context import RunContext
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.training.settings import TrainingConfig
from tests.networks import bert

CONFIG = TrainingConfig(batch_examples=4, learning_rate=1e-3)


class Clock:
    """Each look at it takes as long as the next of `steps` says."""

    def __init__(self, steps: Iterator[float]) -> None:
        self.steps = steps
        self.now = 0.0
        self.looks = 0

    def __call__(self) -> float:
        self.now += next(self.steps)
        self.looks += 1
        return self.now


def slow_at_first() -> Iterator[float]:
    yield from (100.0, 50.0)
    while True:
        yield from (1.0, 1.0, 1.0, 1.0, 9.0)  # another program's moment


@pytest.mark.parametrize(("seconds", "looks"), [(0.5, WARM_STEPS + 2), (4.0, WARM_STEPS + 4)])
def test_first_steps_do_not_count(
    wordpiece: SubwordTokenizer,
    bert_tokens: Tokens,
    tmp_path: Path,
    seconds: float,
    looks: int,
) -> None:
    model, clock = bert(wordpiece), Clock(slow_at_first())
    examples = model.objective.examples(bert_tokens.train)
    speed = measure_speed(model, examples, CONFIG, RunContext(tmp_path), seconds, clock)
    assert speed.step_seconds == 1.0
    assert speed.step_tokens == pytest.approx(4 * 24)
    assert speed.tokens_per_second == pytest.approx(4 * 24)
    assert clock.looks == looks


def test_it_ends_in_any_case(
    wordpiece: SubwordTokenizer, bert_tokens: Tokens, tmp_path: Path
) -> None:
    model, clock = bert(wordpiece), Clock(iter([1e-6] * 1000))
    examples = model.objective.examples(bert_tokens.train)
    measure_speed(model, examples, CONFIG, RunContext(tmp_path), 1.0, clock)
    assert clock.looks == MOST_STEPS
