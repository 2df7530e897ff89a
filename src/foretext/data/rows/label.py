"""Labels are values: text, whole numbers and booleans come back as they came.

Everywhere inside, a label is its name, a text in NFC: so it is compared, counted, written into
reports. The value that it came as goes along with the name, and is what a model answers with.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any, Self, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from foretext.corpus.foreign_tables import plain_value
from foretext.messages import message

__all__ = [
    "Label",
    "LabelValue",
    "found_labels",
    "kept_values",
    "label_array",
    "named_labels",
    "of_one_type",
    "ordered_labels",
]

LabelValue: TypeAlias = str | int | bool

_KINDS = {bool: "booleans", int: "whole numbers", str: "texts"}


class Label(str):
    """The name of a label, with the value that it came as.

    Two labels are equal where their names are: the text "1" and the number 1 are one label.

    Args:
        value: of Python, numpy or pandas; blanks around a text do not count, a number without a
            fraction is a whole one.

    Raises:
        ValueError: with half a sentence, it is none of these.

    >>> Label(7), Label(7).value, Label(True)
    ('7', 7, 'True')
    """

    value: LabelValue

    def __new__(cls, value: Any) -> Self:  # noqa: D102  the class says it
        if isinstance(value, Label):
            return cast(Self, value)
        plain = plain_value(value)
        if isinstance(plain, float) and plain.is_integer():
            plain = int(plain)
        if isinstance(plain, str):
            plain = plain.strip()
        if plain is None or plain == "":
            raise ValueError(message("files.rows.empty_label"))
        if not isinstance(plain, str | int):
            is_fraction = isinstance(plain, float)
            key = "files.rows.fraction" if is_fraction else "files.rows.wrong_label"
            said = message(key, value=plain if is_fraction else _shown(plain))
            raise ValueError(said)  # noqa: TRY004  as of any other wrong label
        return cls._of(plain)

    @classmethod
    def _of(cls, value: LabelValue) -> Self:
        label = super().__new__(cls, unicodedata.normalize("NFC", str(value)))
        label.value = value
        return label

    @classmethod
    def read(cls, name: str) -> Self:
        """Return the label of a model of another library, whose name may be any text."""
        return cast(Self, name) if isinstance(name, Label) else cls._of(name)


def ordered_labels(labels: Iterable[str]) -> tuple[Label, ...]:
    """Return each label once, sorted by value, as scikit-learn sorts classes.

    Labels of several types become texts, as in an array of numpy.
    """
    return tuple(sorted(of_one_type(labels), key=lambda label: label.value))


def of_one_type(labels: Iterable[str]) -> list[Label]:
    """Return each label once, in the order in which they came; those of several types as texts."""
    found = list(dict.fromkeys(map(Label.read, labels)))
    if len({type(label.value) for label in found}) > 1:
        return [Label.read(str(label)) for label in found]
    return found


def label_array(labels: Sequence[str]) -> NDArray[Any]:
    """Return the values of labels, (C,): of text, whole numbers or booleans."""
    values = [Label.read(each).value for each in labels]
    return np.array(values) if values else np.array([], np.str_)


def kept_values(labels: Sequence[str]) -> list[LabelValue] | None:
    """Return the values of labels as JSON keeps them; None: they are the names."""
    values = [Label.read(each).value for each in labels]
    return None if values == list(map(str, labels)) else values


def found_labels(labels: Sequence[str]) -> dict[str, list[Any]]:
    """Return names and values of labels as JSON keeps them: what `named_labels` takes."""
    values = kept_values(labels)
    return {
        "labels": list(map(str, labels)),
        **({} if values is None else {"label_values": values}),
    }


def named_labels(
    names: Sequence[str], values: Sequence[LabelValue] | None = None
) -> tuple[Label, ...]:
    """Return labels out of a file, from their names and what `kept_values` kept.

    Raises:
        ValueError: the two do not fit.
    """
    if values is None:
        return tuple(Label.read(name) for name in names)
    labels = tuple(map(Label, values))
    if list(labels) != list(names) or len({type(label.value) for label in labels}) > 1:
        raise ValueError("the values of its labels do not fit their names")
    return labels


def _shown(value: Any) -> str:
    text = repr(value)
    return f"{text if len(text) <= 40 else f'{text[:37]}...'} of type {type(value).__name__}"
