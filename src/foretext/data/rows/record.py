"""One row of a labelled file, with the place that it has there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from foretext.base.errors import CorpusError, did_you_mean
from foretext.corpus.column_lookup import has_column, nested_names, value_at
from foretext.data.rows.settings import COLUMNS, Column

__all__ = ["Record", "has_half_pair", "missing", "type_name"]

_SURROGATE = re.compile("[\ud800-\udfff]")


class Record(NamedTuple):
    """Values under the names of their columns, or under their numbers from 1."""

    values: Mapping[Any, Any]
    file: str
    line: int  # the first of the row, from 1; of Parquet the row

    @property
    def place(self) -> str:
        """``file:line``, as editors and compilers write it."""
        return f"{self.file}:{self.line}"

    def error(self, cause: str) -> CorpusError:
        """Return an error with the place of this row."""
        return CorpusError(f"{self.file}, line {self.line}: {cause}")

    def value(self, column: Column) -> Any:
        """Return the value of `column`.

        Raises:
            CorpusError: there is no such column.
        """
        try:
            return value_at(self.values, column)
        except KeyError:
            names = self.values if "." not in str(column) else nested_names(self.values)
            raise self.error(missing(column, names)) from None

    def has(self, column: Column) -> bool:
        """Whether there is a column of this name."""
        return has_column(self.values, column)

    def text(self, column: Column) -> str:
        """Return the text of `column`, "" for null.

        Raises:
            CorpusError: there is no such column, or it holds something else.
        """
        value = self.value(column)
        if value is None:
            return ""
        if not isinstance(value, str):
            inner = next(nested_names(value), None) if isinstance(value, dict) else None
            advice = (
                "" if inner is None else f"; name one of its values, such as '{column}.{inner}'"
            )
            raise self.error(f"'{column}' holds {type_name(value)} where text is expected{advice}.")
        return self.whole(value, str(column))

    def number(self, column: Column) -> float:
        """Return the number of `column`, which may be written as text.

        Raises:
            CorpusError: there is no such column, or it holds no finite number.
        """
        value = self.value(column)
        try:
            number = float(value) if isinstance(value, str | int | float) else None
        except (ValueError, OverflowError):  # an integer too large for a float
            number = None
        if number is None or isinstance(value, bool) or not abs(number) < float("inf"):
            shown = repr(value[:40]) if isinstance(value, str) else type_name(value)
            raise self.error(
                f"'{column}' holds {shown} where a finite number is expected; correct or remove "
                "the row."
            )
        return number

    def whole(self, text: str, column: str) -> str:
        """Return a text of `column`, if it is made of characters.

        Raises:
            CorpusError: there is half of a surrogate pair in it, which JSON can hold.
        """
        if has_half_pair(text):
            raise self.error(
                f"'{column}' holds half of a surrogate pair (such as \\ud83d alone), which is no "
                "character; correct or remove the line."
            )
        return text

    def texts(self, columns: Iterable[Column]) -> str:
        """Return the texts of `columns`, joined by blanks."""
        return " ".join(self.text(column) for column in columns)


def has_half_pair(text: str) -> bool:
    """Whether a text holds half of a surrogate pair, which no encoding can write."""
    return not text.isascii() and _SURROGATE.search(text) is not None


def missing(column: Column, present: Iterable[Any], remedy: str = "") -> str:
    """Say that `column` is not among those `present`, and which one may be meant.

    Args:
        column: that is wanted.
        present: the names that there are.
        remedy: a sentence, where there is a better one than to name the column.
    """
    names = list(present)
    shown = ", ".join(repr(str(name)[:40]) for name in names[:12]) + (", ..." if names[12:] else "")
    if isinstance(column, int):
        if names and not any(isinstance(name, int) for name in names):
            shown = ", ".join(repr(str(name)[:40]) for name in names[:12])
            return f"the columns have names, not numbers: name them by these, {shown}."
        return f"there is no column {column}; the rows have {len(names)}: name one of these."
    hint = did_you_mean(column, [str(name) for name in names])
    if len(names) == 1 and any(mark in str(names[0]) for mark in ";\t|,"):
        hint = (
            " Columns are separated by ',' in .csv and by a tab in .tsv; if they are by tabs here, "
            "--set rows.format=tsv says so."
        )
    other = _task_of({str(name) for name in names}, column)
    advice = hint or remedy or _name_it(column)
    return f"there is no column '{column}', only {shown or 'none'}.{other}{advice}"


def _name_it(column: Column) -> str:
    """Say by which option a column is named."""
    if column in COLUMNS:
        return f" Name the right one (--{str(column).replace('_', '-')} NAME)."
    return " Name the right one."


def _task_of(names: set[str], column: Column) -> str:
    """Say which task has rows with such names, if it is another one than that of `column`."""
    return next(
        (
            f" Rows with {known} are those of the task `{task}`."
            for task, known, of_task in _TASKS
            if names >= of_task and column not in of_task
        ),
        "",
    )


_TASKS = (  # with the names of columns that say so
    ("tagging", "'tokens'", {"tokens"}),
    ("span_qa", "a question and its passage", {"question", "context"}),
    ("span_qa", "articles of questions", {"data"}),
    ("span_qa", "passages and their questions", {"paragraphs"}),
    ("matching", "two texts", {"text_a", "text_b"}),
    ("matching", "two texts", {"sentence1", "sentence2"}),
    ("text_to_text", "a source and its target", {"source", "target"}),
    ("classification", "a text and its label", {"text", "label"}),
)


def type_name(value: Any) -> str:
    """Return what JSON calls the type of `value`, with an article."""
    names = {dict: "an object", list: "an array", bool: "a boolean", type(None): "null"}
    return names.get(type(value), "a string" if isinstance(value, str) else "a number")
