"""Pairs in the JSON lines of sentence-transformers and FlagEmbedding."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from foretext.base.errors import CorpusError
from foretext.data.rows import read_sentences


def rows_of(path: Path, text: str) -> list[tuple[object, ...]]:
    path.write_text(text, encoding="utf-8")
    return [row[:4] for row in read_sentences(path)]


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.txt", "rows.json"])
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('["where is it", "it is here"]', [("where is it", "it is here", None, None)]),
        ('["a", "b", "not b"]', [("a", "b", "not b", None)]),
        ('["a", "b", 0.5]', [("a", "b", None, 0.5)]),
        ('{"set": ["a", "b", "c"]}', [("a", "b", None, None), ("b", "c", None, None)]),
        (
            '{"query": "q", "pos": ["p"], "neg": ["n", "m"]}',
            [("q", "p", "n", None), ("q", "p", "m", None)],
        ),
        (
            '{"query": "q", "pos": ["p", "r"], "neg": ["n"], "pos_scores": [1, 1], "prompt": "x"}',
            [("q", "p", "n", None), ("q", "r", "n", None)],
        ),
        (
            '{"query": "q", "pos": ["p", "r"]}',
            [("q", "p", None, None), ("q", "r", None, None)],
        ),
        ('{"query": "q", "pos": ["p"], "neg": []}', [("q", "p", None, None)]),
        ('{"anchor": "a", "positive": "b", "negative": "c"}', [("a", "b", "c", None)]),
        ('{"sentence1": "a", "sentence2": "b", "score": 0.3}', [("a", "b", None, 0.3)]),
    ],
)
def test_each_form(
    tmp_path: Path, name: str, line: str, expected: list[tuple[object, ...]]
) -> None:
    assert rows_of(tmp_path / name, f"\n{line}\n{line}\n") == expected * 2


@pytest.mark.parametrize(
    ("second", "cause"),
    [
        ('["a"]', "an array of 1 values; two texts are expected"),
        ('["a", 3]', "'text_b' holds a number where text is expected"),
        ('"a"', "a string that is no pair, where the first line has one"),
        ('{"text": "a"}', "an object that is no pair"),
        ('{"set": ["a"]}', "a set has one text; two or more belong together"),
        ('{"query": "q", "pos": []}', "'pos' holds no text; a query needs a right passage"),
        ('{"query": "q", "pos": "p"}', "'pos' holds a string where an array is expected"),
        ('["a", "b", "c"]', "the row is one of triples, and those before it are pairs"),
        ('["a", ""]', "'text_b' is empty"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, second: str, cause: str) -> None:
    with pytest.raises(CorpusError, match=rf"rows.jsonl(:|, line )2.*{cause}"):
        rows_of(tmp_path / "rows.jsonl", f'["a", "b"]\n{second}\n')


@pytest.mark.parametrize("text", ['["one text"]', "[a, b]", '["a", "b'])
def test_texts_may_look_like_arrays(tmp_path: Path, text: str) -> None:
    assert rows_of(tmp_path / "rows.txt", f"{text}\nother\n")[0][0] == text


@pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed")
def test_the_advice_for_arrays_gives_rows(tmp_path: Path) -> None:
    from foretext.data.rows import PairsConfig, read_pairs

    path = tmp_path / "rows.jsonl"
    path.write_text('["a", "b"]\n["c", "d"]\n', encoding="utf-8")
    with pytest.raises(CorpusError, match="a JSON array, where one object a line is exp") as caught:
        read_pairs(path)
    program = str(caught.value).split("`jq -c '")[1].split("'`")[0]
    out = subprocess.run(["jq", "-c", program, path], capture_output=True, text=True, check=True)
    path.write_text(out.stdout, encoding="utf-8")
    config = PairsConfig(label=None)
    assert [row.text_a for row in read_pairs(path, config)] == ["a", "c"]


def test_an_array_of_objects_is_a_file_of_rows(tmp_path: Path) -> None:
    from foretext.data.rows import read_pairs

    path = tmp_path / "rows.jsonl"
    for text in (
        '[{"text_a": "a", "text_b": "b", "label": "x"}]\n',
        '[\n{"text_a": "a",\n"text_b": "b", "label": "x"}\n]',
    ):
        path.write_text(text, encoding="utf-8")
        (row,) = read_pairs(path)
        assert (row.text_a, row.text_b, row.labels) == ("a", "b", ("x",))
