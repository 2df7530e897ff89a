"""What the corpus doctor found, as one tree that serialises to JSON."""

from __future__ import annotations

from typing import Any, Literal

from foretext.base.representation import Represented
from foretext.corpus.findings import (
    Coverage,
    Duplicates,
    FileFacts,
    FileKind,
    Finding,
    FrequentWord,
    GrowthPoint,
    Lengths,
    Problem,
    Prospect,
)
from foretext.corpus.settings import Documents

__all__ = ["CorpusReport"]


class CorpusReport(Represented, Finding):
    """All findings of `inspect_corpus`; tokens are the words of the pre-tokeniser in `reading`."""

    files: list[FileFacts]  # the first hundred
    num_files: int
    bytes: int | None  # stored bytes, None for standard input
    formats: dict[str, int]  # format -> files
    compressions: dict[str, int]  # compression -> files
    encoding: str
    documents_end: Documents | Literal["row", "mixed"]  # mixed: files differ, see `kinds`
    kinds: list[FileKind]  # how files are read, the most documents first
    left_out: dict[str, int]  # files of folders that are not read, by suffix
    reading: dict[str, dict[str, str | bool]]  # how it was read, by section of a recipe
    settings: dict[str, dict[str, str | bool]]  # that suit it, by section; see `advice`
    documents: int
    sentences: int
    characters: int
    min_count: int  # of a vocabulary
    counted_rate: float  # share of the text in which words were counted; below 1: with jieba
    tokens: int  # estimated where not all were counted
    distinct_words: int
    distinct_words_exact: bool  # False: estimated, because there were too many words
    growth: list[GrowthPoint]  # about thirty
    coverage: list[Coverage]
    frequent_words: list[FrequentWord]
    document_lengths: Lengths
    sentence_lengths: Lengths
    lines: int  # of plain text, as in the file
    empty_lines: int
    long_lines: int  # longer than `lines.LONGEST_LINE`; these are split
    scripts: dict[str, float]  # share of the letters
    symbols: dict[str, int]  # that are no part of a word, in a sample of the lines, the commonest
    symbol_rate: float  # share of these lines that have one
    exact_duplicates: Duplicates
    near_duplicates: Duplicates  # among sampled documents, without exact ones
    prospects: list[Prospect]
    problems: list[Problem]

    def summary(self) -> dict[str, Any]:
        """Return what Python and a notebook show of the report."""
        return {
            "files": self.num_files,
            **({"read as": [str(kind) for kind in self.kinds]} if len(self.kinds) > 1 else {}),
            "documents": self.documents,
            "sentences": self.sentences,
            "tokens": self.tokens,
            "distinct words": self.distinct_words,
            "scripts": [f"{name} {rate:.0%}" for name, rate in self.scripts.items()],
            "problems": [str(problem) for problem in self.problems] or "none",
        }

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, as JSON has them."""
        return self.model_dump(mode="json")
