"""What a person should know of questions before training, one sentence each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from foretext.corpus.findings import Place, Problem
from foretext.data.rows.question import Question

__all__ = ["find_question_problems"]

MANY = 0.5  # share of questions without an answer in their passage from which a file is refused
SHOWN = 60  # characters of an answer


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
