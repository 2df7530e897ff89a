"""Labelled files as people have them, read row by row; a wrong row is named by file and line."""

from __future__ import annotations

from foretext.data.rows.findings import (
    find_row_problems,
    find_tag_problems,
    find_unseen_labels,
)
from foretext.data.rows.in_memory import RowTexts, write_rows
from foretext.data.rows.input_file import InputFile, input_files
from foretext.data.rows.input_rows import InputColumns, KeptInput, text_inputs
from foretext.data.rows.inputs import Input, line_input
from foretext.data.rows.pairs import (
    LabelledPair,
    PairsConfig,
    found_pairs_config,
    names_text_pairs,
    read_pairs,
)
from foretext.data.rows.parallel import (
    ParallelConfig,
    ParallelText,
    find_parallel_problems,
    read_parallel,
)
from foretext.data.rows.parallel_files import ParallelFiles, as_parallel_files
from foretext.data.rows.question_inputs import question_inputs
from foretext.data.rows.questions import (
    Answer,
    Question,
    QuestionInput,
    QuestionsConfig,
    as_questions,
    find_question_problems,
    read_questions,
)
from foretext.data.rows.reading import fitting, read_otherwise
from foretext.data.rows.sentences import (
    SentenceRow,
    SentencesConfig,
    read_sentences,
    sentence_lines,
)
from foretext.data.rows.settings import RowsConfig
from foretext.data.rows.tagged import TaggedConfig, TaggedSentence, read_tagged
from foretext.data.rows.tagged_inputs import tagged_inputs
from foretext.data.rows.texts import LabelledRow, LabelledText, read_texts
from foretext.data.rows.token_lines import are_token_lines

__all__ = [
    "Answer",
    "Input",
    "InputColumns",
    "InputFile",
    "KeptInput",
    "LabelledPair",
    "LabelledRow",
    "LabelledText",
    "PairsConfig",
    "ParallelConfig",
    "ParallelFiles",
    "ParallelText",
    "Question",
    "QuestionInput",
    "QuestionsConfig",
    "RowTexts",
    "RowsConfig",
    "SentenceRow",
    "SentencesConfig",
    "TaggedConfig",
    "TaggedSentence",
    "are_token_lines",
    "as_parallel_files",
    "as_questions",
    "find_parallel_problems",
    "find_question_problems",
    "find_row_problems",
    "find_tag_problems",
    "find_unseen_labels",
    "fitting",
    "found_pairs_config",
    "input_files",
    "line_input",
    "names_text_pairs",
    "question_inputs",
    "read_otherwise",
    "read_pairs",
    "read_parallel",
    "read_questions",
    "read_sentences",
    "read_tagged",
    "read_texts",
    "sentence_lines",
    "tagged_inputs",
    "text_inputs",
    "write_rows",
]
