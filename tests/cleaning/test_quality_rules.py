"""Each quality rule by a document that keeps it and one that breaks it."""

from __future__ import annotations

import time

import pytest

from foretext.cleaning.quality_rules import RULES, broken_rule, num_sentences
from foretext.cleaning.quality_settings import ChineseRules, QualityRules
from foretext.cleaning.text_facts import TextFacts
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
