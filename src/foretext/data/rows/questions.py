"""Files of questions on passages that hold their answers: SQuAD 1.1 and 2.0, CMRC 2018, DRCD.

Where an answer stands in its passage, although the file may count differently. Files made from
others count bytes, or UTF-16 units as JavaScript does, are off by a few characters, or have
full-width forms on one side only.

The objects of files of questions, in the forms that are found, and errors that name their place.
SQuAD (Rajpurkar et al. 2016, 2018) nests data > paragraphs > qas and gives each answer with the
character at which it begins. CMRC 2018 (Cui et al. 2019) has a list of passages with other names,
whose answers have no place. The library `datasets` has a flat object for each question, with two
lists for its answers.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple, cast

from pydantic import Field

from foretext.base.config import Config
from foretext.base.errors import CorpusError
from foretext.base.parsing.json_file import json_value
from foretext.corpus.compression import LARGEST_PIECE
from foretext.corpus.encoding import Encoding
from foretext.corpus.findings import Place, Problem
from foretext.corpus.sources import Source, find_sources
from foretext.data.rows.given import given_elements, is_pair, shown
from foretext.data.rows.in_memory import RowSource
from foretext.data.rows.record import has_half_pair, type_name
from foretext.data.rows.records import read_lines
from foretext.messages import message

__all__ = [
    "Answer",
    "Question",
    "QuestionInput",
    "QuestionsConfig",
    "as_questions",
    "find_question_problems",
    "placed",
    "read_questions",
]

NESTED = ("data", "paragraphs", "qas")  # each one's entries are inside those of the one before

MANY = 0.5  # share of questions without an answer in their passage from which a file is refused
SHOWN = 60  # characters of an answer


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
    (`foretext.data.rows.questions`); `foretext.data.rows.questions` names such answers.

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
        raise CorpusError(message("errors.rows.no_questions", name=path))
    passages: dict[str, str] = {}  # each is in memory once, however many questions repeat it
    return [
        question._replace(context=passages.setdefault(question.context, question.context))
        for question in questions
    ]


def _questions(source: Source, config: QuestionsConfig, answered: bool) -> Iterator[Question]:
    lines = _lines(source, config)
    content, name = _content(lines, source.name)
    if not isinstance(content, list):
        return _questions_of(_Entry(content, source.name, ()), answered=answered)
    entries = _entries_of(content, source.name, name)
    return (question for entry in entries for question in _questions_of(entry, answered=answered))


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
            raise CorpusError(message("errors.rows.not_questions", name=file)) from None
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


def placed(text: str, start: int, context: str) -> Answer:
    """Return an answer with its place: the file's where that is right, else the nearest one.

    Args:
        text: of the answer.
        start: where the file says that it begins; negative: it does not say it.
        context: the passage.
    """
    if start >= 0 and context.startswith(text, start):
        return Answer(text, start)
    expected = max(start, 0)
    for units in ("utf-8", "utf-16-le"):
        characters = _characters(expected, context, units)
        if start >= 0 and characters is not None and context.startswith(text, characters):
            return Answer(text, characters, is_moved=True)
    nearest = _nearest(text, expected, context)
    if nearest is None:
        nearest = _nearest(_folded(text), expected, _folded(context))
    return Answer(text, nearest, is_moved=nearest is not None and start >= 0)


def _searched(text: str, context: str) -> Answer:
    """Return an answer whose place the file does not give, at the first place where it stands."""
    return placed(text, -1, context)


def _characters(units: int, context: str, encoding: str) -> int | None:
    """Return how many characters a number of bytes, or of UTF-16 units, stands for."""
    size = 2 if encoding == "utf-16-le" else 1
    try:
        return len(context.encode(encoding)[: units * size].decode(encoding))
    except UnicodeDecodeError:  # within a character
        return None


def _nearest(text: str, start: int, context: str) -> int | None:
    """Return the place of `text` that is nearest to `start`, None where there is none."""
    ahead, behind = context.find(text, start), context.rfind(text, 0, start + len(text))
    places = [place for place in (behind, ahead) if place >= 0]
    return min(places, key=lambda place: abs(place - start), default=None)


def _folded(text: str) -> str:
    """Return a text of the same length without differences of width, case and white space."""
    return "".join(map(_fold, text))


@cache
def _fold(character: str) -> str:
    if character.isspace():
        return " "
    folded = unicodedata.normalize("NFKC", character).lower()
    return folded if len(folded) == 1 else character


class Answer(NamedTuple):
    """A span of the context."""

    text: str
    start: int | None  # a character of the context; None where the context does not hold the text
    is_moved: bool = False  # whether the file gives another place


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

    @property
    def text(self) -> str:
        """Question and passage, by which rows are compared."""
        return f"{self.question}\n{self.context}"

    def as_object(self) -> dict[str, Any]:
        """Return the row as a flat object; ``answer_start`` -1: not in the passage."""
        answers = [
            {"text": answer.text, "answer_start": -1 if answer.start is None else answer.start}
            for answer in self.answers
        ]
        return {
            "id": self.key,
            "title": self.title,
            "question": self.question,
            "context": self.context,
            "answers": answers,
        }


QuestionInput = Question | tuple[str, str]  # a row, or a question and its passage


def as_questions(pairs: Any) -> list[Question]:
    """Return pairs as rows without answers; rows stay as they are.

    Raises:
        CorpusError: there is something else than pairs of texts.
    """
    found = []
    for number, pair in enumerate(given_elements(pairs, "pairs"), start=1):
        if isinstance(pair, Question):
            found.append(pair)
            continue
        if not is_pair(pair):
            raise CorpusError(
                f"pair {number} is {shown(pair)}; give a list of pairs, each of a question and the "
                "passage that may answer it."
            )
        question, context = pair
        found.append(Question("", question, context, (), "", ""))
    return found


class _Entry:
    """An object of the file; knows where it stands, for errors."""

    def __init__(self, values: Any, file: str, at: tuple[str, ...]) -> None:
        self.values, self.file, self.at = values, file, at
        if not isinstance(values, dict):
            raise self.error(f"{type_name(values)} stands where an object is expected.")

    def error(self, cause: str) -> CorpusError:
        """Return an error with the place of this object."""
        return CorpusError(f"{', '.join((self.file, *self.at))}: {cause}")

    def value(self, key: str, kind: type) -> Any:
        """Return a value of this type."""
        found = self.values.get(key)
        if not isinstance(found, kind):
            what = f"is {type_name(found)}" if key in self.values else "is missing"
            raise self.error(f"'{key}' {what}; files of questions have {type_name(kind())} there.")
        return found

    def text(self, *keys: str, default: str | None = None) -> str:
        """Return the text of the first of these keys that there is."""
        key = next((key for key in keys if key in self.values), keys[0])
        if default is not None and key not in self.values:
            return default
        return self.whole(cast(str, self.value(key, str)))

    def key(self) -> str:
        """Return the id of a question, which some files have as a number; "" without one."""
        found = next((self.values[key] for key in ("id", "query_id") if key in self.values), "")
        if isinstance(found, bool) or not isinstance(found, str | int):
            raise self.error(f"'id' is {type_name(found)}; write it as text or a whole number.")
        return self.whole(str(found))

    def whole(self, text: str) -> str:
        """Return a text, if it is made of characters."""
        if has_half_pair(text):
            raise self.error(
                "half of a surrogate pair (such as \\ud83d alone), which is no character, is "
                "in it; repair or remove the entry."
            )
        return text

    def entries(self, key: str) -> Iterator[_Entry]:
        """Yield the objects of a list."""
        return _entries_of(self.value(key, list), self.file, key, self.at)


class Passage(NamedTuple):
    """What the questions of an object have in common."""

    context: str | None
    title: str


NOTHING = Passage(None, "")


def _entries_of(
    values: list[Any], file: str, name: str, at: tuple[str, ...] = ()
) -> Iterator[_Entry]:
    """Yield the objects of a list, which errors call `name` and number from 1."""
    for number, each in enumerate(values, start=1):
        yield _Entry(each, file, (*at, f"{name} {number}"))


def _questions_of(
    entry: _Entry, inside: Passage = NOTHING, *, answered: bool = True
) -> Iterator[Question]:
    """Yield the questions of an object of any level: a file, an article, a passage, a question.

    Args:
        entry: the object.
        inside: of which passage.
        answered: whether answers are read.

    Raises:
        CorpusError: a part of an object is missing, or of another type than is expected.
    """
    title = entry.text("title", default=inside.title)
    context = inside.context
    if "context" in entry.values or "context_text" in entry.values:
        context = entry.text("context", "context_text")
    nested = next((key for key in NESTED if key in entry.values), None)
    if nested is not None:
        for each in entry.entries(nested):
            yield from _questions_of(each, Passage(context, title), answered=answered)
        return
    if context is None:
        missing = "data" if not entry.at else "paragraphs"
        raise entry.error(f"'{missing}' is missing; files of questions have an array there.")
    key = entry.key()
    question = entry.text("question", "query_text")
    answers = tuple(dict.fromkeys(_answers(entry, context))) if answered else ()
    place = f"{entry.file}:{key or ', '.join(entry.at)}"
    yield Question(key, question, context, answers, title, place)


def _answers(entry: _Entry, context: str) -> Iterator[Answer]:
    """Yield the answers of a question; an empty one says that there is none."""
    if entry.values.get("is_impossible") is True:
        return
    found = entry.values.get("answers")
    if isinstance(found, dict):
        found = _side_by_side(_Entry(found, entry.file, (*entry.at, "answers")))
    else:
        found = entry.value("answers", list)
    for number, each in enumerate(found, start=1):
        answer = _answer(each, context, entry, number)
        if answer.text.strip():
            yield answer


def _answer(given: Any, context: str, entry: _Entry, number: int) -> Answer:
    if isinstance(given, str):
        return _searched(entry.whole(given), context)
    if not isinstance(given, dict):
        raise entry.error(f"an answer is {type_name(given)}, not a string.")
    answer = _Entry(given, entry.file, (*entry.at, f"answers {number}"))
    return placed(answer.text("text"), answer.value("answer_start", int), context)


def _side_by_side(answers: _Entry) -> list[dict[str, Any]]:
    """Return the answers of an object with a list of texts and a list of places."""
    texts, starts = answers.value("text", list), answers.value("answer_start", list)
    if len(texts) != len(starts):
        raise answers.error(f"{len(texts)} texts and {len(starts)} places; correct the entry.")
    return [{"text": a, "answer_start": b} for a, b in zip(texts, starts, strict=True)]


def find_question_problems(
    train: Sequence[Question], test: Sequence[Question] = ()
) -> list[Problem]:
    """Return which answers do not stand in their passages, or not where the file says."""
    found = [*_unplaced(train), *_moved([*train, *test])]
    return sorted(found, key=lambda problem: problem.severity != "error")


def _unplaced(rows: Sequence[Question]) -> Iterator[Problem]:
    lost = [row for row in rows if row.answers and not row.is_placed]
    if not lost:
        return
    such = f"such as question '{lost[0].key}': '{lost[0].answers[0].text[:SHOWN]}'"
    number = f"{len(lost):,} of {len(rows):,} questions to learn from"
    if len(lost) > MANY * len(rows):
        yield _problem(
            "error",
            f"The answers to {number} do not occur in their passages ({such}); the passages are "
            "those of another file or were changed, so join answers and passages again.",
            lost[0],
        )
        return
    verb = "has answers that do" if len(lost) == 1 else "have answers that do"
    yield _problem(
        "warning",
        f"{number} {verb} not occur in the passage ({such}), and nothing is learned from them; "
        "correct answers or passages.",
        lost[0],
    )


def _moved(rows: Sequence[Question]) -> Iterator[Problem]:
    moved = [(row, answer) for row in rows for answer in row.answers if answer.is_moved]
    if moved:
        row, answer = moved[0]
        verb = "does" if len(moved) == 1 else "do"
        total = sum(len(row.answers) for row in rows)
        yield _problem(
            "warning",
            f"{len(moved):,} of {total:,} answers {verb} not begin where 'answer_start' says (such "
            f"as question '{row.key}': '{answer.text[:SHOWN]}' begins at {answer.start}); the "
            "nearest place where the passage has them was taken.",
            row,
        )


def _problem(severity: str, sentence: str, row: Question) -> Problem:
    file, _, _ = row.place.rpartition(":")
    return Problem.model_validate(
        {"severity": severity, "sentence": sentence, "place": Place(file=file)}
    )
