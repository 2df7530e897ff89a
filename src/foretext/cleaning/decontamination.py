"""Documents that contain text of a test set: they share an n-gram of 13 words with it.

A model that has read its test is good at that test alone (Brown et al. 2020, "Language Models are
Few-Shot Learners", appendix C). Each character of a script without blanks counts as a word.

Every text in a file of a test set, whatever the task: no column has to be named. All strings of a
row count, labels and ids too, because what is too short to be a text is left out
later.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby, islice
from pathlib import Path, PurePosixPath
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import CorpusError
from foretext.base.parsing.json_file import json_value
from foretext.cleaning.signatures import Words, hash_words, split_text
from foretext.corpus import Corpus, CorpusConfig
from foretext.corpus.compression import without_compression_suffix
from foretext.corpus.parquet import parquet_batches
from foretext.corpus.sources import Source, find_sources
from foretext.data.rows.records import read_lines
from foretext.data.rows.table import csv_records

__all__ = ["TEST_GRAM", "Overlap", "TestTexts", "file_texts"]

TEST_GRAM = 13  # words
SHORTEST = 8  # words of a test's text; what is shorter stands in many documents by chance

_BATCH = 4096  # texts
_SLOTS = 16  # of the filter, at least, for each n-gram

_ENCODING = "utf-8"
_SHOWN = 50  # lines that show the kind of a file
_FEWEST_TAGGED = 10  # lines, with tokens in equally many columns

Text = tuple[str, str]  # its place in the file, such as "line 3", and the text


class Overlap(NamedTuple):
    """What a document shares with the test sets."""

    place: str  # ``file, line 3`` of the first text of a test that it shares words with
    words: str  # the first n-gram that is shared
    rate: float  # of the words of the document: those in shared n-grams


class TestTexts:
    """The n-grams of test sets, found in documents by their hashes of 64 bits.

    Args:
        texts: of the tests, each after its place.

    Attributes:
        num_texts: those that are long enough to be found, of 8 words or more.
        num_short: those that are not.

    Raises:
        CorpusError: no text is long enough.
    """

    __test__: ClassVar = False  # or pytest would take the class for a test, by its name

    def __init__(self, texts: Iterable[tuple[str, str]]) -> None:
        self._places: list[str] = []
        self.num_short = 0
        found = [self._add(batch) for batch in _batches(texts)]
        self.num_texts = len(self._places)
        if not found or not self._places:
            raise CorpusError(
                f"No text of the test sets has {SHORTEST} words, so that nothing could be found in "
                "a corpus; give other files, or none."
            )
        grams = np.concatenate([hashes for hashes, _, _ in found])
        self._lengths = np.unique(np.concatenate([lengths for _, _, lengths in found])).tolist()
        self._grams, first = np.unique(grams, return_index=True)  # (T,) uint64
        self._texts = np.concatenate([texts for _, texts, _ in found])[first]  # (T,) int64
        self._filter = np.zeros(1 << (_SLOTS * len(self._grams)).bit_length(), np.bool_)
        self._filter[self._grams & self._mask] = True

    @classmethod
    def read(cls, sources: str | Path | Source | Sequence[str | Path | Source]) -> Self:
        """Read test sets: files of rows (CSV, TSV, JSON, Parquet, CoNLL) or of running text.

        All strings of a row count, so no column has to be named.

        Raises:
            CorpusError: a file is missing or damaged, or no text is long enough.
        """
        return cls(
            (f"{source.name}, {place}", text)
            for source in find_sources(sources)
            for place, text in file_texts(source)
        )

    def overlap(self, text: str) -> Overlap | None:
        """Return what a document shares with the tests, if anything."""
        return self.overlaps([text])[0]

    def overlaps(self, texts: Sequence[str]) -> list[Overlap | None]:
        """Return what each of some documents shares with the tests; faster than one by one."""
        words = hash_words(texts)
        covered = np.zeros(len(words.hashes) + 1, np.int64)  # (W + 1,) steps up and down
        first: dict[int, tuple[int, int, int]] = {}  # document -> word, n, index of the n-gram
        for n in self._lengths:
            grams = words.grams(n)
            for at, index in self._shared(grams):
                document = int(np.searchsorted(grams.starts, at, side="right")) - 1
                word = int(words.starts[document]) + at - int(grams.starts[document])
                end = min(word + n, int(words.starts[document + 1]))
                covered[word] += 1
                covered[end] -= 1
                first[document] = min(first.get(document, (word, n, index)), (word, n, index))
        is_covered = np.cumsum(covered[:-1]) > 0  # (W,)
        found: list[Overlap | None] = [None] * len(texts)
        for document, (word, n, index) in first.items():
            start, end = words.starts[document : document + 2]
            shared = split_text(texts[document])[word - start : word - start + n]
            place = self._places[self._texts[index]]
            found[document] = Overlap(place, " ".join(shared), float(is_covered[start:end].mean()))
        return found

    @property
    def _mask(self) -> np.uint64:
        return np.uint64(len(self._filter) - 1)

    def _shared(self, grams: Words) -> Iterator[tuple[int, int]]:
        """Yield the places of n-grams that a test has, each with its index there."""
        places = np.flatnonzero(self._filter[grams.hashes & self._mask])
        if not len(places):
            return
        wanted = grams.hashes[places]
        index = np.minimum(np.searchsorted(self._grams, wanted), len(self._grams) - 1)
        is_there = self._grams[index] == wanted
        yield from zip(places[is_there].tolist(), index[is_there].tolist(), strict=True)

    def _add(
        self, batch: Sequence[tuple[str, str]]
    ) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64]]:
        """Return n-grams of texts, the number of the text of each, and all values of n."""
        words = hash_words([text for _, text in batch])
        num_words = np.diff(words.starts)  # (texts,)
        is_long = num_words >= SHORTEST
        self.num_short += int((~is_long).sum())
        numbers = np.cumsum(is_long) - 1 + len(self._places)
        self._places += [place for (place, _), long in zip(batch, is_long, strict=True) if long]
        grams = words.grams(TEST_GRAM)
        num_grams = np.diff(grams.starts)
        return (
            grams.hashes[np.repeat(is_long, num_grams)],
            np.repeat(numbers[is_long], num_grams[is_long]),
            np.minimum(num_words[is_long], TEST_GRAM),
        )


def _batches(texts: Iterable[tuple[str, str]]) -> Iterator[list[tuple[str, str]]]:
    left = iter(texts)
    while batch := [*islice(left, _BATCH)]:
        yield batch


def file_texts(source: Source) -> Iterator[Text]:
    """Yield the texts of a file: rows of CSV, TSV, JSON, Parquet or CoNLL, or running text.

    Raises:
        CorpusError: it cannot be read.
        MissingExtraError: a package for this format is not installed.
    """
    suffix = PurePosixPath(without_compression_suffix(source.name)).suffix.lower()
    if suffix == ".parquet":
        return _placed("row", _parquet_rows(source))
    first = [*islice(read_lines(source, _ENCODING), _SHOWN)]
    beginning = "".join(first[:1])
    lines = read_lines(source, _ENCODING)
    if suffix == ".csv":
        records = csv_records(lines, source.name, ())
        return _placed("line", ((record.line, record.values) for record in records))
    if suffix in (".json", ".jsonl", ".ndjson") or beginning.startswith(("{", "[")):
        return _json_texts([*lines], source.name)
    if _are_tagged(first):
        return _placed("line", _tagged_rows(lines))
    if "\t" in beginning:
        return _placed("line", enumerate((line.split("\t") for line in lines), start=1))
    return _placed("document", enumerate(Corpus(source, CorpusConfig(format="txt")), start=1))


def _placed(unit: str, rows: Iterable[tuple[int, Any]]) -> Iterator[Text]:
    """Yield the strings of rows with numbers, at any depth."""
    return ((f"{unit} {number}", text) for number, row in rows for text in _strings(row))


def _parquet_rows(source: Source) -> Iterator[tuple[int, Any]]:
    columns: list[str] = []  # filled before the first batch is read
    with source.open() as file:
        batches = parquet_batches(
            file, columns, source.name, lambda schema: columns.extend(schema.names)
        )
        yield from enumerate(chain.from_iterable(batches), start=1)


def _json_texts(lines: list[str], name: str) -> Iterator[Text]:
    """Yield the strings of a value a line, or of one value on all lines."""
    written = [(number, line) for number, line in enumerate(lines, start=1) if line.strip()]
    if len(written) > 1 and _is_json(written[0][1]):
        return _placed("line", ((number, _json(line, name, number)) for number, line in written))
    strings = _strings(_json("\n".join(lines), name, 1) if written else [])
    return _placed("string", enumerate(strings, start=1))


def _json(text: str, name: str, line: int) -> Any:
    try:
        return json_value(text)
    except ValueError as error:
        raise CorpusError(
            f"{name}, line {line}: this is not JSON ({error}); correct it, or give another file."
        ) from None


def _is_json(text: str) -> bool:
    try:
        json_value(text)
    except ValueError:
        return False
    return True


def _are_tagged(lines: list[str]) -> bool:
    """Whether lines have a token and its tags: equally many words each, two or more."""
    widths = [len(line.split()) for line in lines if line.strip()]
    return len(widths) >= _FEWEST_TAGGED and len({*widths}) == 1 and widths[0] > 1


def _tagged_rows(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yield the first columns between two empty lines as a text, with its first line."""
    numbered = enumerate((line.split() for line in lines), start=1)
    for has_token, rows in groupby(numbered, lambda row: bool(row[1])):
        if has_token:
            sentence = [*rows]
            yield sentence[0][0], " ".join(fields[0] for _, fields in sentence)


def _strings(value: Any) -> Iterator[str]:
    """Yield the strings of a row, at any depth."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from (text for part in value.values() for text in _strings(part))
    elif isinstance(value, list):
        yield from (text for part in value for text in _strings(part))
