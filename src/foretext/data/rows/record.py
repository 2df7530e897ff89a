"""One row of a labelled file, with the place that it has there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from foretext.base.errors import CorpusError, suggestion
from foretext.corpus.column_lookup import has_column, nested_names, value_at
from foretext.data.rows.settings import COLUMNS, Column
from foretext.messages import in_language, message, sentences, translated

__all__ = ["Record", "has_half_pair", "missing", "type_name", "type_said"]

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
        """Return an error that names file and line of this row; `cause` is in English."""
        return CorpusError(f"{self.file}, line {self.line}: {cause}")

    def translated_error(self, cause: str) -> CorpusError:
        """Return the same error in the reader's language; `cause` is in it already."""
        return CorpusError(message("errors.at_line", file=self.file, line=self.line, cause=cause))

    def value(self, column: Column) -> Any:
        """Return the value of `column`.

        Raises:
            CorpusError: there is no such column.
        """
        try:
            return value_at(self.values, column)
        except KeyError:
            names = self.values if "." not in str(column) else nested_names(self.values)
            raise self.translated_error(missing(column, names)) from None

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
            key, known = "no_text", {"column": column, "kind": type_said(value)}
            if inner is not None:
                key, known = "no_text_but", {**known, "inner": inner}
            raise self.translated_error(message(f"errors.row.{key}", **known))
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
            shown = repr(value[:40]) if isinstance(value, str) else type_said(value)
            raise self.translated_error(message("errors.row.no_finite", column=column, shown=shown))
        return number

    def whole(self, text: str, column: str) -> str:
        """Return a text of `column`, if it is made of characters.

        Raises:
            CorpusError: there is half of a surrogate pair in it, which JSON can hold.
        """
        if has_half_pair(text):
            raise self.translated_error(message("errors.row.half_pair", column=column))
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
            return message("errors.rows.named_columns", columns=shown)
        return message("errors.rows.no_number", column=column, number=len(names))
    hint = suggestion(column, [str(name) for name in names])
    if len(names) == 1 and any(mark in str(names[0]) for mark in ";\t|,"):
        hint = message("errors.rows.separators")
    other = _task_of({str(name) for name in names}, column)
    advice = hint or remedy or _name_it(column)
    known = {"column": column, "columns": shown or translated("none")}
    return sentences([message("errors.rows.no_column", **known), other, advice])


def _name_it(column: Column) -> str:
    """Say by which option a column is named."""
    if column in COLUMNS:
        option = f"--{str(column).replace('_', '-')}"
        return message("errors.rows.name_by_option", option=option)
    return message("errors.rows.name_it")


def _task_of(names: set[str], column: Column) -> str:
    """Say which task has rows with such names, if it is another one than that of `column`."""
    return next(
        (
            message("errors.rows.other_task", columns=message(f"errors.row_of.{kind}"), task=task)
            for task, kind, of_task in _TASKS
            if names >= of_task and column not in of_task
        ),
        "",
    )


_TASKS = (  # with the names of columns that say so
    ("tagging", "tokens", {"tokens"}),
    ("span_qa", "question", {"question", "context"}),
    ("span_qa", "articles", {"data"}),
    ("span_qa", "passages", {"paragraphs"}),
    ("matching", "texts", {"text_a", "text_b"}),
    ("matching", "texts", {"sentence1", "sentence2"}),
    ("text_to_text", "source", {"source", "target"}),
    ("classification", "text", {"text", "label"}),
)


def type_name(value: Any) -> str:
    """Return what JSON calls the type of `value`, with an article."""
    with in_language("en"):
        return type_said(value)


def type_said(value: Any) -> str:
    """Return the same in the reader's language."""
    names = {dict: "object", list: "array", bool: "boolean", type(None): "null"}
    kind = names.get(type(value), "string" if isinstance(value, str) else "number")
    return message(f"errors.type.{kind}")
