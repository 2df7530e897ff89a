"""Texts and their labels, out of a file or as a person has them in lists."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import CorpusError, SettingError
from foretext.corpus.counts import Cutter
from foretext.corpus.decoding import Form
from foretext.corpus.texts import is_file_or_source
from foretext.corpus.word_table import WordTable, new_scratch
from foretext.data.rows import LabelledText, RowsConfig, read_texts
from foretext.data.rows.given import given_label_sets, given_texts
from foretext.data.rows.label import Label, of_one_type
from foretext.kernels.fasttext_features import intern_lines, word_hashes
from foretext.kernels.letters import Letters
from foretext.tasks.classification.labeller import check_same_number
from foretext.tasks.classification.task import Classification
from foretext.tasks.fasttext.splitter import Blanks, line_bytes
from foretext.vectors.ngrams import LINE_END

__all__ = [
    "InternedTexts",
    "LabelTable",
    "Labels",
    "NumberedLabels",
    "Texts",
    "TextsWithLabels",
    "blocks_of",
    "form_of",
    "held_out",
    "labelled",
    "number_labels",
]

Texts = str | Path | Sequence[str]  # a file, or N texts
Labels = Sequence[Any]  # a label or several for each: texts, whole numbers or booleans

BLOCK = 1 << 20  # characters worked on at once


class TextsWithLabels(NamedTuple):
    """N texts, and the labels of each, without prefix."""

    texts: Sequence[str]
    labels: Sequence[Sequence[str]]

    @classmethod
    def of_rows(cls, rows: Sequence[LabelledText]) -> TextsWithLabels:
        """Take texts and labels out of the rows of a file."""
        return cls([row.text for row in rows], [row.labels for row in rows])


def labelled(texts: Any, labels: Labels | None, rows: RowsConfig | None) -> TextsWithLabels:
    """Read a file or rows in memory, or put texts and labels together.

    Raises:
        CorpusError: the file will not do.
        SettingError: texts and labels do not go together.
    """
    if is_file_or_source(texts):
        if labels is not None:
            raise SettingError(f"{texts} is a file, which holds its labels; leave out `labels`.")
        return TextsWithLabels.of_rows(read_texts(texts, rows))
    if labels is None:
        if isinstance(texts, Sequence) and any(isinstance(each, str) for each in texts):
            raise SettingError("Texts need labels: give a label for each, or the path of a file.")
        return TextsWithLabels.of_rows(read_texts(Classification().source_of(texts), rows))
    found, sets = given_texts(texts), given_label_sets(labels)
    check_same_number(found, sets)
    return TextsWithLabels(found, sets)


def form_of(labels: Labels | None, rows: RowsConfig | None) -> Form | None:
    """Return the Unicode normal form of what `labelled` reads; None: as they are given."""
    return (rows or RowsConfig()).normalization if labels is None else None


def held_out(valid: Any, rows: RowsConfig | None) -> TextsWithLabels | None:
    """Read held-out rows as `labelled` does; texts with labels are taken as they are."""
    if valid is None or isinstance(valid, TextsWithLabels):
        return valid
    return labelled(valid, None, rows)


@dataclass(frozen=True)
class InternedTexts:
    """The words of N texts, W of them distinct, in the order in which they were met."""

    words: list[str]  # W; the first is the line end, which stands behind every text
    counts: np.ndarray  # (W,) int64
    hashes: np.ndarray  # (W,) int32
    tokens: np.ndarray  # (T,) int32, indices into words
    starts: np.ndarray  # (N + 1,) int64, where each text begins in tokens

    @classmethod
    def of(cls, texts: Sequence[str], splitter: Cutter, prefix: str) -> InternedTexts:
        """Cut the texts into words; those that begin with `prefix` are labels and left out."""
        table = _LineTable()
        tokens, starts = [np.empty(0, np.int32)], [np.zeros(1, np.int64)]
        for block in blocks_of(texts):
            found, ends = table.intern(*line_bytes(block, splitter), splitter.letters, prefix)
            tokens.append(found)
            starts.append(ends + starts[-1][-1])
        spelled = table.words(np.arange(len(table)))
        return cls(
            [word.decode("utf-8", "replace") for word in spelled],
            table.counts.copy(),
            word_hashes(table.arrays),
            np.concatenate(tokens),
            np.concatenate(starts),
        )

    def __len__(self) -> int:
        return len(self.starts) - 1


class _LineTable(WordTable):
    """Words with their counts, the line end before all others."""

    def __init__(self) -> None:
        super().__init__()
        line_end = np.frombuffer(LINE_END.encode(), np.uint8)
        self.count(line_end, 0, Blanks().letters)
        self.arrays.counts[0] = 0

    def intern(
        self, data: np.ndarray, line_ends: np.ndarray, letters: Letters, prefix: str
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the tokens of a block of lines, and where each line ends among them."""
        tokens = np.empty(data.size + len(line_ends) + 1, np.int32)  # a sign may be a word
        starts, state = np.zeros(len(line_ends) + 1, np.int64), np.zeros(3, np.int64)
        label = np.frombuffer(prefix.encode(), np.uint8)
        scratch = new_scratch()
        while not intern_lines(
            data, line_ends, letters, self.arrays, scratch, label, tokens, starts, state
        ):
            self._grow()
        return tokens[: state[2]].copy(), starts[1:]


def blocks_of(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield runs of texts that have about `BLOCK` characters together."""
    begin = size = 0
    for number, text in enumerate(texts):
        size += len(text) + 1
        if size >= BLOCK:
            yield texts[begin : number + 1]
            begin, size = number + 1, 0
    if begin < len(texts):
        yield texts[begin:]


class NumberedLabels(NamedTuple):
    """The labels of N texts; text i has ``ids[starts[i] : starts[i + 1]]``."""

    ids: NDArray[np.int32]
    starts: NDArray[np.int64]  # (N + 1,)

    def taken(self, order: NDArray[np.int64]) -> NumberedLabels:
        """Return the labels of the texts in another order."""
        lengths = np.diff(self.starts)[order]
        starts = np.insert(np.cumsum(lengths), 0, 0)
        places = np.repeat(self.starts[order] - starts[:-1], lengths) + np.arange(starts[-1])
        return NumberedLabels(self.ids[places], starts)

    def matrix(self, num_labels: int) -> NDArray[np.bool_]:
        """Return (N, L), True where a text has a label."""
        wanted = np.zeros((len(self.starts) - 1, num_labels), bool)
        wanted[np.repeat(np.arange(len(wanted)), np.diff(self.starts)), self.ids] = True
        return wanted


class LabelTable(NamedTuple):
    """The labels that are learned, with their counts."""

    names: list[Label]  # L
    counts: NDArray[np.int64]  # (L,) descending

    @classmethod
    def of(cls, labels: Iterable[Sequence[str]], min_count: int) -> LabelTable:
        """Count labels; of equal counts the one met first comes first.

        Raises:
            CorpusError: there are not two labels that occur `min_count` times.
        """
        counts = Counter(label for each in labels for label in each)
        kept = [(label, count) for label, count in counts.most_common() if count >= min_count]
        if not kept:
            raise CorpusError("No text has a label; give rows with labels to learn from.")
        if len(kept) == 1:
            raise CorpusError(
                f"All texts have the same label, '{kept[0][0]}', and two are needed; "
                "give rows with another label, or lower min_count_label."
            )
        return cls(
            of_one_type(label for label, _ in kept),
            np.array([count for _, count in kept], np.int64),
        )


def number_labels(labels: Iterable[Sequence[str]], names: Sequence[str]) -> NumberedLabels:
    """Look up the labels of each text; those that are not among `names` are left out."""
    numbers = {name: number for number, name in enumerate(names)}
    found = [[numbers[label] for label in each if label in numbers] for each in labels]
    starts = np.insert(np.cumsum([len(each) for each in found]), 0, 0).astype(np.int64)
    ids = np.fromiter((number for each in found for number in each), np.int32, starts[-1])
    return NumberedLabels(ids, starts)
