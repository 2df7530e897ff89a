"""Inspection of a corpus: one streaming pass in bounded memory.

A word here is a run of letters, digits and marks, in lower case, or a single Chinese or Japanese
character, whatever tokenizer is used later.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import chain

from foretext.corpus.blocks import Advance
from foretext.corpus.compression import compression_of
from foretext.corpus.corpus import Corpus
from foretext.corpus.corpus_report import CorpusReport
from foretext.corpus.duplicates import Document, ExactDuplicates
from foretext.corpus.findings import FileFacts, Lengths, Place, Problem
from foretext.corpus.formats import format_of, normal_form
from foretext.corpus.near_duplicates import NearDuplicates
from foretext.corpus.places import Locate, PlainPlaces, RowPlaces
from foretext.corpus.problems import find_problems
from foretext.corpus.prospects import prospects
from foretext.corpus.scripts import script_rates
from foretext.corpus.settings import CorpusConfig
from foretext.corpus.source import Source
from foretext.corpus.symptoms import Symptoms
from foretext.corpus.word_statistics import WordStatistics
from foretext.errors import CorpusError, ForetextError

__all__ = ["inspect_corpus"]

_WORD = re.compile(r"\w+")
_CJK = "\u2e80-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
_MARKS = "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0900-\u0963\u0966-\u109f"
_ANY_WORD = re.compile(rf"[{_CJK}]|[^\W{_CJK}]+(?:[{_MARKS}]+[^\W{_CJK}]*)*")
_NEEDS_CARE = re.compile(rf"[{_MARKS}{_CJK}]")
_MIN_COUNTS = (1, 2, 5, 10)
_MOST_FILES = 100  # in the report


def inspect_corpus(corpus: Corpus, progress: Advance | None = None) -> CorpusReport:
    """Read `corpus` once and return what is in it and what is wrong with it.

    A file that cannot be read becomes a problem of severity "error", and the others are read.

    Args:
        corpus: to inspect.
        progress: advances by the stored bytes that were read.

    Raises:
        CorpusError: there is no text at all; with the message of the first bad file, if any.
    """
    examination = _Examination(corpus)
    for source in corpus.sources:
        examination.read(source, progress)
    return examination.report()


class _Examination:
    """The tallies of one pass."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._config = _settled(corpus)
        self._files: list[FileFacts] = []
        self._formats: Counter[str] = Counter()
        self._compressions: Counter[str] = Counter()
        self._problems: list[Problem] = []
        self._places: PlainPlaces | RowPlaces
        self._lines = self._empty_lines = 0
        self._long_lines: list[Place] = []
        self._largest = (-1, Place(file=""))
        self._characters = 0
        self._words = WordStatistics()
        self._document_lengths: Counter[int] = Counter()  # tokens -> documents
        self._sentence_lengths: Counter[int] = Counter()  # tokens -> sentences
        self._sentences: Counter[int] = Counter()  # sentences -> documents
        self._exact = ExactDuplicates()
        self._near = NearDuplicates()
        self._symptoms = Symptoms()

    def read(self, source: Source, progress: Advance | None) -> None:
        """Count one file; a file that cannot be read becomes a problem."""
        format = format_of(source.name, self._corpus.config)
        self._places = (PlainPlaces if format == "txt" else RowPlaces)(source.name)
        before = self._document_lengths.total()
        try:
            compression = _compression(source)
            self._compressions[compression or "none"] += 1
            self._read_texts(source, progress)
        except ForetextError as error:
            compression = None
            place = Place(file=source.name)
            self._problems.append(Problem(severity="error", sentence=str(error), place=place))
        self._formats[format] += 1
        self._lines += self._places.lines
        self._empty_lines += self._places.empty_lines
        self._long_lines += self._places.long_lines
        if len(self._files) < _MOST_FILES:
            self._files.append(
                FileFacts(
                    name=source.name,
                    format=format,
                    compression=compression,
                    bytes=source.size,
                    documents=self._document_lengths.total() - before,
                )
            )

    def report(self) -> CorpusReport:
        """Return the report with its problems."""
        self._refuse_empty()
        coverage = [self._words.coverage(min_count) for min_count in _MIN_COUNTS]
        report = CorpusReport(
            files=self._files,
            num_files=len(self._corpus.sources),
            bytes=self._corpus.num_bytes,
            formats=dict(self._formats),
            compressions=dict(self._compressions),
            encoding=self._corpus.config.encoding,
            documents_end="row" if self._config.documents == "auto" else self._config.documents,
            documents=self._document_lengths.total(),
            sentences=self._sentence_lengths.total(),
            characters=self._characters,
            tokens=self._words.tokens,
            distinct_words=self._words.distinct,
            distinct_words_exact=self._words.exact,
            growth=self._words.growth(),
            coverage=coverage,
            frequent_words=self._words.frequent(),
            document_lengths=Lengths.of(self._document_lengths),
            sentence_lengths=Lengths.of(self._sentence_lengths),
            lines=self._lines,
            empty_lines=self._empty_lines,
            long_lines=len(self._long_lines),
            scripts=script_rates(self._symptoms.characters),
            exact_duplicates=self._exact.found(),
            near_duplicates=self._near.found(),
            prospects=prospects(
                self._sentence_lengths,
                self._sentences,
                self._words.word_lengths(),
                next((each.words, each.tokens) for each in coverage if each.min_count == 5),
            ),
            problems=self._problems,
        )
        problems = find_problems(report, self._symptoms, self._largest[1], self._long_lines)
        return report.model_copy(update={"problems": problems})

    def _read_texts(self, source: Source, progress: Advance | None) -> None:
        told = 0
        with source.open() as file:
            for text in normal_form(file, source.name, self._config, self._places.see):
                self._add(text, self._places.locate)
                if progress is not None:
                    progress.advance(file.tell() - told)
                    told = file.tell()
            if progress is not None:
                progress.advance(file.tell() - told)

    def _add(self, text: str, locate: Locate) -> None:
        """Count a text in normal form."""
        find = (_ANY_WORD if _NEEDS_CARE.search(text) else _WORD).findall
        documents: list[Document] = []
        lengths: list[int] = []
        for original, lowered in zip(_documents(text), _documents(text.lower()), strict=True):
            sentences = [find(sentence) for sentence in lowered.split("\n")]
            words = list(chain.from_iterable(sentences))
            lengths += map(len, sentences)
            self._sentences[len(sentences)] += 1
            documents.append(Document.of(original, words))
        self._characters += sum(len(document.text) for document in documents)
        self._document_lengths.update(len(document.words) for document in documents)
        self._sentence_lengths.update(lengths)
        self._words.add(list(chain.from_iterable(document.words for document in documents)))
        for document in documents:
            self._exact.add(document, locate)
        self._near.add(documents, locate)
        self._symptoms.add(text, locate)
        longest = max(documents, key=lambda document: len(document.words))
        if len(longest.words) > self._largest[0]:
            self._largest = (len(longest.words), locate(longest.text))

    def _refuse_empty(self) -> None:
        if self._document_lengths:
            return
        first = self._problems[0].sentence if self._problems else None
        raise CorpusError(first or f"{self._corpus}: there is no text in it; give another corpus.")


def _documents(text: str) -> list[str]:
    return text[:-2].split("\n\n")


def _settled(corpus: Corpus) -> CorpusConfig:
    try:
        return corpus.settled
    except CorpusError:  # of a file that cannot be read; the pass itself reports it
        return corpus.config.model_copy(update={"lines": "whole", "documents": "line"})


def _compression(source: Source) -> str | None:
    with source.open() as file:
        return compression_of(file.read(16), source.name)
