"""How a corpus is to be read: the settings of the section `[corpus]`."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from foretext.config import Config
from foretext.corpus.compression import LARGEST_PIECE
from foretext.corpus.encoding import Encoding

__all__ = ["CorpusConfig", "Documents", "Format"]

Format = Literal["txt", "jsonl", "csv", "tsv", "parquet"]
Documents = Literal["line", "blank_line"]


class CorpusConfig(Config):
    """What the files hold and where documents and sentences end in them."""

    format: Literal["auto", "txt", "jsonl", "csv", "tsv", "parquet"] = "auto"  # auto: by suffix
    column: str = "text"  # of jsonl, csv, tsv and parquet
    encoding: Encoding = "utf-8"  # a byte order mark is accepted
    documents: Literal["auto", "line", "blank_line"] = "auto"  # of txt: where a document ends
    sentences: Literal["line", "punctuation"] = "line"  # punctuation: split inside lines as well
    normalization: Literal["none", "NFC", "NFKC"] = "NFC"
    max_piece_bytes: int = Field(default=LARGEST_PIECE, ge=1 << 20, le=1 << 31)  # held at once

    @model_validator(mode="after")
    def _effective(self) -> Self:
        """Refuse what would have no effect."""
        if self.format == "txt" and self.column != "text":
            raise ValueError(f"column = {self.column!r} has no effect on format = 'txt'")
        if self.format not in ("auto", "txt") and self.documents != "auto":
            raise ValueError(
                f"documents = {self.documents!r} has no effect on format = {self.format!r}, "
                "where a row is a document"
            )
        if self.format == "parquet" and self.encoding != "utf-8":
            raise ValueError("encoding has no effect on format = 'parquet', which is always UTF-8")
        return self
