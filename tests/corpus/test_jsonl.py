from __future__ import annotations

import pytest

from foretext.base.errors import CorpusError
from foretext.corpus.jsonl import jsonl_rows


def rows(text: str, column: str = "text") -> list[str]:
    return list(jsonl_rows([text], column, "a.jsonl"))


def test_rows() -> None:
    text = '{"text": "one\\ntwo"}\r\n\n{"text": null}\n{"id": 1, "text": "\\ud83d\\ude00"}'
    assert rows(text) == ["one\ntwo", "", "😀"]
    assert rows('{"body": "x"}', "body") == ["x"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('{"text": "a"}\n{"text": "b"\n', "a.jsonl, line 2: this is not JSON (Expecting ','"),
        ("[" * 100_000, "a.jsonl, line 1: the file contains one JSON array"),
        ('[{"text": "a"},\n', "a.jsonl, line 1: the file contains one JSON array, not one object"),
        ('{"text": "a"}\n["b"]', 'line 2: this is a JSON array, but an object such as {"text"'),
        ('{"text": "a"}\n3', "line 2: this is a JSON number"),
        ('{"txt": "a"}', "line 1: there is no column 'text', only 'txt'. Did you mean 'txt'?"),
        ('{"body": "a"}', "only 'body'. Name one of them with column (--column)."),
        ("{}", "there is no column 'text', only none."),
        ('{"text": 5}', "line 1: 'text' is a JSON number, not text"),
        ('{"text": {"a": 1}}', "line 1: 'text' is a JSON object, not text"),
        ('{"text": "\\ud83d"}', "line 1: 'text' contains half of a surrogate pair"),
    ],
)
def test_broken_lines_are_named(text: str, sentence: str) -> None:
    with pytest.raises(CorpusError) as caught:
        rows(text)
    assert sentence in str(caught.value)
