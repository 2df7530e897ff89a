"""Texts and their labels, out of a file or as a person has them in lists."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from pathlib import Path
from typing import NamedTuple

from foretext.data.rows import LabelledText, RowsConfig, read_texts
from foretext.errors import SettingError

__all__ = ["Labels", "Texts", "TextsWithLabels", "check_texts", "held_out", "labelled"]

Texts = str | Path | Sequence[str]  # a file, or N texts
Label = str | int  # a number is kept as text
Labels = Sequence[Label] | Sequence[Sequence[Label]]  # a label or several for each


class TextsWithLabels(NamedTuple):
    """N texts, and the labels of each, without prefix."""

    texts: Sequence[str]
    labels: Sequence[Sequence[str]]

    @classmethod
    def of_rows(cls, rows: Sequence[LabelledText]) -> TextsWithLabels:
        """Take texts and labels out of the rows of a file."""
        return cls([row.text for row in rows], [row.labels for row in rows])


def labelled(texts: Texts, labels: Labels | None, rows: RowsConfig | None) -> TextsWithLabels:
    """Read a file, or put texts and labels together.

    Raises:
        CorpusError: the file will not do.
        SettingError: texts and labels do not go together.
    """
    if isinstance(texts, str | Path):
        if labels is not None:
            raise SettingError(f"{texts} is a file, which holds its labels; leave out `labels`.")
        return TextsWithLabels.of_rows(read_texts(texts, rows))
    if labels is None:
        raise SettingError("Texts need labels: give a label for each, or the path of a file.")
    check_texts(texts)
    if len(texts) != len(labels):
        raise SettingError(
            f"{len(texts)} texts and {len(labels)} labels do not go together; give one of each."
        )
    return TextsWithLabels(texts, [_names(each) for each in labels])


def held_out(
    valid: str | Path | TextsWithLabels | None, rows: RowsConfig | None
) -> TextsWithLabels | None:
    """Read a file of held-out rows; anything else is taken as it is."""
    if isinstance(valid, str | Path):
        return TextsWithLabels.of_rows(read_texts(valid, rows))
    return valid


def check_texts(texts: Sequence[str]) -> None:
    """Raise a SettingError where something else than N texts is given."""
    if isinstance(texts, str):
        raise SettingError("A list of texts is expected, not a single one; write [text].")
    for number, text in enumerate(texts):
        if not isinstance(text, str):
            kind = type(text).__name__
            raise SettingError(f"texts[{number}] is a {kind}, not a text; correct it.")


def _names(given: Label | Sequence[Label]) -> tuple[str, ...]:
    if isinstance(given, str | Integral):
        return (str(given),)
    assert not isinstance(given, int), given
    return tuple(map(str, given))
