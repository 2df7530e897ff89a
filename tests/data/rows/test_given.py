"""What a caller gives: lists, arrays, generators, and what is none of them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from foretext.base.errors import GivenError
from foretext.data.rows.given import given_elements


@pytest.mark.parametrize("error", [ValueError("row 3 of the file"), TypeError("None + 1")])
def test_an_error_inside_a_generator_is_that_of_its_owner(error: Exception) -> None:
    def texts() -> Iterator[str]:
        yield "a text"
        raise error

    with pytest.raises(type(error)) as found:
        given_elements(texts(), "texts")
    assert found.value is error


@pytest.mark.parametrize("given", [3, 2.5, object()])
def test_what_holds_nothing(given: object) -> None:
    with pytest.raises(GivenError, match="give a list, an array or a column"):
        given_elements(given, "texts")
