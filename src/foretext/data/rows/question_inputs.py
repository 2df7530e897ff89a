"""Questions as the inputs of a reader: in the form of SQuAD, or with a passage in each row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from foretext.base.errors import CorpusError, did_you_mean
from foretext.base.parsing.json_file import json_object
from foretext.data.rows.input_file import InputFile
from foretext.data.rows.input_rows import InputColumns, KeptInput, text_inputs
from foretext.data.rows.questions import Question, QuestionsConfig, read_questions

__all__ = ["question_inputs"]


def question_inputs(file: InputFile, wanted: InputColumns) -> Iterator[KeptInput]:
    """Yield questions with their passages; those of SQuAD need no answers.

    Raises:
        CorpusError: the file cannot be read, or a part of a question is missing.
    """
    if file.has_records or not _is_nested(file, wanted):
        yield from text_inputs(file, wanted)
        return
    source, encoding = file.whole()
    limit = wanted.reading.max_piece_bytes
    config = QuestionsConfig.checked({"encoding": encoding, "max_piece_bytes": limit}, "rows")
    for question in read_questions(source, config, answered=False):
        kept = {name: _kept(name, question) for name in wanted.keep}
        yield KeptInput((question.question, question.context), kept)


def _is_nested(file: InputFile, wanted: InputColumns) -> bool:
    """Whether questions stand inside of articles and passages, or have names of their own."""
    first = json_object(file.first)
    if first is not None:
        return not {*wanted.fields} <= first.keys()
    return file.first.lstrip().startswith(("{", "["))


def _kept(name: str, question: Question) -> Any:
    values = question.as_object()
    if name not in values:
        raise CorpusError(
            f"{question.place}: there is no '{name}' to keep, only "
            f"{', '.join(map(repr, values))}.{did_you_mean(name, values)}"
        )
    return values[name]
