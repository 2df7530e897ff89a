"""Figures of texts, beside sacreBLEU and rouge-score, and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foretext.metrics.texts import (
    TextFigure,
    bleu,
    chrf,
    likely_tokenize,
    longest_common_subsequence,
    rouge_l,
)
from tests.lazy_import import lazy_import

sacrebleu = lazy_import("sacrebleu.metrics")
rouge_scorer = lazy_import("rouge_score.rouge_scorer")

OUTPUTS = [
    "A man is riding a red bicycle down the street .",
    "Two dogs (brown, white) are playing in the snow.",
    "the the the the",
    "",
    "3.5 per cent of the people - and others - wait",
]
REFERENCES = [
    "A man rides a red bicycle down a street.",
    "Two dogs, one brown and one white, play in the snow.",
    "The cat is on the mat.",
    "Nobody waits.",
    "3.5 % of people, and some others, are waiting.",
]
CHINESE = (
    ["一个男人骑着自行车 in 2016。", "两只狗在雪地里玩耍。"],
    [
        "一名男子骑自行车, in 2016。",
        "两只狗在雪中玩。",
    ],
)

words = st.text(alphabet="ab .,1é猫'-", max_size=25)
rows = st.lists(st.tuples(words, words.filter(str.strip)), min_size=1, max_size=6)


@pytest.mark.parametrize("tokenize", ["13a", "intl", "char", "zh", "none"])
@pytest.mark.parametrize("lowercase", [False, True])
def test_bleu_is_that_of_sacrebleu(tokenize: str, lowercase: bool) -> None:
    theirs = sacrebleu.BLEU(tokenize=tokenize, lowercase=lowercase)
    for outputs, references in ((OUTPUTS, REFERENCES), CHINESE):
        found = bleu(outputs, references, tokenize=tokenize, lowercase=lowercase)  # type: ignore[arg-type]
        right = theirs.corpus_score(outputs, [references])
        assert found.value == pytest.approx(right.score)
        assert found.signature == str(theirs.get_signature())
    assert bleu(OUTPUTS, REFERENCES).value > 10  # of these something is right


@pytest.mark.parametrize("word_order", [0, 1, 2])
def test_chrf_is_that_of_sacrebleu_for_all_rows_and_each(word_order: int) -> None:
    theirs = sacrebleu.CHRF(word_order=word_order)
    for outputs, references in ((OUTPUTS, REFERENCES), CHINESE):
        found = chrf(outputs, references, word_order=word_order)
        assert found.value == pytest.approx(theirs.corpus_score(outputs, [references]).score)
        pairs = zip(outputs, references, strict=True)
        each = [theirs.sentence_score(output, [right]).score for output, right in pairs]
        assert found.each == pytest.approx(each)
        assert found.signature == str(theirs.get_signature())


@given(rows)
@settings(max_examples=60, deadline=None)
def test_any_texts_have_the_figures_of_the_libraries(pairs: list[tuple[str, str]]) -> None:
    outputs, references = map(list, zip(*pairs, strict=True))
    expected = sacrebleu.BLEU(force=True).corpus_score(outputs, [references]).score
    assert bleu(outputs, references, tokenize="13a").value == pytest.approx(expected)
    expected = sacrebleu.CHRF().corpus_score(outputs, [references]).score
    assert chrf(outputs, references).value == pytest.approx(expected)
    score = rouge_scorer.RougeScorer(["rougeL"]).score
    each = [100 * score(right, output)["rougeL"].fmeasure for output, right in pairs]
    assert rouge_l(outputs, references, tokenize="ascii").each == pytest.approx(each)


def test_rouge_l_of_english_is_that_of_rouge_score() -> None:
    score = rouge_scorer.RougeScorer(["rougeL"]).score
    pairs = zip(OUTPUTS, REFERENCES, strict=True)
    each = [100 * score(right, output)["rougeL"].fmeasure for output, right in pairs]
    found = rouge_l(OUTPUTS, REFERENCES)
    assert found.each == pytest.approx(each)
    assert found.value == pytest.approx(np.mean(each))
    assert "tok:ascii" in found.signature


def test_rouge_l_by_hand() -> None:
    found = rouge_l(["police kill the gunman"], ["police killed the gunman"])
    assert found.value == pytest.approx(75.0)  # Lin 2004, section 3.1: 3 words of 4 and 4
    german = rouge_l(["Über Österreich"], ["über Ungarn"])  # rouge-score would read "ber"
    assert german.value == pytest.approx(50.0)
    assert "tok:words" in german.signature
    chinese = rouge_l(["一个男人"], ["一名男子"])
    assert chinese.value == pytest.approx(50.0)
    assert "tok:characters" in chinese.signature


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Ein Mann mit einem orangefarbenen Hut", "13a"),
        ("一个男人 Ann", "zh"),
        ("男の人がオレンジ色の帽子をかぶっている", "char"),
        ("ผู้ชายสวมหมวก", "char"),
        ("남자가 모자를 쓰고 있다", "13a"),
        ("", "13a"),
    ],
)
def test_what_bleu_calls_a_word_follows_from_the_script(text: str, kind: str) -> None:
    assert likely_tokenize([text]) == kind
    assert f"tok:{kind}" in bleu([text], [text]).signature


def test_equal_texts_have_100_and_foreign_ones_nothing() -> None:
    same = ["one two three four five", "six seven eight nine"]
    for figure in (bleu, chrf, rouge_l):
        assert figure(same, same).value == pytest.approx(100)
        assert figure(["zzzz"] * 2, ["bbbb cccc"] * 2).value == 0
        assert figure([""] * 2, same).value == 0


def test_sums_of_rows_give_the_figure_of_these_rows() -> None:
    some = [0, 4]
    for figure in (bleu, chrf, rouge_l):
        whole: TextFigure = figure(OUTPUTS, REFERENCES)
        sums = whole.tallies.parts[some].sum(axis=0)
        alone = figure([OUTPUTS[i] for i in some], [REFERENCES[i] for i in some])
        assert whole.tallies.figure(sums) == pytest.approx(alone.value)


odd_letters = st.sampled_from("ab .,1-'\n\t&<>;%()٣½猫。，“”–☃€𠀀\u2001\u2028")
any_text = st.text(odd_letters | st.characters(exclude_categories=["Cn", "Cs", "Co"]), max_size=20)


@pytest.mark.parametrize("tokenize", ["13a", "intl", "char", "zh", "none"])
@given(any_text, any_text)
@settings(max_examples=80, deadline=None)
def test_words_of_any_text_are_those_of_sacrebleu(tokenize: str, first: str, second: str) -> None:
    theirs = sacrebleu.BLEU(tokenize=tokenize, force=True)
    found = bleu([first], [second], tokenize=tokenize)  # type: ignore[arg-type]
    parts = theirs._extract_corpus_statistics([first], [[second]])
    assert found.tallies.parts[0].tolist() == parts[0]
    both = sacrebleu.CHRF(word_order=2)._extract_corpus_statistics([first], [[second]])
    assert chrf([first], [second], word_order=2).tallies.parts[0].tolist() == both[0]


def table(first: str, second: str) -> int:
    lengths = [0] * (len(second) + 1)
    for item in first:
        before = lengths[:]
        for j, other in enumerate(second):
            lengths[j + 1] = before[j] + 1 if item == other else max(before[j + 1], lengths[j])
    return lengths[-1]


@given(st.text("abcd", max_size=90), st.text("abcd", max_size=90))
def test_the_table_gives_the_same(first: str, second: str) -> None:
    assert longest_common_subsequence(first, second) == table(first, second)


def test_by_hand() -> None:
    assert longest_common_subsequence("ABCBDAB", "BDCABA") == 4  # BCBA
    assert longest_common_subsequence([], ["a"]) == 0
