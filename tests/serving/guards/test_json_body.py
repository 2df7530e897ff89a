"""JSON that no client should send."""

from __future__ import annotations

import json

import pytest

from foretext.serving.guards.json_body import MAX_DEPTH, OddJsonError, check_json


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "no JSON|not JSON"),
        (b'{"a": NaN}', "NaN"),
        (b"[-Infinity]", "-Infinity"),
        (b"1e999", "range of a double"),
        (b"9" * 5000, "thousands of digits"),
        (b'{"a": 1, "a": 1}', "same key twice"),
        (b'{"b": [{"a": 1, "a": 2}]}', "same key twice"),
        (b'"\\ud800"', "half a character"),
        (b'{"\\uDc00": 1}', "half a character"),
        (b'[["\\ud83d", 1]]', "half a character"),
        (b"\xff", "not UTF-8"),
        ('{"a": 1}'.encode("utf-16"), "not UTF-8"),
        (b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1), "within each other"),
        (b'{"a":' * 100_000, "within each other|values"),
        (b"[" + b"[]," * 2000 + b"[]]", "more than 1,000 values"),
        (b"[" + b"1," * 2000 + b"1]", "more than 1,000 values"),
        (b'{"a": "' + b"\\" * 10_001, "not JSON"),
    ],
)
def test_odd_json_is_refused_with_a_sentence(body: bytes, said: str) -> None:
    with pytest.raises(OddJsonError, match=said):
        check_json(body, 1000)


@pytest.mark.parametrize(
    "body",
    [
        b'{"inputs": "a text"}',
        b'"\\ud83d\\ude00"',  # both halves
        b"[" * MAX_DEPTH + b"]" * MAX_DEPTH,
        json.dumps({"inputs": '[{", \\" ,' * 5000}).encode(),  # marks inside a string
        '[1, 2.5e-3, null, true, "\u96e8"]'.encode(),
        json.dumps(["[[[[[", "\\", '"[']).encode(),
    ],
)
def test_plain_json_is_let_through(body: bytes) -> None:
    assert check_json(body, 1000) is None


def test_the_sentence_repeats_nothing_of_the_body() -> None:
    with pytest.raises(OddJsonError) as error:
        check_json(b'{"secret": secret}', 1000)
    assert "secret" not in str(error.value)
