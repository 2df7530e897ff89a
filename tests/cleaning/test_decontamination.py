from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foretext.base.errors import CorpusError
from foretext.cleaning.decontamination import SHORTEST, TEST_GRAM, Overlap, TestTexts
from foretext.cleaning.signatures import split_text
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
