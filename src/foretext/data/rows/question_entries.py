"""The objects of files of questions, in the forms that are found, and errors that name their place.

SQuAD (Rajpurkar et al. 2016, 2018) nests data > paragraphs > qas and gives each answer with the
character at which it begins. CMRC 2018 (Cui et al. 2019) has a list of passages with other names,
whose answers have no place. The library `datasets` has a flat object for each question, with two
lists for its answers.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, cast

from foretext.base.errors import CorpusError
from foretext.data.rows.answer_places import placed, searched
from foretext.data.rows.question import Answer, Question
from foretext.data.rows.record import has_half_pair, type_name

__all__ = ["Entry", "entries_of", "questions_of"]

NESTED = ("data", "paragraphs", "qas")  # each one's entries are inside those of the one before


class Entry:
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

    def entries(self, key: str) -> Iterator[Entry]:
        """Yield the objects of a list."""
        return entries_of(self.value(key, list), self.file, key, self.at)


class Passage(NamedTuple):
    """What the questions of an object have in common."""

    context: str | None
    title: str


NOTHING = Passage(None, "")


def entries_of(
    values: list[Any], file: str, name: str, at: tuple[str, ...] = ()
) -> Iterator[Entry]:
    """Yield the objects of a list, which errors call `name` and number from 1."""
    for number, each in enumerate(values, start=1):
        yield Entry(each, file, (*at, f"{name} {number}"))


def questions_of(
    entry: Entry, inside: Passage = NOTHING, *, answered: bool = True
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
            yield from questions_of(each, Passage(context, title), answered=answered)
        return
    if context is None:
        missing = "data" if not entry.at else "paragraphs"
        raise entry.error(f"'{missing}' is missing; files of questions have an array there.")
    key = entry.key()
    question = entry.text("question", "query_text")
    answers = tuple(dict.fromkeys(_answers(entry, context))) if answered else ()
    place = f"{entry.file}:{key or ', '.join(entry.at)}"
    yield Question(key, question, context, answers, title, place)


def _answers(entry: Entry, context: str) -> Iterator[Answer]:
    """Yield the answers of a question; an empty one says that there is none."""
    if entry.values.get("is_impossible") is True:
        return
    found = entry.values.get("answers")
    if isinstance(found, dict):
        found = _side_by_side(Entry(found, entry.file, (*entry.at, "answers")))
    else:
        found = entry.value("answers", list)
    for number, each in enumerate(found, start=1):
        answer = _answer(each, context, entry, number)
        if answer.text.strip():
            yield answer


def _answer(given: Any, context: str, entry: Entry, number: int) -> Answer:
    if isinstance(given, str):
        return searched(entry.whole(given), context)
    if not isinstance(given, dict):
        raise entry.error(f"an answer is {type_name(given)}, not a string.")
    answer = Entry(given, entry.file, (*entry.at, f"answers {number}"))
    return placed(answer.text("text"), answer.value("answer_start", int), context)


def _side_by_side(answers: Entry) -> list[dict[str, Any]]:
    """Return the answers of an object with a list of texts and a list of places."""
    texts, starts = answers.value("text", list), answers.value("answer_start", list)
    if len(texts) != len(starts):
        raise answers.error(f"{len(texts)} texts and {len(starts)} places; correct the entry.")
    return [{"text": a, "answer_start": b} for a, b in zip(texts, starts, strict=True)]
