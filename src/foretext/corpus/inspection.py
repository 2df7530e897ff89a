"""Inspection of a corpus: one streaming pass in bounded memory.

A word here is what it would be in the vocabulary of word vectors that learn from the corpus.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain

from foretext.corpus.advice import Proposal, by_section, proposals
from foretext.corpus.blocks import Advance
from foretext.corpus.compression import compression_of
from foretext.corpus.corpus import Corpus
from foretext.corpus.corpus_report import CorpusReport
from foretext.corpus.counted_words import CountedWords, WordSettings, compared_words
from foretext.corpus.duplicates import Document, ExactDuplicates
from foretext.corpus.findings import FileFacts, Lengths, Place, Problem
from foretext.corpus.formats import format_of, normal_form
from foretext.corpus.layout import Layout
from foretext.corpus.near_duplicates import NearDuplicates
from foretext.corpus.places import Locate, PlainPlaces, RowPlaces
from foretext.corpus.pre_tokenizers import PreTokenizerKind, likely_kind
from foretext.corpus.problems import find_problems
from foretext.corpus.prospects import prospects
from foretext.corpus.scripts import script_rates
from foretext.corpus.settings import CorpusConfig
from foretext.corpus.source import Source
from foretext.corpus.symptoms import Symptoms
from foretext.corpus.word_statistics import WordStatistics
from foretext.errors import CorpusError, ForetextError

__all__ = ["inspect_corpus"]

_MIN_COUNTS = (1, 2, 5, 10)
_MOST_FILES = 100  # in the report
_SLOW_CHARACTERS = 1_000_000  # looked at, about, where finding words takes long
_SCRIPT_SAMPLE = 1 << 16  # characters that show the script


def inspect_corpus(
    corpus: Corpus, progress: Advance | None = None, words: WordSettings | None = None
) -> CorpusReport:
    """Read `corpus` once and return what is in it and what is wrong with it.

    A file that cannot be read becomes a problem of severity "error", and the others are read. Where
    jieba finds the words, which is slow, they are counted in a part of the text.

    Args:
        corpus: to inspect.
        progress: advances by the stored bytes that were read.
        words: what a word is; None: what a run takes by default.

    Raises:
        CorpusError: there is no text at all; with the message of the first bad file, if any.
    """
    examination = _Examination(corpus, words or WordSettings())
    for source in corpus.sources:
        examination.read(source, progress)
    return examination.report()


class _Examination:
    """The tallies of one pass."""

    def __init__(self, corpus: Corpus, words: WordSettings) -> None:
        self._corpus = corpus
        self._word_settings = words
        kind = words.pre_tokenizer or _likely_kind(corpus)
        self._counted = CountedWords(kind, lowercase=words.lowercase)
        self._step = _step(corpus) if self._counted.is_slow else 1  # texts for one in which words
        self._num_texts = self._read_characters = self._counted_characters = 0  # are counted
        self._config = _resolved(corpus)
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
        format = format_of(source.name, source.reading(self._corpus.config))
        self._places = (PlainPlaces if format == "txt" else RowPlaces)(source.name)
        before = self._sentences.total()
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
                    documents=self._sentences.total() - before,
                )
            )

    def report(self) -> CorpusReport:
        """Return the report with its problems."""
        self._refuse_empty()
        rate = self._counted_characters / max(self._read_characters, 1)
        min_counts = sorted({*_MIN_COUNTS, self._word_settings.min_count})
        coverage = [self._words.coverage(min_count) for min_count in min_counts]
        proposed = _proposals(self._corpus)
        report = CorpusReport(
            files=self._files,
            num_files=len(self._corpus.sources),
            bytes=self._corpus.num_bytes,
            formats=dict(self._formats),
            compressions=dict(self._compressions),
            encoding=self._corpus.config.encoding,
            documents_end="row" if self._config.documents == "auto" else self._config.documents,
            reading={
                "corpus": self._config.model_dump(include={"lines", "documents", "sentences"})
                | {"normalization": self._config.normalization},
                "tokenizer": {
                    "pre_tokenizer": self._counted.kind,
                    "lowercase": self._word_settings.lowercase,
                },
            },
            settings=by_section(proposed),
            documents=self._sentences.total(),
            sentences=sum(count * number for count, number in self._sentences.items()),
            characters=self._characters,
            min_count=self._word_settings.min_count,
            counted_rate=rate,
            tokens=round(self._words.tokens / rate) if rate else 0,
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
                Counter({n: round(many / rate) for n, many in self._sentence_lengths.items()}),
                self._sentences,
                self._words.word_lengths(),
                next((each.words, each.tokens) for each in coverage if each.min_count == 5),
            ),
            problems=self._problems,
        )
        problems = find_problems(
            report,
            self._symptoms,
            self._largest[1],
            self._long_lines,
            proposed,
            _layout(self._corpus),
        )
        return report.model_copy(update={"problems": problems})

    def _read_texts(self, source: Source, progress: Advance | None) -> None:
        told = 0
        with source.open() as file:
            config = source.reading(self._config)
            for text in normal_form(file, source.name, config, self._places.see):
                self._add(text, self._places.locate)
                if progress is not None:
                    progress.advance(file.tell() - told)
                    told = file.tell()
            if progress is not None:
                progress.advance(file.tell() - told)

    def _add(self, text: str, locate: Locate) -> None:
        """Count a text in normal form."""
        is_counted = self._num_texts % self._step == 0
        self._num_texts += 1
        counted = self._counted.documents(text) if is_counted else None
        if counted is not None:
            self._count(counted)
            self._counted_characters += len(text)
        compared = compared_words(text) if counted is None or self._counted.is_slow else counted
        documents = [
            Document.of(original, list(chain.from_iterable(sentences)))
            for original, sentences in zip(text[:-2].split("\n\n"), compared, strict=True)
        ]
        self._sentences.update(map(len, compared))
        self._characters += sum(len(document.text) for document in documents)
        self._read_characters += len(text)
        for document in documents:
            self._exact.add(document, locate)
        self._near.add(documents, locate)
        self._symptoms.add(text, locate)
        longest = max(documents, key=lambda document: len(document.words))
        if len(longest.words) > self._largest[0]:
            self._largest = (len(longest.words), locate(longest.text))

    def _count(self, documents: list[list[list[str]]]) -> None:
        """Count the words of the sentences of documents."""
        for sentences in documents:
            lengths = [len(sentence) for sentence in sentences]
            self._sentence_lengths.update(lengths)
            self._document_lengths[sum(lengths)] += 1
        self._words.add([word for document in documents for line in document for word in line])

    def _refuse_empty(self) -> None:
        if self._sentences:
            return
        first = self._problems[0].sentence if self._problems else None
        raise CorpusError(first or f"{self._corpus}: there is no text in it; give another corpus.")


def _likely_kind(corpus: Corpus) -> PreTokenizerKind:
    try:
        return likely_kind(next(corpus.blocks(_SCRIPT_SAMPLE), "")[:_SCRIPT_SAMPLE])
    except CorpusError:  # of a file that cannot be read; the pass itself reports it
        return "unicode_words"


def _proposals(corpus: Corpus) -> list[Proposal]:
    try:
        return proposals(corpus)
    except CorpusError:  # likewise
        return []


def _layout(corpus: Corpus) -> Layout:
    try:
        return corpus.layout
    except CorpusError:  # likewise
        return Layout([])


def _step(corpus: Corpus) -> int:
    """Of how many texts one is looked at where finding words takes long."""
    characters = (corpus.num_bytes or 0) / 3  # of a Chinese text, not compressed
    return max(1, round(characters / _SLOW_CHARACTERS))


def _resolved(corpus: Corpus) -> CorpusConfig:
    try:
        return corpus.resolved
    except CorpusError:  # of a file that cannot be read; the pass itself reports it
        return corpus.config.model_copy(update={"lines": "whole", "documents": "line"})


def _compression(source: Source) -> str | None:
    with source.open() as file:
        return compression_of(file.read(16), source.name)
