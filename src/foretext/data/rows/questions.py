"""Files of questions on passages that hold their answers: SQuAD 1.1 and 2.0, CMRC 2018, DRCD."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import Field

from foretext.base.config import Config
from foretext.base.errors import CorpusError
from foretext.base.parsing.json_text import json_value
from foretext.corpus.compression import LARGEST_PIECE
from foretext.corpus.encoding import Encoding
from foretext.corpus.sources import Source, find_sources
from foretext.data.rows.in_memory import RowSource
from foretext.data.rows.question import Question
from foretext.data.rows.question_entries import Entry, entries_of, questions_of
from foretext.data.rows.records import read_lines

__all__ = ["QuestionsConfig", "read_questions"]


class QuestionsConfig(Config):
    """How files of questions are read; the rest follows from their form."""

    encoding: Encoding = "utf-8"
    """Encoding of the files; a byte order mark is accepted."""
    max_piece_bytes: int = Field(default=LARGEST_PIECE, ge=1 << 20, le=1 << 31)
    """Bytes of a file, at most."""


def read_questions(
    path: RowSource, config: QuestionsConfig | None = None, *, answered: bool = True
) -> list[Question]:
    """Read a JSON file of questions, or one with an object a line.

    An answer that does not stand where the file says is looked for
    (`foretext.data.rows.answer_places`); `foretext.data.rows.question_problems` names such answers.

    Args:
        path: of the file.
        config: how it is read; None: as usual.
        answered: whether each question must have answers; False: they are not read.

    Raises:
        CorpusError: no such file, no questions, no JSON, or a part of an entry is missing.
    """
    config = config or QuestionsConfig()
    sources = find_sources(path)
    questions = [
        question for source in sources for question in _questions(source, config, answered)
    ]
    if not questions:
        raise CorpusError(f"{path} has no questions; give a file in the form of SQuAD or CMRC.")
    passages: dict[str, str] = {}  # each is in memory once, however many questions repeat it
    return [
        question._replace(context=passages.setdefault(question.context, question.context))
        for question in questions
    ]


def _questions(source: Source, config: QuestionsConfig, answered: bool) -> Iterator[Question]:
    lines = _lines(source, config)
    content, name = _content(lines, source.name)
    if not isinstance(content, list):
        return questions_of(Entry(content, source.name, ()), answered=answered)
    entries = entries_of(content, source.name, name)
    return (question for entry in entries for question in questions_of(entry, answered=answered))


def _content(lines: list[str], file: str) -> tuple[Any, str]:
    """Return what a file holds, and what an object of it is called."""
    try:
        return json_value("\n".join(lines)), "entry"
    except ValueError as error:
        whole = error
    try:  # an object a line
        return [json_value(line) for line in lines if line.strip()], "line"
    except ValueError as error:
        if not next((line for line in lines if line.strip()), "").lstrip().startswith(("{", "[")):
            raise CorpusError(
                f"{file} holds no questions in JSON: give a file in the form of SQuAD, or an "
                "object with question, context and answers a line; texts with labels are rows of "
                "`classification`, tokens with tags those of `tagging`."
            ) from None
        first_alone = _is_json(next((line for line in lines if line.strip()), ""))
        cause = error if first_alone else whole
        raise CorpusError(f"{file} is not JSON ({cause}); download it again.") from None


def _is_json(text: str) -> bool:
    try:
        json_value(text)
    except ValueError:
        return False
    return True


def _lines(source: Source, config: QuestionsConfig) -> list[str]:
    """Return all lines of a file."""
    lines, size = [], 0
    for line in read_lines(source, config.encoding, config.max_piece_bytes):
        lines.append(line)
        size += len(line) + 1
        if size > config.max_piece_bytes:
            raise CorpusError(
                f"{source.name} has more than {config.max_piece_bytes:,} bytes of text; divide "
                "it, or set rows.max_piece_bytes to more."
            )
    return lines
