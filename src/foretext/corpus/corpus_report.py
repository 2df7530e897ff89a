"""What the corpus doctor found, as one tree that serialises to JSON."""

from __future__ import annotations

from typing import Any, Literal

from foretext.corpus.findings import (
    Coverage,
    Duplicates,
    FileFacts,
    Finding,
    FrequentWord,
    GrowthPoint,
    Lengths,
    Problem,
    Prospect,
)
from foretext.corpus.settings import Documents

__all__ = ["CorpusReport"]

_SHOWN = 12  # frequent words in a table


class CorpusReport(Finding):
    """Everything that `inspect_corpus` found; tokens are words, or single Chinese characters."""

    files: list[FileFacts]  # the first hundred
    num_files: int
    bytes: int | None  # as stored, None for standard input
    formats: dict[str, int]  # format -> files
    compressions: dict[str, int]  # compression -> files
    encoding: str
    documents_end: Documents | Literal["row"]
    documents: int
    sentences: int
    characters: int
    tokens: int
    distinct_words: int
    distinct_words_exact: bool  # False: estimated, because the words were too many to keep
    growth: list[GrowthPoint]  # about thirty
    coverage: list[Coverage]
    frequent_words: list[FrequentWord]
    document_lengths: Lengths
    sentence_lengths: Lengths
    lines: int  # of plain text, as stored
    empty_lines: int
    long_lines: int  # longer than `lines.LONGEST_LINE`, which are cut
    scripts: dict[str, float]  # share of the letters
    exact_duplicates: Duplicates
    near_duplicates: Duplicates  # among sampled documents, exact ones aside
    prospects: list[Prospect]
    problems: list[Problem]

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, as JSON has them."""
        return self.model_dump(mode="json")

    def tables(self) -> dict[str, list[tuple[str, str]]]:
        """Return title -> rows of (what, how much), for a terminal."""
        return {
            "What it is": self._form(),
            "What is in it": self._contents(),
            "Vocabulary": self._vocabulary(),
            "What each objective would see": [
                (prospect.objective, prospect.sentence) for prospect in self.prospects
            ],
        }

    def _form(self) -> list[tuple[str, str]]:
        ends = {"line": "at each line end", "blank_line": "at an empty line", "row": "at each row"}
        return [
            ("files", f"{self.num_files:,}"),
            ("format", _counted(self.formats)),
            ("compression", _counted(self.compressions)),
            ("encoding", self.encoding),
            ("bytes as stored", "unknown" if self.bytes is None else f"{self.bytes:,}"),
            ("documents end", ends[self.documents_end]),
            ("empty lines", f"{self.empty_lines:,} of {self.lines:,}"),
        ]

    def _contents(self) -> list[tuple[str, str]]:
        return [
            ("documents", f"{self.documents:,}"),
            ("sentences", f"{self.sentences:,}"),
            ("tokens", f"{self.tokens:,}"),
            ("characters", f"{self.characters:,}"),
            ("tokens a document", _spread(self.document_lengths)),
            ("tokens a sentence", _spread(self.sentence_lengths)),
            ("scripts", ", ".join(f"{name} {rate:.1%}" for name, rate in self.scripts.items())),
            ("exact duplicates", _repeated(self.exact_duplicates)),
            ("near duplicates, sampled", _repeated(self.near_duplicates)),
        ]

    def _vocabulary(self) -> list[tuple[str, str]]:
        about = "" if self.distinct_words_exact else "about "
        words = " ".join(each.word for each in self.frequent_words[:_SHOWN])
        return [
            ("distinct words", f"{about}{self.distinct_words:,}"),
            ("most frequent", words),
            *(
                (
                    f"with min_count = {each.min_count}",
                    f"{about}{each.words:,} words, {each.token_rate:.1%} of the tokens",
                )
                for each in self.coverage
            ),
        ]


def _counted(numbers: dict[str, int]) -> str:
    return ", ".join(f"{name} ({number:,})" for name, number in numbers.items())


def _spread(lengths: Lengths) -> str:
    return (
        f"{lengths.median:,} in the middle, {lengths.p05:,} to {lengths.p95:,} mostly, "
        f"{lengths.most:,} at most"
    )


def _repeated(found: Duplicates) -> str:
    return f"{found.duplicates:,} of {found.documents:,} ({found.rate:.1%})"
