from __future__ import annotations

from pathlib import Path

import pytest

from foretext.data.rows import Question, read_questions
from foretext.metrics.span_qa import answer_scores
from foretext.tasks.span_qa.baseline import LexicalSpanBaseline

CONTEXT = "Ada wrote to Bob in May. The letter from Eve came to Ada late, in June."


def asked(question: str, context: str = CONTEXT) -> Question:
    return Question("q", question, context, (), "", "a.json:q")


def answer(question: str, context: str = CONTEXT, **settings: int) -> str:
    baseline = LexicalSpanBaseline(LexicalSpanBaseline.Config(**settings))
    return baseline.predict([asked(question, context)])[0]


def test_the_words_beside_those_of_the_question() -> None:
    assert answer("Who wrote to Bob in May?") == "Ada"
    assert answer("When did the letter from Eve, that came to Ada, come in?") == "late"


def test_rare_words_pull_more_than_frequent_ones() -> None:
    assert answer("to rare?", "to x. to. rare y.") == "y"  # log(2) against log(3 / 2)


def test_no_pull_from_another_sentence() -> None:
    assert answer("rare more?", "x. rare. y more.") == "y"


def test_a_run_has_no_common_words_around_it_and_ends() -> None:
    contexts = ["the pig of the dog", "the hen of the cow", "the end of it"]
    config = LexicalSpanBaseline.Config(common_rate=0.7)
    baseline = LexicalSpanBaseline(config).fit([asked("", each) for each in contexts])
    assert baseline.common == {"the", "of"}
    rows = [asked("pig?", contexts[0]), asked("dog", contexts[0])]
    assert baseline.predict(rows) == ["dog", "pig"]
    assert answer("zero", "zero one two three four five six") == "one two three four five"
    assert answer("zero", "zero one two three", max_words=2) == "one two"


def test_chinese_by_characters() -> None:
    assert answer("北京有什么？", "天津很大。北京有故宫。") == "故宫"


@pytest.mark.parametrize("context", ["", "...", "Who"])
def test_no_answer_where_no_run_is(context: str) -> None:
    assert answer("Who?", context) == ""


@pytest.mark.slow
@pytest.mark.shared_data
def test_what_it_reaches_on_squad(shared_data: Path) -> None:
    (path,) = (shared_data / "squad").glob("dev-v1.1.json*")
    rows = read_questions(path)
    given = LexicalSpanBaseline().fit(rows).predict(rows)
    answers = {str(n): [each.text for each in row.answers] for n, row in enumerate(rows)}
    scores = answer_scores({str(n): text for n, text in enumerate(given)}, answers)
    assert scores["f1"] > 0.2  # the sliding window of SQuAD's authors has 0.20
