"""Word vectors on a page: neighbours, analogies, and how similar texts are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foretext.corpus.pre_tokenizers import PreTokenizer
from foretext.exporting.page.page_model import Answers, PageModel, text_cosines
from foretext.exporting.page.splitting import (
    PageSplitter,
    needs_jieba,
    of_pre_tokenizer,
    of_white_space,
)
from foretext.exporting.page.storage import Matrices
from foretext.messages import message
from foretext.vectors.subword_vectors import SubwordVectors
from foretext.vectors.text_embedding import PUNCTUATION
from foretext.vectors.word_vectors import WordVectors

__all__ = ["PageWordVectors"]

VECTORS, PARTS = "vectors", "ngrams.vectors"
NUM_WORDS = 200  # whose neighbours are compared
NUM_ANALOGIES = 50
NUM_NEIGHBORS = 10


class PageWordVectors(PageModel):
    """Vectors of words, with those of n-grams where there are any."""

    kind = "word vectors"
    model: WordVectors

    @property
    def abilities(self) -> tuple[str, ...]:  # type: ignore[override]
        """Words of jieba can be looked up, and texts cannot be cut into them."""
        return ("neighbors", "analogy", *(("embed",) if self._cuts_texts else ()))

    @property
    def notes(self) -> list[str]:
        """Say what is missing where texts are cut by jieba."""
        if self._cuts_texts:
            return []
        return [message("exporting.remedy.jieba")]

    @property
    def settings(self) -> dict[str, Any]:
        """What the page's own class has to know."""
        subwords = self.model.subwords
        return {
            "splitter": self._splitter.steps,
            "ngrams": None if subwords is None else subwords.ngrams._asdict(),
            "small_letters": all(word == word.lower() for word in self.model.index_to_key),
            "punctuation": None if self._pre_tokenizer else PUNCTUATION,
            "cuts_texts": self._cuts_texts,
        }

    @property
    def matrices(self) -> Matrices:
        """Matrices that may be stored in fewer bytes."""
        subwords = self.model.subwords
        parts = {} if subwords is None else {PARTS: subwords.vectors}
        return {VECTORS: self.model.vectors, **parts}

    @property
    def tensors(self) -> dict[str, NDArray[Any]]:
        """Tables of characters and numbers of rows."""
        subwords = self.model.subwords
        found = self._splitter.tensors()
        if subwords is not None:
            found |= {
                "ngrams.buckets": subwords.buckets.astype(np.int32),
                "ngrams.rows": subwords.rows.astype(np.int32),
            }
        return found

    @property
    def texts(self) -> Mapping[str, Sequence[str]]:
        """The words of the model."""
        return {"words": self.model.index_to_key}

    @property
    def reads_texts(self) -> bool:
        """Whether texts are cut by what a page has."""
        return self._cuts_texts

    @property
    def remedy(self) -> str:
        """What makes the page smaller."""
        if self.model.subwords is None:
            return message("exporting.remedy.words")
        return message("exporting.remedy.ngrams")

    def limited(self, num_words: int) -> PageWordVectors:
        """Return the first words alone."""
        full = self.model
        counts = None if full.counts is None else full.counts[:num_words]
        words, vectors = full.index_to_key[:num_words], full.vectors[:num_words]
        kept = WordVectors(words, vectors, counts, full.subwords, split=full.split)
        return PageWordVectors(kept, self.name)

    def with_matrices(self, matrices: Matrices) -> PageWordVectors:
        """Return the same with other numbers."""
        subwords = self.model.subwords
        if subwords is not None:
            kept = subwords.ngrams, subwords.buckets, subwords.rows
            subwords = SubwordVectors(*kept, matrices[PARTS])
        words, counts = self.model.index_to_key, self.model.counts
        split = self.model.split
        return PageWordVectors(
            WordVectors(words, matrices[VECTORS], counts, subwords, split=split), self.name
        )

    def parts(self, text: str) -> list[str]:
        """Return the words of a text."""
        return self.model.words_in(text)

    def answers(self, texts: Sequence[str]) -> Answers:
        """Return neighbours and analogies of words, and cosines of texts with those before."""
        found: Answers = {"neighbors": self._neighbors(), "analogies": self._analogies()}
        if not self._cuts_texts:
            return found
        return {**text_cosines(self.model.embed(list(texts))), **found}

    @property
    def frequent_words(self) -> Sequence[str]:
        """The words, the frequent ones first where that is known."""
        return self.model.index_to_key

    def _neighbors(self) -> list[tuple[str, list[tuple[str, float]]]]:
        """Return the neighbours of words from the whole vocabulary, and of unseen ones."""
        words = self.model.index_to_key
        drawn = np.random.default_rng(0).permutation(len(words))[:NUM_WORDS].tolist()
        asked = [words[row] for row in sorted(drawn)]
        if self.model.subwords is not None and self._cuts_texts:
            unseen = [f"{word}{word[:2]}" for word in asked[:NUM_NEIGHBORS]]
            asked += [word for word in unseen if self.model.has_index_for(word)]
        return list(zip(asked, self.model.neighbors(asked, NUM_NEIGHBORS), strict=True))

    def _analogies(self) -> list[tuple[tuple[str, str, str], list[tuple[str, float]]]]:
        """Return the answers to analogies of words that are drawn."""
        words = self.model.index_to_key
        drawn = np.random.default_rng(1).integers(len(words), size=(NUM_ANALOGIES, 3)).tolist()
        asked = [(words[a], words[b], words[c]) for a, b, c in drawn]
        return [(each, self.model.analogy(*each, topn=NUM_NEIGHBORS)) for each in asked]

    @property
    def _pre_tokenizer(self) -> PreTokenizer | None:
        """What cuts texts; None: they are cut at white space."""
        if self.model.split is None:
            return None
        cut: PreTokenizer = self.model.split.__self__.pre_tokenizer  # type: ignore[attr-defined]
        return cut  # of the run's tokenizer: vectors are opened from a path, and no file names code

    @property
    def _cuts_texts(self) -> bool:
        cut = self._pre_tokenizer
        return cut is None or not needs_jieba(cut)

    @property
    def _splitter(self) -> PageSplitter:
        cut = self._pre_tokenizer
        if cut is None:
            return of_white_space()
        return of_pre_tokenizer(cut, only_words=not self._cuts_texts)
