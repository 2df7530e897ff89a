"""Each quality rule by a document that keeps it and one that breaks it."""

from __future__ import annotations

import random
import time
from collections import Counter

import pytest

from foretext.cleaning import quality_rules as text_facts
from foretext.cleaning.quality_rules import (
    RULES,
    ChineseRules,
    QualityRules,
    TextFacts,
    broken_rule,
    num_sentences,
    repeated_ngram_rate,
    top_ngram_rate,
)
from tests.cleaning.corpora import CHINESE

FIGURES = {rule.name: rule.figure for rule in RULES}
GOOD = (
    "The old harbour lies at the mouth of the river, and ships have come to it for ages.\n"
    "Most of them bring grain. Others carry letters, cloth or timber from the northern islands.\n"
    "In winter, when storms close the strait, sailors repair their nets and wait with patience."
)


@pytest.mark.parametrize(
    ("rule", "text", "figure"),
    [
        ("min_words", "one two three", 3),
        ("min_words", "北京大 abc 12, 人", 6),  # four characters, two other words
        ("max_words", "one two three", 3),
        ("min_mean_word_length", "a bb ccc", 2),
        ("max_mean_word_length", "a bb ccc", 2),
        ("max_symbol_rate", "# a # b c", 2 / 5),
        ("max_symbol_rate", "so ... it … goes", 2 / 5),
        ("max_bullet_rate", "• one\n- two\nthree\n* four", 3 / 4),
        ("max_ellipsis_rate", "it goes on...\nand on …\nand ends.", 2 / 3),
        ("min_alphabetic_rate", "one 2 -- b4", 2 / 4),
        ("min_alphabetic_rate", "北京，12", 2 / 5),  # characters of a text without blanks
        ("min_stop_words", "The sea AND the of-sea", 2),
        ("min_stop_words", "这是他的书", 3),
        ("min_stop_words", "Der Hund und die Katze, das ist nicht", 6),
        ("min_stop_words", "a pi i o to", 1),  # letters alone could be of any language
        ("max_lorem_ipsum", "Lorem ipsum dolor", 1),
        ("max_braces", "if (a) { b }", 2),
        ("min_terminal_rate", "A title\nHe said “Yes.”\n你好。\nno end", 2 / 4),
        ("min_sentences", "One. Two 3.5 kg! Really?", 3),
        ("min_sentences", "你好。再见！", 2),
        ("max_repeated_line_rate", "a\nb\na\na", 2 / 4),
        ("max_repeated_line_characters", "aaaa\nbb\naaaa", 4 / 10),
        ("top_2gram", "a b a b c", 4 / 5),
        ("top_3gram", "a b c d e", 0),
        ("repeated_5grams", "a b c d e a b c d e f", 5 / 11),
        ("repeated_6grams", "a b c d e a b c d e f", 0),
    ],
)
def test_figures(rule: str, text: str, figure: float) -> None:
    assert FIGURES[rule](TextFacts(text)) == pytest.approx(figure)


@pytest.mark.parametrize(
    ("language", "text", "figure"),
    [
        ("de", "Der Hund und die Katze, das ist nicht", 6),
        ("en", "Der Hund und die Katze, das ist nicht", 0),
        ("fr", "Le chat est dans la maison.", 4),
        ("no", "Det er ikke en katt.", 4),
        ("ko", "배가 항구에 있다.", 8),  # there is no list, and so no rule
    ],
)
def test_stop_words_are_those_of_the_language(language: str, text: str, figure: float) -> None:
    assert FIGURES["min_stop_words"](TextFacts(text, language)) == figure


@pytest.mark.parametrize(
    ("settings", "rule"),
    [
        ({"min_words": 80}, "min_words"),
        ({"max_words": 40}, "max_words"),
        ({"min_mean_word_length": 6.0}, "min_mean_word_length"),
        ({"max_mean_word_length": 4.0}, "max_mean_word_length"),
        ({"min_stop_words": 8}, "min_stop_words"),
        ({"min_sentences": 5}, "min_sentences"),
    ],
)
def test_a_threshold_decides(settings: dict[str, float], rule: str) -> None:
    facts = TextFacts(GOOD)
    assert broken_rule(facts, QualityRules(min_words=40), ChineseRules()) is None
    rules = QualityRules.model_validate({"min_words": 40, **settings})
    broken = broken_rule(facts, rules, ChineseRules())
    assert broken is not None
    assert broken.rule == rule
    assert broken.figure == FIGURES[rule](facts)
    assert broken_rule(facts, rules, ChineseRules(), without=(rule,)) is None


def test_a_rule_holds_at_its_threshold() -> None:
    facts = TextFacts("one two three")
    none = dict.fromkeys(set(FIGURES) - {"min_words"})
    assert broken_rule(facts, QualityRules(min_words=3), ChineseRules(), none) is None
    assert broken_rule(facts, QualityRules(min_words=4), ChineseRules(), none) is not None


def test_chinese_has_thresholds_of_its_own() -> None:
    facts = TextFacts(CHINESE)
    assert facts.is_dense
    assert broken_rule(facts, QualityRules(min_words=100_000), ChineseRules()) is None
    repeated = TextFacts("今天天气很好。" * 30)
    broken = broken_rule(repeated, QualityRules(), ChineseRules())
    assert broken is not None
    broken = broken_rule(repeated, QualityRules(), ChineseRules(), ("min_stop_words",))
    assert broken is not None
    assert broken.rule == "top_2gram"


def test_without_words() -> None:
    facts = TextFacts("")
    assert [figure(facts) for figure in FIGURES.values()] == [0] * len(FIGURES)


@pytest.mark.parametrize("run", ["." * 300_000 + "x", "!" + ")" * 300_000 + "x", ".)" * 200_000])
def test_sentence_ends_are_counted_in_time_that_grows_with_the_text(run: str) -> None:
    start = time.process_time()
    assert num_sentences(TextFacts(f"One. Two?!) {run} three...")) in (3, 4)
    assert time.process_time() - start < 2


def plain_top(words: list[str], n: int) -> float:
    ngrams = Counter(tuple(words[at : at + n]) for at in range(len(words) - n + 1))
    most = max(ngrams.values(), default=0)
    if most < 2:
        return 0.0
    longest = max(len("".join(each)) for each, count in ngrams.items() if count == most)
    return min(most * longest / len("".join(words)), 1.0)


def plain_repeated(words: list[str], n: int) -> float:
    seen: set[tuple[str, ...]] = set()
    covered: set[int] = set()
    for at in range(len(words) - n + 1):
        ngram = tuple(words[at : at + n])
        if ngram in seen:
            covered.update(range(at, at + n))
        seen.add(ngram)
    return sum(len(words[at]) for at in covered) / max(len("".join(words)), 1)


@pytest.mark.parametrize("length", [0, 1, 4, 9, 40, 200])
@pytest.mark.parametrize("n", [2, 3, 5, 10])
def test_it_equals_the_plain_computation(length: int, n: int) -> None:
    draw = random.Random(length)
    words = [draw.choice(["a", "bb", "ccc", "it"]) for _ in range(length)]
    facts = TextFacts(" ".join(words))
    assert top_ngram_rate(facts, n) == pytest.approx(plain_top(words, n))
    assert repeated_ngram_rate(facts, n) == pytest.approx(plain_repeated(words, n))


def test_two_characters_stand_for_a_word_of_chinese() -> None:
    text = "今天天气今天天气很好"
    facts = TextFacts(text)
    assert facts.is_dense
    assert top_ngram_rate(facts, 2) == plain_top(list(text), 4)
    assert repeated_ngram_rate(facts, 2) == plain_repeated(list(text), 4)


@pytest.mark.parametrize(
    "text", ["one two three four", "a b c a b d", "a b a b", "一二三一二四", ""]
)
def test_the_short_way_says_what_the_long_one_says(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    measures = (top_ngram_rate, repeated_ngram_rate)
    short = [measure(TextFacts(text), n) for measure in measures for n in (2, 3, 4)]
    monkeypatch.setattr(text_facts, "FEW_WORDS", -1)
    assert short == [measure(TextFacts(text), n) for measure in measures for n in (2, 3, 4)]
