from __future__ import annotations

import pytest

from foretext.base.parsing.json_file import json_value


def test_values_of_any_type() -> None:
    assert json_value('{"a": [1, 2.5, null, "\\ud83d"]}') == {"a": [1, 2.5, None, "\ud83d"]}
    assert json_value("3") == 3


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ('{"a": ', "Expecting value"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a":' * 100_000, "nested too deeply"),
        ("1" * 5000, "a number has thousands of digits"),
    ],
)
def test_what_is_no_json_is_a_value_error(text: str, cause: str) -> None:
    with pytest.raises(ValueError, match=cause):
        json_value(text)
