"""Labelled files as people have them, read row by row; a wrong row is named by file and line."""

from __future__ import annotations

from foretext.data.rows.settings import RowsConfig
from foretext.data.rows.texts import LabelledText, read_texts

__all__ = ["LabelledText", "RowsConfig", "read_texts"]
