"""Questions on a passage that holds their answers: SQuAD 1.1 and 2.0, CMRC 2018 in both its forms.

SQuAD (Rajpurkar et al. 2016, 2018) gives each answer with the character at which it begins; CMRC
2018 (Cui et al. 2019) gives the answer alone, whose place is then the first one where it occurs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

from pydantic import Field

from foretext.config import Config
from foretext.corpus.compression import LARGEST_PIECE
from foretext.corpus.encoding import Encoding
from foretext.corpus.source import Source
from foretext.corpus.sources import find_sources
from foretext.data.rows.record import has_half_pair, type_name
from foretext.data.rows.records import read_lines
from foretext.errors import CorpusError, SettingError
from foretext.parsing.json_text import json_value

__all__ = ["Answer", "Asked", "Question", "QuestionsConfig", "as_questions", "read_questions"]


class QuestionsConfig(Config):
    """How files of questions are read; the rest follows from their form."""

    encoding: Encoding = "utf-8"  # a byte order mark is accepted
    max_piece_bytes: int = Field(default=LARGEST_PIECE, ge=1 << 20, le=1 << 31)  # of a file


class Answer(NamedTuple):
    """A span of the context."""

    text: str
    start: int | None  # a character of the context; None where the context does not hold the text


class Question(NamedTuple):
    """One question; without answers where the context has none (SQuAD 2.0), or none is known."""

    key: str  # the `id` of the file
    question: str
    context: str
    answers: tuple[Answer, ...]
    title: str
    place: str  # file:id

    @property
    def is_placed(self) -> bool:
        """Whether an answer stands in the context."""
        return any(answer.start is not None for answer in self.answers)


Asked = Question | tuple[str, str]  # a row, or a question and the passage that may answer it


def as_questions(pairs: Sequence[Asked]) -> list[Question]:
    """Return pairs as rows without answers; rows stay as they are.

    Raises:
        SettingError: there is a single pair, or a text in place of a pair.
    """
    if isinstance(pairs, str | Question) or any(isinstance(pair, str) for pair in pairs):
        raise SettingError(
            "Give a list of pairs, each of a question and the passage that may answer it."
        )
    return [
        pair if isinstance(pair, Question) else Question("", *pair, answers=(), title="", place="")
        for pair in pairs
    ]


def read_questions(path: str | Path, config: QuestionsConfig | None = None) -> list[Question]:
    """Read a JSON file of questions.

    An answer that does not stand where the file says is looked for: it has the place where it
    occurs, if it occurs once, else none.

    Raises:
        CorpusError: no such file, no questions, no JSON, or a part of an entry is missing.
    """
    config = config or QuestionsConfig()
    sources = find_sources(path)
    questions = [question for source in sources for question in _questions(source, config)]
    if not questions:
        raise CorpusError(f"{path} has no questions; give a file in the form of SQuAD or CMRC.")
    return questions


def _questions(source: Source, config: QuestionsConfig) -> Iterator[Question]:
    try:
        content = json_value(_text(source, config))
    except ValueError as error:
        raise CorpusError(f"{source.name} is not JSON ({error}); download it again.") from None
    if isinstance(content, list):
        return _of_cmrc(_numbered(content, source.name, "entry"))
    return _of_squad(_Entry(content, source.name, ()).entries("data"))


def _text(source: Source, config: QuestionsConfig) -> str:
    """Return all of a file, which is one JSON value."""
    lines, size = [], 0
    for line in read_lines(source, config.encoding, config.max_piece_bytes):
        lines.append(line)
        size += len(line) + 1
        if size > config.max_piece_bytes:
            raise CorpusError(
                f"{source.name} has more than {config.max_piece_bytes:,} bytes of text; divide "
                "it, or set max_piece_bytes to more."
            )
    return "\n".join(lines)


class _Entry:
    """An object of the file; knows where it stands, for complaints."""

    def __init__(self, values: Any, file: str, at: tuple[str, ...]) -> None:
        self.values, self.file, self.at = values, file, at
        if not isinstance(values, dict):
            raise self.error(f"{type_name(values)} stands where an object is expected.")

    def error(self, cause: str) -> CorpusError:
        return CorpusError(f"{', '.join((self.file, *self.at))}: {cause}")

    def value(self, key: str, kind: type) -> Any:
        found = self.values.get(key)
        if not isinstance(found, kind):
            what = f"is {type_name(found)}" if key in self.values else "is missing"
            raise self.error(f"'{key}' {what}; files of questions have {type_name(kind())} there.")
        return found

    def text(self, key: str, default: str | None = None) -> str:
        if default is not None and key not in self.values:
            return default
        return self.whole(cast(str, self.value(key, str)))

    def whole(self, text: str) -> str:
        if has_half_pair(text):
            raise self.error(
                "half of a surrogate pair (such as \\ud83d alone), which is no character, is "
                "in it; repair or remove the entry."
            )
        return text

    def entries(self, key: str) -> Iterator[_Entry]:
        return _numbered(self.value(key, list), self.file, key, self.at)


def _numbered(
    values: list[Any], file: str, name: str, at: tuple[str, ...] = ()
) -> Iterator[_Entry]:
    for number, each in enumerate(values, start=1):
        yield _Entry(each, file, (*at, f"{name} {number}"))


def _of_squad(articles: Iterator[_Entry]) -> Iterator[Question]:
    for article in articles:
        for paragraph in article.entries("paragraphs"):
            for entry in paragraph.entries("qas"):
                has_none = entry.values.get("is_impossible") is True
                answers = () if has_none else entry.entries("answers")
                key, context = entry.text("id"), paragraph.text("context")
                yield Question(
                    key,
                    entry.text("question"),
                    context,
                    tuple(_squad_answer(answer, context) for answer in answers),
                    article.text("title", ""),
                    f"{entry.file}:{key}",
                )


def _of_cmrc(passages: Iterator[_Entry]) -> Iterator[Question]:
    for passage in passages:
        for entry in passage.entries("qas"):
            key, context = entry.text("query_id"), passage.text("context_text")
            yield Question(
                key,
                entry.text("query_text"),
                context,
                tuple(_cmrc_answer(text, context, entry) for text in entry.value("answers", list)),
                passage.text("title", ""),
                f"{entry.file}:{key}",
            )


def _squad_answer(answer: _Entry, context: str) -> Answer:
    return _placed(answer.text("text"), answer.value("answer_start", int), context)


def _cmrc_answer(text: Any, context: str, entry: _Entry) -> Answer:
    if not isinstance(text, str):
        raise entry.error(f"an answer is {type_name(text)}, not a string.")
    return Answer(entry.whole(text), _first(text, context))


def _placed(text: str, start: int, context: str) -> Answer:
    if start >= 0 and context.startswith(text, start):
        return Answer(text, start)
    return Answer(text, _first(text, context) if context.count(text) == 1 else None)


def _first(text: str, context: str) -> int | None:
    start = context.find(text)
    return start if start >= 0 else None
