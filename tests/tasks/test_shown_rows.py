"""Rows and answers as a person reads them, of each kind of answer."""

from __future__ import annotations

import numpy as np

from foretext.data.rows import LabelledPair, LabelledText, TaggedSentence
from foretext.heads.tag_set import TagSet
from foretext.tasks.answers import ShownRow
from foretext.tasks.class_answers import ClassAnswers
from foretext.tasks.score_answers import ScoreAnswers
from foretext.tasks.tagging.answers import TagAnswers


def test_the_best_label_is_shown() -> None:
    rows = [LabelledText("a ship", ("sea",), "r:1"), LabelledText("a\nfield", ("land",), "r:2")]
    answers = ClassAnswers(("land", "sea"), np.array([[0.4, 0.6], [0.3, 0.7]]))
    assert answers.shown(rows) == [
        ShownRow("a ship", "sea", "sea"),
        ShownRow("a field", "land", "sea"),
    ]


def test_all_labels_above_one_half_are_shown() -> None:
    rows = [LabelledText("a port", ("sea", "land"), "r:1"), LabelledText("air", (), "r:2")]
    answers = ClassAnswers(("land", "sea"), np.array([[0.6, 0.6], [0.3, 0.2]]), is_multi_label=True)
    assert [row[1:] for row in answers.shown(rows)] == [("land, sea", "land, sea"), ("", "")]


def test_scores_are_shown_beside_the_right_ones() -> None:
    rows = [LabelledPair("a", "b", None, 4.5, "r:1")]
    assert ScoreAnswers(np.array([3.21987])).shown(rows) == [ShownRow("a b", "4.5", "3.22")]


def test_entities_are_shown_with_their_kinds() -> None:
    row = TaggedSentence(("Ada", "Byron", "saw", "Rome"), ("B-PER", "I-PER", "O", "B-LOC"), "f", ())
    given = [["B-PER", "O", "O", "O"]]
    assert TagAnswers(given, TagSet(["B-LOC", "B-PER", "I-PER", "O"], "IOB2")).shown([row]) == [
        ShownRow("Ada Byron saw Rome", "PER: Ada Byron; LOC: Rome", "PER: Ada")
    ]


def test_tags_are_shown_where_there_are_no_entities() -> None:
    row = TaggedSentence(("we", "saw"), ("PRON", "VERB"), "f", ())
    shown = TagAnswers([["PRON", "NOUN"]], TagSet(["NOUN", "PRON", "VERB"], None)).shown([row])
    assert shown == [ShownRow("we saw", "PRON VERB", "PRON NOUN")]


def test_a_long_text_is_cut() -> None:
    rows = [LabelledText("word " * 200, ("sea",), "r:1")]
    answers = ClassAnswers(("land", "sea"), np.array([[0.4, 0.6]]))
    assert len(answers.shown(rows)[0].text) <= 301
