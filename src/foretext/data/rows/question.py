"""One question on a passage, and the answers that the passage holds."""

from __future__ import annotations

from typing import Any, NamedTuple

from foretext.base.errors import CorpusError
from foretext.data.rows.given import given_elements, is_pair, shown

__all__ = ["Answer", "Asked", "Question", "as_questions"]


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


Asked = Question | tuple[str, str]  # a row, or a question and the passage that may answer it


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
