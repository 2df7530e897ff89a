from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from foretext.data.rows import TaggedConfig, read_tagged
from foretext.errors import CorpusError, SettingError

CONLL = """-DOCSTART- -X- O O

EU NNP I-NP I-ORG
rejects  VBZ I-VP O


. . O O
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "a.conll"
    path.write_text(text, encoding="utf-8")
    return path


def test_columns_of_conll(tmp_path: Path) -> None:
    path = written(tmp_path, CONLL)
    first, second = read_tagged(path)
    assert first.tokens == ("EU", "rejects")
    assert first.tags == ("I-ORG", "O")
    assert first.lines == (3, 4)
    assert second.place == f"{path}:7"


@pytest.mark.parametrize("end", ["\r", "\r\n"])
def test_line_ends_of_other_systems(tmp_path: Path, end: str) -> None:
    (tmp_path / "b.conll").write_bytes(CONLL.replace("\n", end).encode())
    assert [row.tokens for row in read_tagged(tmp_path / "b.conll")] == [
        row.tokens for row in read_tagged(written(tmp_path, CONLL))
    ]


def test_columns_are_chosen_by_number(tmp_path: Path) -> None:
    sentences = read_tagged(written(tmp_path, CONLL), TaggedConfig(token=1, tag=2))
    assert [sentence.tags for sentence in sentences] == [("NNP", "VBZ"), (".",)]


def test_tokens_without_tags(tmp_path: Path) -> None:
    (sentence,) = read_tagged(written(tmp_path, "a\nb\n"), TaggedConfig(tag=None))
    assert (sentence.tokens, sentence.tags) == (("a", "b"), ())


def test_a_wide_blank_is_a_token(tmp_path: Path) -> None:
    (by_tab,) = read_tagged(written(tmp_path, "\u3000\tO\n \tO\n"))
    (by_blank,) = read_tagged(written(tmp_path, "\u3000 O\n\xa0 O\n"))
    assert by_tab.tokens == ("\u3000", " ")
    assert by_blank.tokens == ("\u3000", "\xa0")


def test_other_separators_and_comments(tmp_path: Path) -> None:
    path = written(tmp_path, "# id 1\na|X\n\n# id 2\nb|Y\n")
    sentences = read_tagged(path, TaggedConfig(separator="|", comment="# "))
    assert [sentence.tags for sentence in sentences] == [("X",), ("Y",)]


@pytest.mark.parametrize(
    ("text", "settings", "sentence"),
    [
        ("a O\nb\n", {}, "a.conll, line 2: 1 columns where the first row has 2; correct the row"),
        (
            "a\n",
            {},
            "a.conll, line 1: there is no column 2, the row has 1: 'a'; set --token, --tag or",
        ),
        ("a O\n", {"tag": 4}, "a.conll, line 1: there is no column 4, the row has 2"),
        ("a\tO\n\tO\n", {}, "a.conll, line 2: the token is empty."),
        ("a\tO\nb\t\n", {}, "a.conll, line 2: the tag is empty."),
        ("\n-DOCSTART- O\n", {}, "a.conll has no sentences; give a file with a token and its tag"),
    ],
)
def test_a_wrong_row_is_named(
    tmp_path: Path, text: str, settings: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(CorpusError) as caught:
        read_tagged(written(tmp_path, text), TaggedConfig(**settings))
    assert sentence in str(caught.value)


def test_one_column_cannot_be_both() -> None:
    with pytest.raises(SettingError, match="token and tag are the same column"):
        TaggedConfig.checked({"token": 2, "tag": 2}, "rows")


def test_an_unknown_encoding_is_refused() -> None:
    with pytest.raises(SettingError, match="encoding = 'utf-9': Python knows no such"):
        TaggedConfig.checked({"encoding": "utf-9"}, "rows")


@pytest.mark.shared_data
@pytest.mark.parametrize(
    ("name", "sentences", "tokens"),
    [("conll2003/eng.train.xz", 14_041, 203_621), ("conll2003/eng.testb", 3_453, 46_435)],
)
def test_public_files(shared_data: Path, name: str, sentences: int, tokens: int) -> None:
    found = read_tagged(shared_data / name)
    assert (len(found), sum(len(each.tokens) for each in found)) == (sentences, tokens)


def in_lines(folder: Path, text: str) -> Path:
    path = folder / "a.jsonl"
    path.write_text(text, encoding="utf-8")
    return path


def test_json_lines_of_tokens_and_tags(tmp_path: Path) -> None:
    path = in_lines(
        tmp_path,
        '{"tokens": ["New", "York"], "ner_tags": ["B", "I"]}\n\n'
        '{"tokens": [], "tags": []}\n{"tokens": ["a b"], "tags": [7]}\n',
    )
    first, second = read_tagged(path)
    assert (first.tokens, first.tags, first.lines) == (("New", "York"), ("B", "I"), (1, 1))
    assert (second.tokens, second.tags, second.place) == (("a b",), ("7",), f"{path}:4")
    (untagged,) = read_tagged(in_lines(tmp_path, '{"tokens": ["a"]}\n'), TaggedConfig(tag=None))
    assert untagged.tags == ()


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ('{"tokens": ["a"], "tags": []}', "1 tokens and 0 tags; give a tag for each token"),
        ('{"tokens": "a", "tags": ["O"]}', "'tokens' holds a string where an array is expected"),
        ('{"tokens": [3], "tags": ["O"]}', "a token is a number; write it as text"),
        ('{"tokens": [""], "tags": ["O"]}', "a token is empty or holds a line end"),
        ('{"tokens": ["a"], "tags": [null]}', "the label is empty"),
        ('{"tokens": ["a"]}', "there is no column 'tags', only 'tokens'"),
        ('{"tokens": ["\\ud83d"], "tags": ["O"]}', "half of a surrogate pair"),
        ("a O", "this is not JSON"),
    ],
)
def test_a_wrong_json_line_is_named(tmp_path: Path, line: str, sentence: str) -> None:
    with pytest.raises(CorpusError, match=f"a.jsonl, line 1: .*{sentence}"):
        read_tagged(in_lines(tmp_path, f"{line}\n"))


def test_columns_have_no_effect_on_json_lines(tmp_path: Path) -> None:
    path = in_lines(tmp_path, '{"tokens": ["a"], "tags": ["O"]}\n')
    with pytest.raises(SettingError, match=r"separator has no effect on .*a.jsonl"):
        read_tagged(path, TaggedConfig(separator="|"))
