"""How labelled files are to be read: the settings of the section `[rows]`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from foretext.base.config import Config
from foretext.corpus.compression import LARGEST_PIECE
from foretext.corpus.encoding import Encoding

__all__ = ["COLUMNS", "Column", "Columns", "LabelledConfig", "RowsConfig", "as_columns"]

_WITHOUT_NUMBERS = ("jsonl", "fasttext", "trec", "parquet", "docbin")
Column = str | int  # a name, or a number from 1
_WITHOUT_COLUMNS = {"fasttext": "fastText's", "trec": "TREC's"}
COLUMNS = ("text", "label", "text_a", "text_b", "negative", "score", "source", "target")


def _as_tuple(given: Any) -> Any:
    """Take a list, which TOML has where Python has a tuple; refuse what names no column."""
    columns = tuple(given) if isinstance(given, list | tuple) else (given,)
    for column in columns:
        if isinstance(column, bool) or not isinstance(column, str | int) or column in ("", 0):
            raise ValueError("write the name of a column, or its number, the first one being 1")
        if isinstance(column, int) and column < 0:
            raise ValueError("columns are counted from 1")
    if not columns:
        raise ValueError("name a column")
    return columns if isinstance(given, list | tuple) else given


Columns = Annotated[str | int | tuple[str | int, ...], BeforeValidator(_as_tuple)]


def as_columns(chosen: str | int | Sequence[Column] | None) -> tuple[Column, ...]:
    """Return one column or several as several, None as none."""
    if chosen is None:
        return ()
    return (chosen,) if isinstance(chosen, str | int) else tuple(chosen)


class LabelledConfig(Config):
    """Settings that all labelled files have: a format, an encoding, and columns with a meaning."""

    headerless: ClassVar[dict[str, int]]  # meaning -> number, in a .txt file without a header
    may_lack_header: ClassVar[bool] = False  # whether a .tsv file may, too

    format: Literal["auto", "csv", "tsv", "jsonl", "fasttext", "trec", "parquet", "docbin"] = "auto"
    """Format of the files; auto: by suffix and first row."""
    encoding: Encoding = "utf-8"
    """Encoding of the files; a byte order mark is accepted."""
    ragged: bool = False
    """Whether rows may have more fields than the first one, which are left out."""
    max_piece_bytes: int = Field(default=LARGEST_PIECE, ge=1 << 20, le=1 << 31)
    """Bytes of a row, at most."""

    @property
    def columns(self) -> tuple[Column, ...]:
        """All columns that are read."""
        chosen = (getattr(self, meaning) for meaning in self.headerless)
        return tuple(column for columns in chosen for column in as_columns(columns))

    @property
    def is_numbered(self) -> bool:
        """Whether columns are named by number, which says that the file has no header."""
        return any(isinstance(column, int) for column in self.columns)

    @property
    def fasttext_prefix(self) -> str | None:
        """What labels begin with in fastText's files; None: such files are not read."""
        return None

    @property
    def trec_depth(self) -> str | None:
        """Which labels are read of lines of TREC, coarse or fine; None: such lines are not read."""
        return None

    def _named(self) -> str:
        """Return the columns with the options that name them."""
        chosen = [name for name in COLUMNS if name in type(self).model_fields]
        given = [
            f"--{name.replace('_', '-')} {column}"
            for name in chosen
            for column in as_columns(getattr(self, name))
        ]
        return ", ".join(given)

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        kinds = {type(column) for column in self.columns}
        if len(kinds) > 1:
            raise ValueError(
                "name the columns all by name (the file has a header) or all by number (it has "
                f"none): {self._named()}"
            )
        if self.is_numbered and self.format in _WITHOUT_NUMBERS:
            raise ValueError(f"columns of format = '{self.format}' have names, not numbers")
        if self.ragged and self.format in _WITHOUT_NUMBERS:
            raise ValueError(f"ragged has no effect on format = '{self.format}'")
        return self


class RowsConfig(LabelledConfig):
    """Texts with one label or several."""

    headerless: ClassVar[dict[str, int]] = {"label": 1, "text": 2}

    text: Columns = "text"
    """Column of the text, by name or number; several are joined by a blank."""
    label: str | Annotated[int, Field(ge=1)] | None = "label"
    """Column of the label; none: the rows have no labels."""
    label_separator: str | None = Field(default=None, min_length=1)
    """What separates the labels of one field; none: one label."""
    label_prefix: str = Field(default="__label__", min_length=1)
    """Beginning of labels in fastText's files."""
    trec_labels: Literal["coarse", "fine"] = "coarse"
    """Labels of TREC's lines: LOC or LOC:city where a line begins with LOC:city."""
    normalization: Literal["none", "NFC", "NFKC"] = "NFC"
    """Unicode normal form of the texts, as of a corpus."""

    @property
    def fasttext_prefix(self) -> str | None:
        """What labels begin with in fastText's files; None: columns were chosen."""
        has_columns = self.changed & {"text", "label", "label_separator"}
        return None if has_columns else self.label_prefix

    @property
    def trec_depth(self) -> str | None:
        """Which labels are read of lines of TREC; None: columns were chosen."""
        has_columns = self.changed & {"text", "label", "label_separator"}
        return None if has_columns else self.trec_labels

    @model_validator(mode="after")
    def _effective(self) -> Self:
        """Refuse what would have no effect."""
        if self.format in _WITHOUT_COLUMNS and self.changed & {"text", "label", "label_separator"}:
            whose = _WITHOUT_COLUMNS[self.format]
            raise ValueError(f"{whose} files have no columns and no label_separator")
        if self.format not in ("auto", "fasttext") and "label_prefix" in self.changed:
            raise ValueError(f"label_prefix has no effect on format = '{self.format}'")
        if self.format not in ("auto", "trec") and "trec_labels" in self.changed:
            raise ValueError(f"trec_labels has no effect on format = '{self.format}'")
        if self.label is None and self.label_separator is not None:
            raise ValueError("label_separator has no effect where there is no label")
        return self
