"""Static vectors of a sub-word tokenizer: a text's vector is the mean of those of its tokens.

Such vectors are distilled from a network, as model2vec does it (van Dongen & Tulkens 2024,
github.com/MinishLab/model2vec), and take the place of the network where speed counts. Folders of
model2vec and of `StaticEmbedding` of sentence-transformers hold the same, and open here.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import ModelFileError, SettingError
from foretext.base.runtime import Threads, usable_cores
from foretext.corpus.blocks import Advance
from foretext.corpus.texts import counted_texts, iterate_texts
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.tokenizers.token_names import token_names
from foretext.vectors.formats.detection import format_of_name
from foretext.vectors.formats.static_folder import WEIGHTS, StaticFolder, read_folder, write_folder
from foretext.vectors.neighbors import comparable_rows
from foretext.vectors.storage import StorageType
from foretext.vectors.text_embedding import remove_first_component
from foretext.vectors.word_vectors import WordVectors

__all__ = ["TokenVectors"]

TEXTS_AT_ONCE = 1 << 11  # of a thread


class TokenVectors(WordVectors):
    """Vectors of tokens; they have the methods of word vectors, and embed texts much faster.

    A token that begins a word has the name of the word, one that continues it has "##" before its
    own. A word of several tokens has their mean as its vector, like a text.

    Args:
        tokenizer: of texts.
        vectors: (V, D), one a token, finite.
        normalize: whether `embed` gives vectors of length 1 by default.
        counts_unknown: whether an unknown token counts among a text's, as in sentence-transformers;
            model2vec leaves it out.
        facts: what a folder keeps of how the vectors were made, as JSON has it.

    Raises:
        SettingError: another number of vectors than of tokens, or a vector is not finite.
    """

    tokenizer: SubwordTokenizer
    abilities: ClassVar[tuple[str, ...]] = (*WordVectors.abilities, "decode")
    weighs_words: ClassVar[bool] = False  # vectors of tokens have their weights in them

    def __init__(
        self,
        tokenizer: SubwordTokenizer,
        vectors: NDArray[np.float32],
        *,
        normalize: bool = True,
        counts_unknown: bool = False,
        facts: dict[str, Any] | None = None,
    ) -> None:
        self.tokenizer = tokenizer
        self.normalize = normalize
        self.counts_unknown = counts_unknown
        self.facts = facts or {}
        super().__init__(token_names(tokenizer), np.ascontiguousarray(vectors, np.float32))
        self.split = self._names_in

    @classmethod
    def load(  # type: ignore[override]  # a folder has no options
        cls, path: str | Path, format: None = None, *, split: None = None
    ) -> Self:
        """Read a folder of foretext, model2vec or `StaticEmbedding`.

        Raises:
            ModelFileError: the folder is damaged, or holds something else.
            CorpusError: its tokenizer is damaged.
        """
        folder = read_folder(Path(path))
        try:
            return cls(
                folder.tokenizer,
                folder.vectors,
                normalize=folder.normalize,
                counts_unknown=folder.counts_unknown,
                facts=folder.facts,
            )
        except SettingError as error:
            raise ModelFileError(f"{Path(path) / WEIGHTS}: {error}") from error

    def save(
        self, path: str | Path, format: str | None = None, *, dtype: StorageType = "float32"
    ) -> None:
        """Write a folder that `load`, model2vec and sentence-transformers open.

        Where `path` is the name of a vector file, or a format is given, a file of names and vectors
        is written, without the tokenizer. Either may have the numbers as "float16" or "int8".

        Raises:
            OutputError: it cannot be written.
            SettingError: as of `WordVectors.save`.
        """
        if format is not None or format_of_name(Path(path)) is not None:
            super().save(path, format, dtype=dtype)
            return
        parts = StaticFolder(
            self.tokenizer, self.vectors, self.normalize, self.counts_unknown, self.facts
        )
        write_folder(Path(path), parts, dtype)

    def keep(self, folder: Path) -> str:
        """Write the folder into `folder`; it is opened as a whole."""
        self.save(folder)
        return ""

    def embed(
        self,
        texts: Any,
        weighting: Literal["mean", "sif"] | NDArray[np.float32] = "mean",
        *,
        a: float = 1e-3,
        remove_component: bool = False,
        normalize: bool | None = None,
        progress: Advance | None = None,
    ) -> NDArray[np.float32]:
        """Return one vector a text, (N, D) float32: the mean of its tokens'; no tokens give zeros.

        Args:
            texts: strings in a list, a generator, a column, or a table with a column "text"; a
                single one gets a single vector, (D,).
            weighting: "mean" alone: the vectors have their weights in them.
            a: of "sif".
            remove_component: take out the direction that is common to the texts.
            normalize: whether vectors get length 1; None: as these vectors do it.
            progress: advances by the texts.

        Raises:
            SettingError: another weighting, or a single text to take a common
                direction out of.
            CorpusError: an element is no text.
        """
        if isinstance(texts, str):
            options: Any = {"a": a, "remove_component": remove_component, "normalize": normalize}
            single: NDArray[np.float32] = self.embed([texts], weighting, **options)[0]
            return single
        if isinstance(weighting, np.ndarray) or weighting != "mean":
            given = "array" if isinstance(weighting, np.ndarray) else weighting
            raise SettingError(
                f"weighting = '{given}' has no effect on vectors of tokens, which have their "
                "weights in them; leave it out."
            )
        means = self._means(list(counted_texts(iterate_texts(texts), progress)))
        if remove_component:
            means = remove_first_component(means)
        if self.normalize if normalize is None else normalize:
            means = comparable_rows(means)
            lengths = np.linalg.norm(means, axis=1, keepdims=True)
            np.divide(means, lengths, out=means, where=lengths > 0)
        return means

    def text_sizes(self, texts: Sequence[str]) -> list[int]:
        """Return how many tokens each text has."""
        return list(map(len, self.tokenizer.encode_batch(texts)))

    def spelled(self, word: str) -> str:
        """Return `word` as the tokenizer spells it where that is a token, else as it is."""
        if word in self.key_to_index:
            return word
        rules = self.tokenizer.library.normalizer
        spelled = word if rules is None else rules.normalize_str(word)
        return spelled if spelled in self.key_to_index else word

    def __repr__(self) -> str:
        shown = ", ".join(repr(name) for name in self.index_to_key[:3])
        more = ", ..." if len(self) > 3 else ""
        return f"<TokenVectors: {len(self):,} tokens x {self.vector_size}: {shown}{more}>"

    def summary(self) -> dict[str, Any]:
        """Return what a notebook shows of the vectors."""
        return {
            "tokens": len(self),
            "dimensions": self.vector_size,
            "first tokens": self.index_to_key,
            "texts of length 1": "yes" if self.normalize else "no",
        }

    def _means(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the means of texts, (N, D); of many texts threads compute them side by side."""
        if 0 < len(texts) <= TEXTS_AT_ONCE:
            return self._means_of(texts)  # a thread takes longer to start than a text to read
        starts = range(0, len(texts), TEXTS_AT_ONCE)
        parts = [texts[start : start + TEXTS_AT_ONCE] for start in starts]
        with Threads(usable_cores()) as threads:
            means = list(threads.map(self._means_of, parts))
        return np.concatenate(means) if means else np.zeros((0, self.vector_size), np.float32)

    def _means_of(self, texts: Sequence[str]) -> NDArray[np.float32]:
        from foretext.kernels.row_means import row_means

        ids, starts = self.tokenizer.lay_texts(texts)
        means = np.empty((len(texts), self.vector_size), np.float32)
        row_means(
            self.vectors.reshape(-1), self.vector_size, ids, starts, self.left_out, means.ravel()
        )
        return means

    @property
    def left_out(self) -> int:
        """The id that does not count among a text's tokens; -1: all do."""
        unknown = self.tokenizer.special.unknown
        return -1 if unknown is None or self.counts_unknown else unknown

    def _names_in(self, text: str) -> list[str]:
        return [self.index_to_key[token] for token in self.tokenizer.encode(text)]

    def _composed(self, word: str) -> NDArray[np.float32] | None:
        return None if word in self.key_to_index else self._composed_vector(word)

    def _composed_vector(self, word: str) -> NDArray[np.float32] | None:
        """Return the mean of a word's tokens as they stand within a text."""
        ((_, tokens),) = self.tokenizer.encode_words([[".", word]])
        known = [token for token in tokens if token != self.tokenizer.special.unknown]
        return self.vectors[known].mean(axis=0) if known else None
