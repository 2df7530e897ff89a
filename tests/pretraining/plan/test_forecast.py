"""The forecast behaves as the papers it is made of say."""

from __future__ import annotations

import pytest

from foretext.base.errors import SettingError
from foretext.objectives import OBJECTIVES
from foretext.pretraining.plan.forecast import expected_loss

LARGE = 1e12


@pytest.mark.parametrize("law", ["masked", "causal"])
def test_more_weights_and_more_tokens_help(law: str) -> None:
    base = expected_loss(law, 1e6, 1e8, LARGE)
    assert expected_loss(law, 1e7, 1e8, LARGE) < base
    assert expected_loss(law, 1e6, 1e9, LARGE) < base


def test_four_epochs_are_nearly_as_good_as_four_texts() -> None:
    once, walked, fresh = (
        expected_loss("masked", 1e5, tokens, text)
        for tokens, text in ((1e7, 1e7), (4e7, 1e7), (4e7, 4e7))
    )
    assert (walked - fresh) / (once - fresh) < 0.15


def test_after_forty_epochs_little_is_left() -> None:
    by_epochs = [expected_loss("masked", 1e5, epochs * 1e7, 1e7) for epochs in (1, 40, 80)]
    assert by_epochs[1] - by_epochs[2] < 0.1 * (by_epochs[0] - by_epochs[1])


def test_weights_beyond_what_a_text_can_fill_are_worth_little() -> None:
    gains = [
        expected_loss("masked", 1e6, 1e7, text) - expected_loss("masked", 1e9, 1e7, text)
        for text in (1e5, 1e9)
    ]
    assert 0 <= gains[0] < gains[1]


@pytest.mark.parametrize("name", OBJECTIVES)
def test_every_law_that_an_objective_of_ours_names_is_there(name: str) -> None:
    law = OBJECTIVES.resolve(name).loss_law
    if law is None:  # a plan then gives no forecast
        assert name not in ("masked_lm", "causal_lm")
    else:
        assert expected_loss(law, 1e6, 1e8, LARGE) > 1


def test_a_law_that_there_is_not_is_refused() -> None:
    with pytest.raises(SettingError, match=r"loss_law = 'spans'; choose one of masked, causal"):
        expected_loss("spans", 1e6, 1e8, LARGE)
