"""What a person labels, and what every format of labels can do with it.

Offsets count characters, as Python does. A format writes tasks that wait for a person, with what a
model answers, or rows that a person has labelled; `LabelTask.is_labelled` says which.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from foretext.base.files import atomic_file
from foretext.corpus.text_tokens import TextToken
from foretext.data.rows.label import LabelValue

__all__ = [
    "LabelFormat",
    "LabelTask",
    "LineFormat",
    "PlainRow",
    "TextSpan",
    "json_text",
    "rounded",
    "tasks_with_tabs",
]

TextSpan = tuple[int, int, str]  # characters from the first up to the one after the last; a label


class LabelTask(NamedTuple):
    """A text, or a pair of texts, that somebody shall label or has labelled.

    Attributes:
        texts: under the names of their fields.
        priority: how much it is worth to label it, the more the better; None: nobody knows.
        why: it was chosen, as a person reads it.
        labels: the answer; (): nothing, or there is no model.
        probability: of this answer; None: the model gives none.
        tokens: of a text to be tagged; None: there are none.
        spans: of the text, with a label each; None: it is to be classified.
        tags: of the tokens, as the model's rows write them.
        choices: all labels that there are.
        is_labelled: whether a person has chosen the answer; else a model suggests it.
        place: ``file:line`` of the row; "": it comes from no file.
    """

    texts: Mapping[str, str]
    priority: float | None = None
    why: str = ""
    labels: tuple[LabelValue, ...] = ()
    probability: float | None = None
    tokens: Sequence[TextToken] | None = None
    spans: Sequence[TextSpan] | None = None
    tags: Sequence[str] = ()
    choices: Sequence[LabelValue] = ()
    is_labelled: bool = False
    place: str = ""

    @property
    def text(self) -> str:
        """The text, or both of a pair."""
        return "\n\n".join(self.texts.values())

    @property
    def words(self) -> list[str]:
        """The tokens of a text to be tagged."""
        return [token.text for token in self.tokens or ()]

    @property
    def is_tagged(self) -> bool:
        """Whether its answer is spans of the text."""
        return self.spans is not None

    def facts(self) -> dict[str, Any]:
        """Return why it was chosen, as all formats of JSON have it; {}: it was labelled."""
        if self.is_labelled:
            return {}
        return {"priority": rounded(self.priority), "why": self.why}

    def own_tokens(self) -> dict[str, Any]:
        """Return the tokens, so that an export is read back with the same ones."""
        return {} if self.tokens is None else {"tokens": self.words}

    def pair(self) -> Mapping[str, str]:
        """Return both texts of a pair, beside the one that a program shows."""
        return self.texts if len(self.texts) > 1 else {}


class PlainRow(NamedTuple):
    """The values of a row, and whether a person has labelled it."""

    values: Mapping[str, Any]
    is_labelled: bool = True


class LabelFormat(ABC):
    """How a program in which people label texts writes and reads them."""

    name: ClassVar[str]
    suffixes: ClassVar[tuple[str, ...]] = ()  # of files that are surely of this format
    holds: ClassVar[frozenset[str]] = frozenset({"texts", "spans"})  # what it has room for
    why_not: ClassVar[str] = ""  # the rest of the sentence, where it lacks one of the two
    is_of_tokens: ClassVar[bool] = False  # whether spans are tags of tokens, and not offsets
    marks_suggestions: ClassVar[bool] = False  # whether its files mark what a model suggests

    def plain(self, values: Mapping[str, Any]) -> PlainRow | None:
        """Return the plain form of a JSON object; None: it is none of this program."""
        return None

    def misfits(self, tasks: Sequence[LabelTask]) -> Iterator[tuple[LabelTask, str]]:
        """Yield tasks that could not be read back as they are, each with a sentence on why."""
        yield from ()

    @abstractmethod
    def write(self, tasks: Sequence[LabelTask], path: Path) -> None:
        """Write tasks, all of one kind, into a file, which appears whole or not at all.

        Raises:
            OutputError: it cannot be written.
            MissingExtraError: a package for this format is not installed.
        """


class LineFormat(LabelFormat):
    """A format that is text."""

    def write(self, tasks: Sequence[LabelTask], path: Path) -> None:
        """Write the `lines` of tasks into a file; see `LabelFormat.write`."""
        with atomic_file(path) as made, made.open("w", encoding="utf-8", newline="") as out:
            out.writelines(self.lines(tasks))

    @abstractmethod
    def lines(self, tasks: Sequence[LabelTask]) -> Iterator[str]:
        """Yield the text of a file, line by line."""


def tasks_with_tabs(tasks: Sequence[LabelTask]) -> Iterator[tuple[LabelTask, str]]:
    """Yield tasks of which a token or a tag would end a column or a line."""
    for task in tasks:
        for name, texts in (("token", task.words), ("tag", task.tags)):
            if any(each in text for text in texts for each in "\t\r\n"):
                yield task, f"a {name} holds a tab or a line end; give jsonl"


def json_text(value: Any) -> str:
    """Return JSON on one line, its characters as they are."""
    return json.dumps(value, ensure_ascii=False)


def rounded(number: float | None) -> float | None:
    """Return a number as files have it."""
    return None if number is None else round(number, 6)
