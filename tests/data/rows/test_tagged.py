from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from typing import Any, Literal

import pytest

from foretext.base.errors import CorpusError, SettingError
from foretext.data.rows import TaggedConfig, read_tagged

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
        ("a O\nb\n", {}, "a.conll, line 2: 1 column where the other rows have 2; correct the row"),
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


UD = """# newdoc id = a
# text = du chat
1-2	du	_	_	_	_	_	_	_	_
1	de	de	ADP	E	_	3	case	_	_
2	le	le	DET	RD	_	3	det	_	_
2.1	vu	voir	VERB	V	_	_	_	_	_
3	chat	chat	NOUN	S	_	0	root	_	_

# text = 5
1	5	5	NUM	N	_	0	root	_	_
"""


def test_conllu_is_known_by_its_content(tmp_path: Path) -> None:
    path = written(tmp_path, UD)
    first, second = read_tagged(path)
    assert (first.tokens, first.tags) == (("de", "le", "chat"), ("ADP", "DET", "NOUN"))
    assert (first.lines, second.tokens) == ((4, 5, 7), ("5",))
    assert read_tagged(path, TaggedConfig(token=2, tag=4)) == [first, second]
    other, _ = read_tagged(path, TaggedConfig(token=3, tag=5, comment="#"))
    assert (other.tokens, other.tags) == (("de", "le", "chat"), ("E", "RD", "S"))
    untagged, _ = read_tagged(path, TaggedConfig(tag=None))
    assert (untagged.tokens, untagged.tags) == (("de", "le", "chat"), ())


def test_numbers_are_tokens_where_a_file_is_not_conllu(tmp_path: Path) -> None:
    (sentence,) = read_tagged(written(tmp_path, "1-2 B-X\n8.1 O\n"))
    assert sentence.tokens == ("1-2", "8.1")


def test_a_token_may_begin_like_a_comment(tmp_path: Path) -> None:
    text = "# id 7 of 9\n#storm B-X\nhits O\n# O\n# the end\n"
    (sentence,) = read_tagged(written(tmp_path, text), TaggedConfig(comment="#"))
    assert sentence.tokens == ("#storm", "hits", "#")
    assert sentence.tags == ("B-X", "O", "O")
    (alone,) = read_tagged(written(tmp_path, "#one O\n#two B-X\n"))  # hashtags alone
    assert alone.tokens == ("#one", "#two")


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("# id 1\nAda B-X\n", 1),  # MultiCoNER
        ("#\thttp://a.b [2009]\n1\tAda\tB-X\tO\n", 1),  # GermEval
        ("Ada\tO\n\n# sentence 2\nleft\tO\n", 3),
    ],
)
def test_comments_name_the_setting_that_reads_them(tmp_path: Path, text: str, number: int) -> None:
    path = written(tmp_path, text)
    remedy = r"if it is a comment, set rows.comment \(--set rows.comment=#\)"
    with pytest.raises(CorpusError, match=f"line {number}: .*; {remedy}"):
        read_tagged(path)
    assert "#" not in str([each.tokens for each in read_tagged(path, TaggedConfig(comment="#"))])


def test_the_first_token_says_what_separates_columns(tmp_path: Path) -> None:
    (sentence,) = read_tagged(written(tmp_path, "-DOCSTART- -X- O O\n\nnew york\tO\n"))
    assert sentence.tokens == ("new york",)
    (after,) = read_tagged(written(tmp_path, "-DOCSTART-\t(1)\n\nAda O\n"))
    assert (after.tokens, after.tags) == (("Ada",), ("O",))


def test_a_text_without_empty_lines_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "\n" + "a O\n" * 5000)
    with pytest.raises(CorpusError, match="line 2: a sentence of more than 4,096 tokens begins"):
        read_tagged(path)
    assert len(read_tagged(path, TaggedConfig(max_tokens=5000))[0].tokens) == 5000
    lines = in_lines(tmp_path, '{"tokens": ["a", "b", "c"], "tags": ["O", "O", "O"]}\n')
    with pytest.raises(CorpusError, match="line 1: a sentence of more than 2 tokens begins here"):
        read_tagged(lines, TaggedConfig(max_tokens=2))


def test_ids_of_classes_get_their_names(tmp_path: Path) -> None:
    names = TaggedConfig.checked({"tag_names": ["O", "B-PER"]}, "rows")
    line = '{"tokens": ["Ada", "left"], "pos_tags": [1, 2], "ner_tags": [1, 0]}\n'
    path = in_lines(tmp_path, line)
    assert read_tagged(path)[0].tags == ("1", "0")
    assert read_tagged(path, names)[0].tags == ("B-PER", "O")
    assert read_tagged(written(tmp_path, "Ada 1\nleft 0\n"), names)[0].tags == ("B-PER", "O")
    wrong = r"line 2: the tag '{}' is no number from 0 to 1, for which rows.tag_names has names"
    for tag in ("2", "O"):
        with pytest.raises(CorpusError, match=wrong.format(tag)):
            read_tagged(written(tmp_path, f"Ada 1\nleft {tag}\n"), names)


def test_lists_of_json_lines_are_chosen_by_name(tmp_path: Path) -> None:
    line = '{"words": ["Ada"], "pos_tags": ["N"], "chunks": ["B-NP"], "ner_tags": ["B-PER"]}\n'
    path = in_lines(tmp_path, line)
    assert read_tagged(path)[0].tags == ("B-PER",)  # before pos_tags
    assert read_tagged(path, TaggedConfig(tag="pos_tags"))[0].tags == ("N",)
    assert read_tagged(path, TaggedConfig(token="words", tag="chunks"))[0].tags == ("B-NP",)
    with pytest.raises(CorpusError, match=r"there is no column .pos_tag.,.*.pos_tags."):
        read_tagged(path, TaggedConfig(tag="pos_tag"))
    with pytest.raises(SettingError, match=r"tag = 'ner_tags': .*such as --tag 2\)"):
        read_tagged(written(tmp_path, "Ada B-PER\n"), TaggedConfig(tag="ner_tags"))


def test_json_lines_are_known_by_their_content(tmp_path: Path) -> None:
    path = tmp_path / "rows.txt"
    path.write_text('\n{"tokens": ["Ada"], "tags": ["O"]}\n', encoding="utf-8")
    assert read_tagged(path)[0].tokens == ("Ada",)
    path.write_text("{ O\n} O\n", encoding="utf-8")
    assert read_tagged(path)[0].tokens == ("{", "}")


@pytest.mark.quick_cases(1)
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
        ('{"tokens": ["a"], "tags": []}', "1 token and 0 tags; give a tag for each token"),
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


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_both_unicode_forms_are_one_tag(tmp_path: Path, form: Literal["NFC", "NFD"]) -> None:
    tag = unicodedata.normalize(form, "B-Caf\u00e9")
    columns, objects = tmp_path / "a.conll", tmp_path / "a.jsonl"
    columns.write_text(f"Ada {tag}\n")
    objects.write_text(json.dumps({"tokens": ["Ada"], "tags": [tag]}) + "\n")
    for path in (columns, objects):
        [row] = read_tagged(path)
        assert row.tags == ("B-Caf\u00e9",)
