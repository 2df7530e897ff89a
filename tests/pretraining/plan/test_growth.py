"""How work grows with a text, by a clock that the work itself moves."""

from __future__ import annotations

import pytest

from foretext.corpus import Corpus
from foretext.pretraining.plan.growth import Growth, affordable_bytes, measured_growth
from foretext.pretraining.plan.sample import CorpusSample


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> CorpusSample:
    path = tmp_path_factory.mktemp("text") / "long.txt"
    path.write_text("".join(f"{number:06} {'a' * 91}\n\n" for number in range(20_000)))
    return CorpusSample(Corpus(path), 1 << 20)


class Work:
    """Takes some seconds to begin, and some for each byte of a text."""

    def __init__(self, begin: float, per_byte: float) -> None:
        self.begin, self.per_byte, self.now = begin, per_byte, 0.0
        self.sizes: list[int] = []

    def __call__(self, text: CorpusSample) -> None:
        size = sum(map(len, text.texts))
        self.sizes.append(size)
        self.now += self.begin + self.per_byte * size

    def clock(self) -> float:
        return self.now


def test_quick_work_is_a_line_through_two_measurements(sample: CorpusSample) -> None:
    work = Work(0.05, 1e-7)
    growth = measured_growth(work, sample, timer=work.clock)
    assert growth.begin == pytest.approx(0.05)
    assert growth.per_byte == pytest.approx(1e-7)
    assert growth.seconds(1e8) == pytest.approx(10.05)
    assert work.sizes[0] < work.sizes[1] < work.sizes[2] == sample.num_bytes


def test_slow_work_is_measured_on_one_block(sample: CorpusSample) -> None:
    work = Work(0.0, 1e-5)
    growth = measured_growth(work, sample, most=2e6, workers=2, timer=work.clock)
    assert len(work.sizes) == 2  # a few documents, and the block
    assert growth.seconds(1e6) == pytest.approx(5.0)
    assert growth.seconds(1e9) == pytest.approx(10.0)  # it reads no more than `most`


def test_all_of_a_text_where_there_is_time_for_it() -> None:
    assert affordable_bytes([Growth(1.0, 1e-6)], 100.0, 5e6) == 5e6


def test_as_much_as_all_work_together_has_time_for() -> None:
    growths = [Growth(1.0, 1e-6), Growth(0.0, 2e-6, most=1e6), Growth(0.0, 3e-6)]
    found = affordable_bytes(growths, 23.0, 1e9)
    assert found == pytest.approx(5e6)  # (23 - 1 - 2) / (1e-6 + 3e-6)


def test_no_byte_where_beginning_takes_longer() -> None:
    assert affordable_bytes([Growth(2.0, 1e-6)], 1.0, 1e9) == pytest.approx(0.0, abs=1)
