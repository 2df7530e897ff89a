"""How a corpus is read: the settings of the section `[corpus]`."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from foretext.base.config import Config
from foretext.corpus.compression import LARGEST_PIECE
from foretext.corpus.encoding import Encoding
from foretext.corpus.file_formats import AUTO, FORMATS, FormatName

__all__ = ["CorpusConfig", "Documents", "Lines"]

Documents = Literal["line", "blank_line", "blank_lines", "file"]
Lines = Literal["whole", "wrapped"]


class CorpusConfig(Config):
    """Format and encoding of the files, and where lines, documents and sentences end."""

    format: FormatName = AUTO
    """Format of the files; auto: by suffix."""
    column: str = "text"
    """Column with the text, of all formats but txt."""
    encoding: Encoding = "utf-8"
    """Encoding of the files; a byte order mark is accepted."""
    lines: Literal["auto", "whole", "wrapped"] = "auto"
    """How txt is broken into lines; wrapped: at a width, within sentences; auto: by the text."""
    documents: Literal["auto", "line", "blank_line", "blank_lines", "file"] = "auto"
    """What ends a document of txt: a line, an empty line, two or more, or the file's end."""
    sentences: Literal["line", "punctuation"] = "line"
    """What ends a sentence; punctuation: also split within lines."""
    normalization: Literal["none", "NFC", "NFKC"] = "NFC"
    """Unicode normal form that texts are brought into."""
    max_piece_bytes: int = Field(default=LARGEST_PIECE, ge=1 << 20, le=1 << 31)
    """Bytes of the text that are in memory at once, at most."""

    @model_validator(mode="after")
    def _effective(self) -> Self:
        """Refuse settings without effect."""
        if self.format == "txt" and self.column != "text":
            raise ValueError(f"column = {self.column!r} has no effect on format = 'txt'")
        if self.format not in ("auto", "txt"):
            for name in ("lines", "documents"):
                if getattr(self, name) != "auto":
                    raise ValueError(
                        f"{name} = {getattr(self, name)!r} has no effect on format = "
                        f"{self.format!r}, where each row is a document"
                    )
        if self.format != AUTO and FORMATS[self.format].is_binary and self.encoding != "utf-8":
            raise ValueError(
                f"encoding has no effect on format = {self.format!r}, which is always UTF-8"
            )
        return self
