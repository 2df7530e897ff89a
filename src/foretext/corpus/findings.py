"""The parts of a corpus report; `findings` puts them together."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any, Literal, NamedTuple, Self

from pydantic import BaseModel, ConfigDict

from foretext.base.counted import counted
from foretext.base.representation import represented
from foretext.corpus.pre_tokenizers import PreTokenizerKind
from foretext.corpus.settings import Documents, Lines
from foretext.messages import message

__all__ = [
    "CorpusReport",
    "Coverage",
    "Duplicates",
    "FileFacts",
    "FileKind",
    "Finding",
    "FrequentWord",
    "GrowthPoint",
    "Lengths",
    "Place",
    "Problem",
    "Prospect",
    "WordSettings",
    "how_read",
    "named_files",
]

_LONGEST_NAME = 60  # characters, from its end
_ENDS = {
    "row": "a document a row",
    "line": "a document a line",
    "blank_line": "documents end at an empty line",
    "blank_lines": "documents end at several empty lines",
    "file": "a document a file",
}


class Finding(BaseModel):
    """Base of all: frozen, and serialised by `model_dump`."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Place(Finding):
    """Where something was found; lines count from 1, None: not known."""

    file: str
    line: int | None = None
    unit: Literal["line", "row"] = "line"  # row: of jsonl, csv, tsv and parquet, without header

    def __str__(self) -> str:
        if self.line is None:
            return self.file
        return message(f"findings.place.{self.unit}", file=self.file, line=self.line)


class Problem(Finding):
    """One sentence on something to know (note), to check (warning) or to correct (error)."""

    severity: Literal["error", "warning", "note"]
    sentence: str
    place: Place | None = None

    def __str__(self) -> str:
        """Return the sentence, with its place if the sentence does not contain it."""
        if self.place is None or self.place.file in self.sentence:
            return self.sentence
        return message("terminal.placed", said=self.sentence, where=self.place)


class FileFacts(Finding):
    """One file as it was read."""

    name: str
    format: str
    lines: Lines | None  # None: of rows
    documents_end: Documents | Literal["row"]
    compression: str | None
    bytes: int | None  # stored bytes
    documents: int


class FileKind(Finding):
    """The files that are read in one way."""

    format: str
    lines: Lines | None  # None: of rows
    documents_end: Documents | Literal["row"]
    num_files: int
    documents: int
    examples: list[str]  # names of the first files

    def __str__(self) -> str:
        """Return which files they are, and how they are read."""
        files = named_files(self.examples, self.num_files)
        documents = counted(self.documents, "document")
        return f"{files}: {self.format}, {how_read(self.lines, self.documents_end)}; {documents}"


def named_files(examples: Sequence[str], number: int) -> str:
    """Return how many files there are, with the names of some."""
    names = ", ".join(name[-_LONGEST_NAME:] for name in examples)
    more = ", ..." if number > len(examples) else ""
    return f"{counted(number, 'file')} ({names}{more})"


def how_read(lines: Lines | None, documents_end: Documents | Literal["row"]) -> str:
    """Return how a file is read, in words."""
    return _ENDS[documents_end] + (", lines joined" if lines == "wrapped" else "")


class Lengths(Finding):
    """Quantiles of lengths in tokens."""

    mean: float
    least: int
    p05: int
    p25: int
    median: int
    p75: int
    p95: int
    most: int

    @classmethod
    def of(cls, counts: Mapping[int, int]) -> Self:
        """Return the quantiles, from how often each length occurs; there is at least one."""
        ordered = sorted(counts.items())
        total = sum(counts.values())
        reached = list(accumulate(number for _, number in ordered))

        def quantile(share: float) -> int:
            return ordered[bisect_left(reached, share * total)][0]

        return cls(
            mean=sum(length * number for length, number in ordered) / total,
            least=ordered[0][0],
            p05=quantile(0.05),
            p25=quantile(0.25),
            median=quantile(0.5),
            p75=quantile(0.75),
            p95=quantile(0.95),
            most=ordered[-1][0],
        )


class GrowthPoint(Finding):
    """How many distinct words the first `tokens` tokens contain."""

    tokens: int
    distinct_words: int


class Coverage(Finding):
    """How much of the vocabulary and the text is left if rarer words are unknown."""

    min_count: int
    words: int
    tokens: int
    token_rate: float  # share of all tokens


class FrequentWord(Finding):
    """A word and how often it occurs."""

    word: str
    count: int
    rate: float  # share of all tokens


class Duplicates(Finding):
    """Documents that equal, or nearly equal, an earlier one."""

    documents: int  # that were compared
    duplicates: int  # of these, how many repeat an earlier one
    rate: float
    examples: list[str]  # beginnings
    places: list[Place]


class Prospect(Finding):
    """What an objective would learn from in this corpus."""

    objective: str
    figures: dict[str, int | float]
    sentence: str


@represented
class CorpusReport(Finding):
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


class WordSettings(NamedTuple):
    """Settings of words, as of the vocabulary of word vectors."""

    pre_tokenizer: PreTokenizerKind | None = None  # None: by the script, as a run does
    lowercase: bool = True
    min_count: int = 5
