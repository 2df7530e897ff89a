"""Texts and their labels, out of a file or as a person has them in lists."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from foretext.base.errors import SettingError
from foretext.corpus.decoding import Form
from foretext.corpus.texts import is_file_or_source
from foretext.data.rows import LabelledText, RowsConfig, read_texts
from foretext.data.rows.given import given_label_sets, given_texts
from foretext.tasks.classification.labeller import check_same_number
from foretext.tasks.classification.task import Classification

__all__ = ["Labels", "Texts", "TextsWithLabels", "form_of", "held_out", "labelled"]

Texts = str | Path | Sequence[str]  # a file, or N texts
Labels = Sequence[Any]  # a label or several for each: texts, whole numbers or booleans


class TextsWithLabels(NamedTuple):
    """N texts, and the labels of each, without prefix."""

    texts: Sequence[str]
    labels: Sequence[Sequence[str]]

    @classmethod
    def of_rows(cls, rows: Sequence[LabelledText]) -> TextsWithLabels:
        """Take texts and labels out of the rows of a file."""
        return cls([row.text for row in rows], [row.labels for row in rows])


def labelled(texts: Any, labels: Labels | None, rows: RowsConfig | None) -> TextsWithLabels:
    """Read a file or rows in memory, or put texts and labels together.

    Raises:
        CorpusError: the file will not do.
        SettingError: texts and labels do not go together.
    """
    if is_file_or_source(texts):
        if labels is not None:
            raise SettingError(f"{texts} is a file, which holds its labels; leave out `labels`.")
        return TextsWithLabels.of_rows(read_texts(texts, rows))
    if labels is None:
        if isinstance(texts, Sequence) and any(isinstance(each, str) for each in texts):
            raise SettingError("Texts need labels: give a label for each, or the path of a file.")
        return TextsWithLabels.of_rows(read_texts(Classification().source_of(texts), rows))
    found, sets = given_texts(texts), given_label_sets(labels)
    check_same_number(found, sets)
    return TextsWithLabels(found, sets)


def form_of(labels: Labels | None, rows: RowsConfig | None) -> Form | None:
    """Return the Unicode normal form of what `labelled` reads; None: as they are given."""
    return (rows or RowsConfig()).normalization if labels is None else None


def held_out(valid: Any, rows: RowsConfig | None) -> TextsWithLabels | None:
    """Read held-out rows as `labelled` does; texts with labels are taken as they are."""
    if valid is None or isinstance(valid, TextsWithLabels):
        return valid
    return labelled(valid, None, rows)
