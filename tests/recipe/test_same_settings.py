from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from foretext.base.errors import SettingError
from foretext.recipe.same_settings import check_same


@pytest.mark.parametrize(
    ("kept", "given"),
    [(60, 60.0), (1, np.int64(1)), ([1, 2], (1, 2)), ({"a": 1}, {"a": 1.0}), (None, None)],
)
def test_equal_values_are_the_same_however_they_are_written(kept: Any, given: Any) -> None:
    check_same("runs/one", {"run": {"value": kept}}, {"run": {"value": given}})


@pytest.mark.parametrize(
    ("kept", "given", "said"),
    [
        ({"training": {"steps": 10}}, {"training": {"steps": 12}}, "training.steps = 10, not 12"),
        ({"training": {}}, {"training": {"steps": 3}}, "training.steps = None, not 3"),
        ({"budget": 60.0}, {"budget": 6.0}, "budget = 60.0, not 6.0"),
    ],
)
def test_the_first_difference_is_named_with_both_values(
    kept: dict[str, Any], given: dict[str, Any], said: str
) -> None:
    with pytest.raises(SettingError, match=f"runs/one began with {said}; resume with the same"):
        check_same("runs/one", kept, given)


def test_what_may_change_is_free_in_every_section() -> None:
    check_same("run", {"vectors": {"workers": 1}}, {"vectors": {"workers": 4}}, ("workers",))
