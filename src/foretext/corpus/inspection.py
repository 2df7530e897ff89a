"""Inspection of a corpus: one streaming pass in bounded memory.

A word here is what it would be in the vocabulary of word vectors that learn from the corpus.

The text is cut into shards that depend on the text alone. Each is tallied, by this process or by
those of an engine, and tallies are added up in the order of the text. Every figure of a tally can
be added up exactly, so the report is the same whoever works on it:

* counts of lengths, words, characters and signs are sums;
* of more than a million different words and of many documents samples are taken, by hashes and not
  by chance: what belongs to the sample depends on the whole text, and each tally holds a little
  more than that (`foretext.corpus.word_statistics`, `duplicates`, `sketches`);
* places are looked up by this process, which has read the files.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import Literal

from foretext.base.errors import CorpusError
from foretext.corpus.advice import Proposal, by_section, proposals
from foretext.corpus.blocks import Advance
from foretext.corpus.corpus import Corpus
from foretext.corpus.duplicates import ExactDuplicates
from foretext.corpus.findings import CorpusReport, FileKind, Lengths, Place, WordSettings
from foretext.corpus.layout import Layout
from foretext.corpus.near_duplicate_sample import NearDuplicates
from foretext.corpus.pre_tokenizers import PreTokenizerKind, likely_kind
from foretext.corpus.problems import find_problems, prospects
from foretext.corpus.read_shards import ReadFiles, ReadShard
from foretext.corpus.scripts import script_rates
from foretext.corpus.settings import Documents
from foretext.corpus.shard_tally import ShardTally, TallySettings, tallies
from foretext.corpus.symptoms import Symptoms
from foretext.corpus.word_statistics import WordStatistics
from foretext.messages import message
from foretext.shards import ShardEngine

__all__ = ["inspect_corpus"]

_MIN_COUNTS = (1, 2, 5, 10)
_SLOW_CHARACTERS = 1_000_000  # looked at, about, where finding words takes long
_SYMBOLS = 20  # that a report names
_SCRIPT_SAMPLE = 1 << 16  # characters that show the script


def inspect_corpus(
    corpus: Corpus,
    progress: Advance | None = None,
    words: WordSettings | None = None,
    engine: ShardEngine | None = None,
) -> CorpusReport:
    """Read `corpus` once and return what is in it and what is wrong with it.

    A file that cannot be read becomes a problem of severity "error", and the others are read. Where
    jieba finds the words, which is slow, they are counted in a part of the text.

    Args:
        corpus: to inspect.
        progress: advances by the stored bytes that were read.
        words: what a word is; None: what a run takes by default.
        engine: whose processes look at the text; the report is the same. None: this process does.

    Raises:
        CorpusError: there is no text at all; with the message of the first bad file, if any.
    """
    examination = _Examination(corpus, words or WordSettings())
    examination.read(progress, engine)
    return examination.report()


class _Examination:
    """The tallies of one pass."""

    def __init__(self, corpus: Corpus, words: WordSettings) -> None:
        self._corpus = corpus
        self._word_settings = words
        kind = words.pre_tokenizer or _likely_kind(corpus)
        every = _step(corpus) if kind == "chinese_words" else 1
        self._settings = TallySettings(kind, words.lowercase, every)
        self._config = corpus.resolved_where_readable
        self._files = ReadFiles(corpus)
        self._largest = (-1, Place(file=""))
        self._characters = self._read_characters = self._counted_characters = 0
        self._words = WordStatistics()
        self._document_lengths: Counter[int] = Counter()  # tokens -> documents
        self._sentence_lengths: Counter[int] = Counter()  # tokens -> sentences
        self._sentences: Counter[int] = Counter()  # sentences -> documents
        self._exact = ExactDuplicates()
        self._near = NearDuplicates()
        self._symptoms = Symptoms()

    def read(self, progress: Advance | None, engine: ShardEngine | None) -> None:
        """Tally the text, and add the tallies up."""
        for shard, tally in tallies(self._files.shards(), self._settings, engine):
            self._add(shard, tally)
            if progress is not None:
                progress.advance(shard.num_bytes)
        if progress is not None:
            progress.advance(self._files.num_bytes)  # behind the last text

    def report(self) -> CorpusReport:
        """Return the report with its problems."""
        self._refuse_empty()
        rate = self._counted_characters / max(self._read_characters, 1)
        min_counts = sorted({*_MIN_COUNTS, self._word_settings.min_count})
        coverage = [self._words.coverage(min_count) for min_count in min_counts]
        proposed = _proposals(self._corpus)
        report = CorpusReport(
            files=self._files.files,
            num_files=len(self._corpus.sources),
            bytes=self._corpus.num_bytes,
            formats=dict(self._files.formats),
            compressions=dict(self._files.compressions),
            encoding=self._corpus.config.encoding,
            documents_end=_documents_end(self._files.kinds),
            kinds=self._files.kinds,
            left_out=self._corpus.left_out,
            reading={
                "corpus": self._config.model_dump(include={"lines", "documents", "sentences"})
                | {"normalization": self._config.normalization},
                "tokenizer": {
                    "pre_tokenizer": self._settings.kind,
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
            lines=self._files.lines,
            empty_lines=self._files.empty_lines,
            long_lines=len(self._files.long_lines),
            scripts=script_rates(self._symptoms.characters),
            symbols=dict(self._symptoms.symbols.counts.most_common(_SYMBOLS)),
            symbol_rate=self._symptoms.symbols.rate,
            exact_duplicates=self._exact.found(),
            near_duplicates=self._near.found(),
            prospects=prospects(
                Counter({n: round(many / rate) for n, many in self._sentence_lengths.items()}),
                self._sentences,
                self._words.word_lengths(),
                next((each.words, each.tokens) for each in coverage if each.min_count == 5),
            ),
            problems=self._files.problems,
        )
        problems = find_problems(
            report,
            self._symptoms,
            self._largest[1],
            self._files.long_lines,
            proposed,
            _layout(self._corpus),
        )
        return report.model_copy(update={"problems": problems})

    def _add(self, shard: ReadShard, tally: ShardTally) -> None:
        """Add the tally of the next shard."""
        self._characters += tally.characters
        self._read_characters += tally.read_characters
        self._counted_characters += tally.counted_characters
        self._document_lengths.update(tally.document_lengths)
        self._sentence_lengths.update(tally.sentence_lengths)
        self._sentences.update(tally.sentences)
        self._words.add(tally.words, tally.points)
        self._exact.add(tally.digests, shard)
        self._near.add(tally.sketches, shard)
        self._symptoms.merge(tally.symptoms, partial(shard.place_of, first=True))
        length, number = tally.longest
        if length > self._largest[0]:
            self._largest = length, shard.place(number)

    def _refuse_empty(self) -> None:
        if self._sentences:
            return
        first = self._files.problems[0].sentence if self._files.problems else None
        raise CorpusError(first or message("errors.no_text", corpus=self._corpus))


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


def _documents_end(kinds: list[FileKind]) -> Documents | Literal["row", "mixed"]:
    """Return what ends a document; with rows and text, what ends one of text."""
    ends = {kind.documents_end for kind in kinds}
    if len(ends) > 1:
        ends -= {"row"}
    return ends.pop() if len(ends) == 1 else "mixed"
