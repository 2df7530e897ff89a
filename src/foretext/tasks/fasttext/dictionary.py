"""Words and labels with their counts, and which features a text has (Joulin et al. 2016)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from foretext.corpus.counts import Cutter
from foretext.corpus.decoding import Form
from foretext.corpus.word_table import WordTable, new_scratch
from foretext.data.rows.label import Label, LabelValue, named_labels
from foretext.kernels.fasttext_features import document_units, encode_lines
from foretext.kernels.ngrams import hash_bytes
from foretext.kernels.word_table import MAX_WORD_BYTES
from foretext.tasks.fasttext.config import ResolvedConfig
from foretext.tasks.fasttext.labelled_texts import InternedTexts
from foretext.tasks.fasttext.splitter import line_bytes, splitter_of
from foretext.vectors.ngrams import LINE_END, marked_bytes

__all__ = ["Dictionary", "Units", "WordIds", "flaw_of"]


class WordIds(NamedTuple):
    """Texts as word ids; the k-th word that is not known has the id -1 - k."""

    words: np.ndarray  # (T,) int32
    hashes: np.ndarray  # (T,) int32; (0,) where there are no word n-grams
    starts: np.ndarray  # (N + 1,) int64
    unknown: tuple[np.ndarray, np.ndarray]  # bytes between < and >, and where each begins


class Units(NamedTuple):
    """Texts as features: words by their ids, then buckets from V on."""

    units: np.ndarray  # (E,) int32
    starts: np.ndarray  # (N + 1,) int64


class Dictionary:
    """The words and the labels of a classifier.

    Args:
        words: V words, among them the line end ``</s>``, which closes every text.
        counts: (V,) int64.
        labels: L labels with their prefix, the most frequent first.
        label_counts: (L,) int64.
        config: how texts are cut, and which n-grams they have.
        label_values: what the labels came as; None: as their names.
        edition: of the rules of the pre-tokeniser by which words were learned; None: the newest.
        form: the Unicode normal form of the rows; None: they were given in Python, as they are.
    """

    def __init__(
        self,
        words: list[str],
        counts: np.ndarray,
        labels: list[str],
        label_counts: np.ndarray,
        config: ResolvedConfig,
        label_values: Sequence[LabelValue] | None = None,
        edition: int | None = None,
        form: Form | None = None,
    ) -> None:
        assert len(words) == len(counts), (len(words), len(counts))
        assert len(labels) == len(label_counts), (len(labels), len(label_counts))
        self.words = words
        self.counts = counts
        self.labels = labels
        self.label_counts = label_counts
        self.config = config
        self.label_values = label_values
        self.edition = edition
        self.form = form

    @classmethod
    def learn(
        cls,
        texts: InternedTexts,
        labels: list[str],
        label_counts: np.ndarray,
        config: ResolvedConfig,
        more_words: Sequence[str] = (),
        label_values: Sequence[LabelValue] | None = None,
    ) -> tuple[Dictionary, WordIds]:
        """Keep the words that occur `min_count` times, and those of `more_words` in any case."""
        added = set(more_words)
        kept = texts.counts >= config.min_count
        if added:
            kept |= np.fromiter((word in added for word in texts.words), bool, len(kept))
        order = np.argsort(-texts.counts, kind="stable")
        order = order[kept[order]]
        words = [texts.words[index] for index in order.tolist()]
        new = sorted(added.difference(words), key=list(more_words).index) if added else []
        counts = np.concatenate([texts.counts[order], np.ones(len(new), np.int64)])
        dictionary = cls([*words, *new], counts, labels, label_counts, config, label_values)
        spelled, hashed = config.maxn > 0, config.word_ngrams > 1
        return dictionary, _renumbered(texts, order, np.flatnonzero(~kept), spelled, hashed)

    def __len__(self) -> int:
        return len(self.words)

    @property
    def num_units(self) -> int:
        """Words and buckets."""
        return len(self.words) + self.config.num_buckets

    @cached_property
    def classes(self) -> tuple[Label, ...]:
        """The labels without the prefix that marks them in files."""
        names = [label.removeprefix(self.config.label_prefix) for label in self.labels]
        return named_labels(names, self.label_values)

    @cached_property
    def class_order(self) -> np.ndarray:
        """(L,) int64, the places of the labels when they are sorted by their values."""
        values = [label.value for label in self.classes]
        return np.array(sorted(range(len(values)), key=values.__getitem__), np.int64)

    def with_config(self, config: ResolvedConfig) -> Dictionary:
        """Return the same words and labels under other settings."""
        return self._changed(self.words, self.counts, config, self.form)

    def composing(self, form: Form) -> Dictionary:
        """Return the same words, for texts that are brought into the form of the rows."""
        return self._changed(self.words, self.counts, self.config, form)

    def of_words(self, kept: np.ndarray) -> Dictionary:
        """Return the words at some places alone."""
        words = [self.words[place] for place in kept.tolist()]
        return self._changed(words, self.counts[kept], self.config, self.form)

    def _changed(
        self, words: list[str], counts: np.ndarray, config: ResolvedConfig, form: Form | None
    ) -> Dictionary:
        labels = self.labels, self.label_counts
        return Dictionary(words, counts, *labels, config, self.label_values, self.edition, form)

    def encode(self, texts: Sequence[str]) -> WordIds:
        """Look up the words of each text; lets go of the GIL in between."""
        data, line_ends = line_bytes(texts, self._splitter)
        most = data.size + len(line_ends) + 1  # a sign of one byte may be a word
        words = np.empty(most, np.int32)
        hashes = np.empty(most if self.config.word_ngrams > 1 else 0, np.int32)
        starts, unknown_starts = (
            np.zeros(len(line_ends) + 1, np.int64),
            np.empty(most + 1, np.int64),
        )
        unknown = np.empty(2 * data.size + 2 * most, np.uint8)
        num_unknown = encode_lines(
            data, line_ends, self._splitter.letters, self._table.arrays, new_scratch(),
            self._prefix, self._line_end, words, hashes, starts, unknown, unknown_starts,
        )  # fmt: skip
        size = starts[-1]
        found = unknown_starts[: num_unknown + 1].copy()
        return WordIds(
            words[:size].copy(), hashes[:size].copy(), starts, (unknown[: found[-1]].copy(), found)
        )

    def units(self, tokens: WordIds) -> Units:
        """Return the features of texts that `encode` or `learn` gave."""
        config = self.config
        unknown = config.ngrams.hashed(*tokens.unknown)[:2]
        return Units(
            *document_units(
                *tokens[:3], self._word_ngrams, unknown, len(self), max(config.num_buckets, 1),
                config.word_ngrams,
            )
        )  # fmt: skip

    @cached_property
    def _word_ngrams(self) -> tuple[np.ndarray, np.ndarray]:
        if self.config.maxn == 0:
            return np.zeros(len(self) + 1, np.int64), np.empty(0, np.int32)
        return self.config.ngrams.buckets(self.words)

    @cached_property
    def _splitter(self) -> Cutter:
        return splitter_of(self.config, self.edition, self.form)

    @cached_property
    def _table(self) -> WordTable:
        """Words too long for the table are never met in a text; they keep their place in it."""
        words = list(self.words)
        for place, word in enumerate(words):
            if 4 * len(word) > MAX_WORD_BYTES and len(word.encode()) > MAX_WORD_BYTES:
                words[place] = f"\0{place}"
        return WordTable.of(words)

    @cached_property
    def _prefix(self) -> np.ndarray:
        return np.frombuffer(self.config.label_prefix.encode(), np.uint8)

    @cached_property
    def _line_end(self) -> np.ndarray:
        """Id, negative where it was too rare to be kept, and hash."""
        text = np.frombuffer(LINE_END.encode(), np.uint8)
        place = self.words.index(LINE_END) if LINE_END in self.words else -1
        return np.array([place, np.int32(np.uint32(hash_bytes(text, 0, len(text))))], np.int64)


def flaw_of(
    words: Sequence[str], counts: np.ndarray, labels: Sequence[str], label_counts: np.ndarray
) -> str | None:
    """Say why what a file holds is no dictionary; None where it is one."""
    if len(words) != len(counts) or len(labels) != len(label_counts) or not labels:
        return f"{len(words)} words and {len(labels)} labels do not go with their counts"
    if len(set(words)) < len(words):
        return "a word is twice in the dictionary"
    if len(set(labels)) < len(labels):
        return "a label is twice in the dictionary"
    if any(not word or "\n" in word or "\0" in word for word in (*words, *labels)):
        return "a word or label is empty, or holds a line end"
    if counts.min(initial=0) < 0 or label_counts.min() < 0:
        return "a word or label occurs less than 0 times"
    return None


def _renumbered(
    texts: InternedTexts, kept: np.ndarray, dropped: np.ndarray, spelled: bool, hashed: bool
) -> WordIds:
    """Number the words `kept` from 0 on and those `dropped`, spelled if asked, from -1 down."""
    number = np.empty(len(texts.words), np.int32)
    number[kept] = np.arange(len(kept))
    number[dropped] = -1 - np.arange(len(dropped))
    unknown = (np.empty(0, np.uint8), np.zeros(len(dropped) + 1, np.int64))
    if spelled:
        unknown = marked_bytes([texts.words[index] for index in dropped.tolist()])
    hashes = texts.hashes[texts.tokens] if hashed else np.empty(0, np.int32)
    return WordIds(number[texts.tokens], hashes, texts.starts, unknown)
