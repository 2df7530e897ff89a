from __future__ import annotations

import pytest

from foretext.base.errors import SettingError
from foretext.pretraining.plan.times import Closing, training_seconds


def test_the_page_takes_a_quarter_of_a_budget_at_most() -> None:
    found = [Closing.fitting(budget, page=True, word_map=True) for budget in (2.0, 5.0, 8.0)]
    assert found == [Closing(), Closing(page=True), Closing(page=True, word_map=True)]


def test_what_is_not_wanted_takes_no_time() -> None:
    assert Closing.fitting(60.0, page=False, word_map=True) == Closing()
    assert Closing.fitting(60.0, page=True, word_map=False) == Closing(page=True)
    assert Closing().seconds() < Closing(page=True).seconds() < Closing(True, True).seconds()


def test_a_slow_machine_closes_slowly() -> None:
    assert Closing(page=True).seconds(pace=3.0) == 3 * Closing(page=True).seconds()


def test_the_training_gets_what_is_left() -> None:
    assert training_seconds(100.0, used=30.0, closing=5.0) == 65.0


def test_too_little_is_refused_with_the_least_that_fits() -> None:
    with pytest.raises(
        SettingError, match=r"A budget of 8 s .* about 7\.5 s here; give --budget 20s"
    ):
        training_seconds(8.0, used=6.5, closing=1.0)
    assert training_seconds(20.0, used=6.5, closing=1.0) > 10
