"""How a corpus is read: the settings of the section `[corpus]`."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from foretext.config import Config
from foretext.corpus.compression import LARGEST_PIECE
from foretext.corpus.encoding import Encoding

__all__ = ["CorpusConfig", "Documents", "Format", "Lines"]

Format = Literal["txt", "jsonl", "csv", "tsv", "parquet"]
Documents = Literal["line", "blank_line", "blank_lines", "file"]
Lines = Literal["whole", "wrapped"]


class CorpusConfig(Config):
    """Format and encoding of the files, and where lines, documents and sentences end."""

    format: Literal["auto", "txt", "jsonl", "csv", "tsv", "parquet"] = "auto"  # auto: by suffix
    column: str = "text"  # of jsonl, csv, tsv and parquet
    encoding: Encoding = "utf-8"  # a byte order mark is accepted
    lines: Literal["auto", "whole", "wrapped"] = "auto"  # of txt; wrapped: cut at a width
    documents: Literal["auto", "line", "blank_line", "blank_lines", "file"] = "auto"
    # of txt: what ends a document: each line, one empty line, two or more, the end of the file
    sentences: Literal["line", "punctuation"] = "line"  # punctuation: also split within lines
    normalization: Literal["none", "NFC", "NFKC"] = "NFC"
    max_piece_bytes: int = Field(default=LARGEST_PIECE, ge=1 << 20, le=1 << 31)  # in memory at once

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
        if self.format == "parquet" and self.encoding != "utf-8":
            raise ValueError("encoding has no effect on format = 'parquet', which is always UTF-8")
        return self
