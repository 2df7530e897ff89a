from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foretext.base.errors import CorpusError
from foretext.cleaning.decontamination import SHORTEST, TEST_GRAM, Overlap, TestTexts, file_texts
from foretext.cleaning.signatures import split_text
from foretext.corpus.sources import find_sources
from tests.cleaning.paragraphs import paragraph

WORDS = st.lists(st.sampled_from("ab"), max_size=30)
SENTENCE = "when the ships came home that winter nobody in the small harbour town was waiting"


def known_tests(*texts: str) -> TestTexts:
    return TestTexts((f"test.txt, line {number}", text) for number, text in enumerate(texts, 1))


def plain_overlap(tests: list[str], text: str) -> tuple[str, float] | None:
    """The twin: n-grams as tuples."""
    wanted = set()
    for words in map(split_text, tests):
        if len(words) >= SHORTEST:
            n = min(len(words), TEST_GRAM)
            wanted |= {tuple(words[at : at + n]) for at in range(len(words) - n + 1)}
    words = split_text(text)
    covered: set[int] = set()
    first = None
    for at in range(len(words)):
        for n in range(SHORTEST, TEST_GRAM + 1):
            gram = tuple(words[at : at + n])
            if len(gram) == n and gram in wanted:
                covered |= {*range(at, at + n)}
                first = first or " ".join(gram)
    return (first, len(covered) / len(words)) if first else None


@given(tests=st.lists(WORDS, min_size=1, max_size=4), documents=st.lists(WORDS, max_size=5))
def test_overlaps_are_those_of_sets_of_words(
    tests: list[list[str]], documents: list[list[str]]
) -> None:
    texts, corpus = [" ".join(each) for each in tests], [" ".join(each) for each in documents]
    known = known_tests("c " * 8, *texts)
    found = [each and (each.words, each.rate) for each in known.overlaps(corpus)]
    assert found == [plain_overlap(texts, text) for text in corpus]


def test_an_overlap_by_hand() -> None:
    """The sentence has 15 words, of which the document repeats 14, and has 4 more."""
    known = known_tests("too short", SENTENCE)
    assert (known.num_texts, known.num_short) == (1, 1)
    shared = SENTENCE.removesuffix(" waiting")
    found = known.overlap(f"I know: {shared.upper()}, working hard.")
    expected = " ".join(SENTENCE.split()[:13])
    assert found == Overlap("test.txt, line 2", expected, pytest.approx(14 / 18))


def test_twelve_shared_words_are_none() -> None:
    known = known_tests(SENTENCE)
    words = SENTENCE.split()
    assert known.overlap(" ".join(words[:12])) is None
    assert known.overlap(" ".join([*words[:12], "else", *words[3:]])) is None
    assert known.overlap(" ".join(words[2:])) is not None


def test_a_short_text_of_a_test_is_found_as_a_whole() -> None:
    known = known_tests("what is the capital city of the country france")
    assert known.overlap("They asked: what is the capital city of the country France?") == Overlap(
        "test.txt, line 1", "what is the capital city of the country france", 9 / 11
    )
    assert known.overlap("what is the capital city of the country") is None


def test_chinese_is_found_by_characters() -> None:
    known = known_tests("北京大学创办于一八九八年是中国近现代第一所国立综合性大学")
    found = known.overlap("据说，北京大学创办于一八九八年，是中国很好的大学。")
    assert found is not None
    assert found.words.replace(" ", "") == "北京大学创办于一八九八年是"
    assert known.overlap("北京大学创办于一八九九年，是中国近现代第一") is None


def test_documents_do_not_run_into_each_other() -> None:
    words = SENTENCE.split()
    known = known_tests(SENTENCE)
    assert known.overlaps([" ".join(words[:7]), " ".join(words[7:])]) == [None, None]


def test_many_documents_are_as_one_by_one() -> None:
    rng = random.Random(1)
    texts = [paragraph(rng, 60) for _ in range(60)]
    tests = [text[20:200] for text in texts[:20]]
    known = known_tests(*tests)
    found = known.overlaps(texts)
    assert [each is not None for each in found] == [number < 20 for number in range(60)]
    assert found == [known.overlap(text) for text in texts]
    assert [each.place for each in found if each] == [
        f"test.txt, line {number}" for number in range(1, 21)
    ]


def test_tests_without_a_text_are_refused() -> None:
    with pytest.raises(CorpusError, match=r"No text of the test sets has 8 words"):
        known_tests("a label", "")
    with pytest.raises(CorpusError, match=r"No text of the test sets has 8 words"):
        known_tests()


def test_files_of_several_tests_are_read_together(tmp_path: Path) -> None:
    rows, text = tmp_path / "rows.tsv", tmp_path / "text.txt"
    rows.write_text(f"label\ttext\nsea\t{SENTENCE}\n")
    text.write_text("one two three four five six seven eight nine\n")
    known = TestTexts.read([rows, text])
    found = known.overlaps([SENTENCE, "zero one two three four five six seven eight nine ten", "a"])
    assert [each and each.place for each in found] == [
        f"{rows}, line 2",
        f"{text}, document 1",
        None,
    ]


def test_a_file_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="there is no such file"):
        TestTexts.read(tmp_path / "gone.txt")


def texts(path: Path, content: str | bytes) -> list[tuple[str, str]]:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return [*file_texts(find_sources(path)[0])]


def test_every_field_of_a_table_is_a_text(tmp_path: Path) -> None:
    found = texts(tmp_path / "test.csv", 'label,text\nsea,"a ship,\na boat"\nland,a field\n')
    assert found == [
        ("line 2", "sea"),
        ("line 2", "a ship,\na boat"),
        ("line 4", "land"),
        ("line 4", "a field"),
    ]


@pytest.mark.parametrize("name", ["test.tsv", "test.txt", "test"])
def test_rows_separated_by_tabs_need_no_header(tmp_path: Path, name: str) -> None:
    found = texts(tmp_path / name, 'sea\ta "ship\n\nland\ta field\n')
    assert [each for each in found if each[1]] == [
        ("line 1", "sea"),
        ("line 1", 'a "ship'),
        ("line 3", "land"),
        ("line 3", "a field"),
    ]


@pytest.mark.parametrize("name", ["test.jsonl", "test.json", "test"])
def test_every_string_of_an_object_a_line_is_a_text(tmp_path: Path, name: str) -> None:
    rows = [{"a": "x", "b": ["y", {"c": "z", "d": 1}]}, {"a": None}, {"a": "w"}]
    content = "\n".join(json.dumps(row) for row in rows)
    expected = [("line 1", "x"), ("line 1", "y"), ("line 1", "z"), ("line 3", "w")]
    assert texts(tmp_path / name, content) == expected


@pytest.mark.parametrize("indent", [None, 2])
def test_one_object_is_read_as_a_whole(tmp_path: Path, indent: int | None) -> None:
    squad = {"data": [{"title": "T", "paragraphs": [{"context": "C", "qas": [{"question": "Q"}]}]}]}
    found = texts(tmp_path / "dev.json", json.dumps(squad, indent=indent))
    assert found == [("string 1", "T"), ("string 2", "C"), ("string 3", "Q")]


def test_tagged_tokens_are_joined_to_sentences(tmp_path: Path) -> None:
    lines = ["-DOCSTART- -X- O", "", *["EU NNP B-ORG"] * 6, "", "", *["call VB O"] * 5]
    found = texts(tmp_path / "eng.testa", "\n".join(lines))
    assert found == [
        ("line 1", "-DOCSTART-"),
        ("line 3", "EU EU EU EU EU EU"),
        ("line 11", "call call call call call"),
    ]


def test_running_text_is_read_as_a_corpus_is(tmp_path: Path) -> None:
    found = texts(tmp_path / "a.txt", "One sentence is here.\nTwo.\n\nThe next document.\n")
    assert found == [
        ("document 1", "One sentence is here.\nTwo."),
        ("document 2", "The next document."),
    ]


def test_compressed_files_are_unpacked(tmp_path: Path) -> None:
    found = texts(tmp_path / "rows.jsonl.gz", gzip.compress(b'{"a": "x"}\n{"a": "y"}\n'))
    assert found == [("line 1", "x"), ("line 2", "y")]


def test_columns_of_parquet_are_texts(tmp_path: Path) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    table = pa.table({"text": ["a", None, "c"], "number": [1, 2, 3], "both": [["p", "q"], [], []]})
    pq.write_table(table, tmp_path / "test.parquet")
    found = [*file_texts(find_sources(tmp_path / "test.parquet")[0])]
    assert found == [("row 1", "a"), ("row 1", "p"), ("row 1", "q"), ("row 3", "c")]


@pytest.mark.parametrize(
    ("content", "line"), [('{"a": "x"}\n{"a": \n', 2), ('{"a": "x"', 1), ('{\n"a": x\n}', 1)]
)
def test_broken_json_is_named_by_its_line(tmp_path: Path, content: str, line: int) -> None:
    with pytest.raises(CorpusError, match=rf"test\.json, line {line}: this is not JSON"):
        texts(tmp_path / "test.json", content)


@pytest.mark.parametrize("name", ["a.json", "a.csv"])
def test_an_empty_file_of_rows_has_no_texts(tmp_path: Path, name: str) -> None:
    assert [text for _, text in texts(tmp_path / name, "\n") if text] == []
