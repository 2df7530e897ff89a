"""Labelled files as people have them, read row by row; a wrong row is named by file and line."""

from __future__ import annotations

from foretext.data.rows.findings import find_row_problems, find_tag_problems
from foretext.data.rows.pairs import LabelledPair, PairsConfig, read_pairs
from foretext.data.rows.questions import Answer, Question, QuestionsConfig, read_questions
from foretext.data.rows.settings import RowsConfig
from foretext.data.rows.tagged import TaggedConfig, TaggedSentence, read_tagged
from foretext.data.rows.texts import LabelledText, read_texts

__all__ = [
    "Answer",
    "LabelledPair",
    "LabelledText",
    "PairsConfig",
    "Question",
    "QuestionsConfig",
    "RowsConfig",
    "TaggedConfig",
    "TaggedSentence",
    "find_row_problems",
    "find_tag_problems",
    "read_pairs",
    "read_questions",
    "read_tagged",
    "read_texts",
]
