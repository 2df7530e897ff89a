"""Words and their vectors, to look up, compare, search and keep, under gensim's names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from foretext.base.arguments import checked_arguments, given_array
from foretext.base.errors import SettingError
from foretext.corpus.blocks import Advance
from foretext.corpus.texts import counted_texts, iterate_texts
from foretext.shown import Shown
from foretext.tokenizers.base import Tokenizer
from foretext.tokenizers.example_texts import EXAMPLE_TEXTS, examples_of_words
from foretext.tokenizers.known_languages import languages_of_words
from foretext.vectors.analogies import evaluate_analogies
from foretext.vectors.analogy_scores import AnalogyResult
from foretext.vectors.example_words import example_words
from foretext.vectors.formats import ReadOptions, read_table, write_table
from foretext.vectors.given_words import given_words
from foretext.vectors.insight import all_texts, shortened_title, word_parts
from foretext.vectors.storage import StorageType
from foretext.vectors.text_embedding import (
    embed_texts,
    known_rows,
    remove_first_component,
    shortened,
    word_weights,
)
from foretext.vectors.word_pairs import WordPairResult, evaluate_pairs
from foretext.vectors.word_similarity import WordSimilarity

__all__ = ["WordVectors"]

KEPT = "vectors.safetensors"  # in a folder that another model keeps


class WordVectors(WordSimilarity):
    """A vocabulary with one vector a word; nothing in it changes once it is built.

    Args:
        words: the vocabulary, each word once, the most frequent first where that is known.
        vectors: (V, D), finite; a float32 matrix is not copied and must not be changed afterwards.
        counts: (V,), how often each word occurs, for the weighting "sif".
        subwords: vectors of character n-grams. With them a word that was never met has a vector
            too, the mean of its n-grams', and only one without any known n-gram is unknown; ``in``
            still says whether a word is in the vocabulary. Where the vocabulary has no capital,
            queries are in lower case, too: ``"Merkel"`` stands for ``"merkel"`` (`spelled`).
        split: how `embed` cuts a text into words. Without it a text is split at white space, and a
            word that is unknown as written is tried in small letters, then without the punctuation
            at its ends.

    Raises:
        SettingError: the three do not go together, a word is repeated, or a vector is not finite.

    Attributes:
        index_to_key: the words.
        key_to_index: the row of each.
    """

    kind: ClassVar[str] = "word vectors"
    abilities: ClassVar[tuple[str, ...]] = (  # of a server; see `foretext.serving.abilities`
        "embed",
        "neighbors",
        "analogy",
        "map",
        "rerank",
        "tokenize",
    )
    task_origin: ClassVar = "vectors"  # what a task that is learned on them starts with
    tokenizer: Tokenizer | None = None  # where a row belongs to a token; None: to a word
    text_framing: ClassVar[None] = None  # of a text; nothing stands around one
    prompts: ClassVar[Mapping[str, str]] = MappingProxyType({})  # to begin texts with

    @classmethod
    @checked_arguments
    def load(
        cls,
        path: str | Path,
        format: str | None = None,
        *,
        split: Callable[[str], list[str]] | None = None,
        **options: Any,
    ) -> WordVectors:
        """Read a file: "word2vec", "word2vec-bin", "glove", "fasttext" or "safetensors".

        The format is found by the content where it is not given; gzip is unpacked. Options:
        ``encoding="utf-8"``, ``errors="strict" | "ignore" | "replace"`` for words that are not in
        it, ``repeated="refuse" | "first"`` for words that occur twice, ``limit=N`` for the first N.

        Args:
            path: the file.
            format: its name; None: found by the content.
            split: cuts a text into words, for `embed`; None: the usual way.
            **options: see above.

        Raises:
            VectorFileError: the file is damaged, or is no vector file.
            SettingError: there is no such format or option.
        """
        table = read_table(Path(path), format, ReadOptions.checked(options, "load"))
        return cls(*table, split=split)

    @checked_arguments
    def save(
        self, path: str | Path, format: str | None = None, *, dtype: StorageType = "float32"
    ) -> None:
        """Write a file that `load` reads; the format is that of the name where it is not given.

        ``.safetensors`` keeps the counts; ``.txt`` and ``.vec`` are word2vec text, ``.bin`` is
        word2vec binary, or fastText's where there are n-grams; ``.glove.txt`` and ``glove*.txt``
        are GloVe text. With ``.gz`` they are packed. ``.safetensors`` may hold the numbers in fewer
        bytes, as "float16" or "int8"; `storage_loss` says what is lost by that.

        Args:
            path: the file.
            format: its name; None: by the name of the file.
            dtype: of the stored numbers.

        Raises:
            VectorFileError: a word does not fit the format.
            SettingError: no format has that name, the file's name stands for none, or the format
                does not hold `dtype`.
            OutputError: the file cannot be written.
        """
        write_table(Path(path), format, self._table, dtype)

    @checked_arguments
    def save_word2vec_format(self, path: str | Path, binary: bool = False) -> None:
        """Write a file of word2vec: `save` under gensim's name.

        Args:
            path: the file.
            binary: write numbers as bytes, not as text.

        Raises:
            VectorFileError: a word does not fit the format.
            OutputError: the file cannot be written.
        """
        self.save(path, "word2vec-bin" if binary else "word2vec")

    @checked_arguments
    def vectors_for_all(
        self, words: Iterable[str], allow_inference: bool = True, copy_vecattrs: bool = False
    ) -> WordVectors:
        """Return new vectors of these words alone, each once, in their order.

        Words without a vector are left out.

        Args:
            words: such as those of another corpus.
            allow_inference: compose words that are not in the vocabulary of their n-grams.
            copy_vecattrs: keep the counts; composed words count 0.

        Raises:
            SettingError: none of them has a vector.
        """
        found = list(dict.fromkeys(given_words(words)))
        is_kept = self.has_index_for if allow_inference else self.__contains__
        kept = [word for word in found if is_kept(word)]
        if not kept:
            raise SettingError(
                f"none of these {len(found):,} words has a vector; give words of the vocabulary."
            )
        counts = None
        if copy_vecattrs and self.counts is not None:
            rows = [self.get_index(word, -1) for word in kept]
            counts = np.append(self.counts, 0)[rows]
        return WordVectors(kept, self._vectors_of(kept), counts, split=self.split)

    @checked_arguments
    def with_vectors(
        self, words: str | Sequence[str], vectors: ArrayLike, *, replace: bool = False
    ) -> WordVectors:
        """Return new vectors, with some words more; these here do not change.

        As of gensim's `add_vectors`, words that are there already keep their vectors, and new words
        come last and count 0.

        Args:
            words: N words, or one.
            vectors: (N, D), or (D,) of one word.
            replace: give words that are there already the new vectors.

        Raises:
            SettingError: words and vectors do not go together, or a word stands there twice.
        """
        more = np.atleast_2d(given_array(vectors, "vectors", np.float32))
        given = WordVectors(given_words(words), more)
        if given.vector_size != self.vector_size:
            raise SettingError(
                f"vectors of {given.vector_size} numbers cannot join vectors of "
                f"{self.vector_size}; give vectors of the same size."
            )
        known = self.key_to_index
        new = [word for word in given.index_to_key if word not in known]
        matrix = np.concatenate([self.vectors, given.vectors[[given.key_to_index[w] for w in new]]])
        if replace:
            old = [word for word in given.index_to_key if word in known]
            rows = [given.key_to_index[word] for word in old]
            matrix[[known[word] for word in old]] = given.vectors[rows]
        counts = None if self.counts is None else np.append(self.counts, [0] * len(new))
        all_words = [*self.index_to_key, *new]
        return WordVectors(all_words, matrix, counts, self.subwords, split=self.split)

    def keep(self, folder: Path) -> str:
        """Write all that embeds texts into a folder; return the name of the file to open, or "".

        Raises:
            SettingError: a function of the user's cuts texts into words, which no file keeps.
            OutputError: a file cannot be written.
        """
        self.save(folder / KEPT)
        if self.split is None:
            return KEPT
        try:
            tokenizer = self.split.__self__  # type: ignore[attr-defined]  # of a method
            tokenizer.save(folder / "tokenizer.json")
        except AttributeError:
            raise SettingError(
                "These word vectors cut texts by a function of yours (split), which no file keeps; "
                "give the path of a run, or vectors without it."
            ) from None
        return ""

    def served_facts(self) -> dict[str, Any]:
        """Return what a server says of the vectors, as JSON has it."""
        size = {"words": len(self), "dimensions": self.vector_size}
        return {
            "fields": ["text"],
            "parameters": int(self.vectors.size),
            **size,
            "pooling": "mean",
            "languages": (languages := languages_of_words(self.index_to_key)),
            "examples": self._own_examples(languages),
        }

    def _own_examples(self, languages: Sequence[str]) -> dict[str, Any]:
        """Return words that a page shows; where the language is not known, texts of them, too."""
        words = example_words(self.index_to_key)
        found = {**examples_of_words(words), "words": words}
        if not languages:
            return found
        wanted = EXAMPLE_TEXTS[languages[0]].analogy
        known = [next((w for w in (word, word.lower()) if w in self), None) for word in wanted]
        return {"words": words, "analogy": found["analogy"] if None in known else known}

    def __repr__(self) -> str:
        shown = ", ".join(repr(word) for word in self.index_to_key[:3])
        more = ", ..." if len(self) > 3 else ""
        return f"<WordVectors: {len(self):,} words x {self.vector_size}: {shown}{more}>"

    @checked_arguments
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
        """Return one vector a text, (N, D) float32; a text without a known word gives zeros.

        Texts are strings in a list, a generator, a column, or a table with a column "text".
        "mean" is the mean of the words' vectors; in "sif" a word weighs a / (a + p(w)). An
        array (V,) gives the weight of each word; others, which n-grams compose, weigh 1.
        `remove_component` takes out the direction that is common to the given texts; with
        `normalize` vectors get length 1. A single text gets a single vector, (D,). `progress`
        advances by the texts.

        Args:
            texts: N texts, or one.
            weighting: "mean", "sif", or a weight for each word (V,).
            a: of "sif": the smaller, the less frequent words count.
            remove_component: take out the direction that is common to the texts.
            normalize: give vectors length 1; None: do not.
            progress: advances by the texts.

        Raises:
            SettingError: "sif" without counts, or a single text to take a common direction out of.
            CorpusError: an element is no text.
        """
        if isinstance(texts, str):
            options: Any = {"a": a, "remove_component": remove_component, "normalize": normalize}
            single: NDArray[np.float32] = self.embed([texts], weighting, **options)[0]
            return single
        weights = word_weights(weighting, self.counts, a)
        if weights is not None and weights.shape != (len(self),):
            raise SettingError(
                f"weighting of shape {weights.shape}: give a weight for each of the {len(self):,} "
                "words, or 'mean' or 'sif'."
            )
        found = counted_texts(iterate_texts(texts), progress)
        if self.subwords is None:
            embeddings = embed_texts(found, self._known_rows, self.vectors, weights)
        else:
            embeddings = self._embed_with_unseen(list(found), weights)
        if remove_component:
            embeddings = remove_first_component(embeddings)
        return shortened(embeddings, None, normalize=bool(normalize))

    @checked_arguments
    def show(self, texts: Sequence[str]) -> list[Shown]:
        """Return what the vectors know of the words of each text, and of all texts together.

        Raises:
            CorpusError: a text has no word.
        """
        found = [Shown(shortened_title(text), tuple(word_parts(self, text))) for text in texts]
        return [*all_texts(texts, self.embed(list(texts))), *found]

    text_room: ClassVar[int | None] = None  # a mean has no longest text
    weighs_words: ClassVar[bool] = True  # `embed` takes a weight of each word
    has_layers: ClassVar[bool] = False  # `embed` takes no layer

    @checked_arguments
    def text_sizes(self, texts: Sequence[str]) -> list[int]:
        """Return how many words each text has, known or not."""
        split = self.split or str.split
        return [len(split(text)) for text in texts]

    @checked_arguments
    def num_texts_with(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """Return in how many of some texts each word of the vocabulary occurs, (V,)."""
        rows = [row for text in texts for row in set(self._known_rows(text))]
        return np.bincount(np.array(rows, np.int64), minlength=len(self))

    @checked_arguments
    def transform(self, texts: Any) -> NDArray[np.float32]:
        """Return what `embed` gives, under the name that scikit-learn has for it, (N, D)."""
        return self.embed(texts)

    @checked_arguments
    def evaluate_word_pairs(
        self,
        path: str | Path,
        restrict_vocab: int | None = 300_000,
        case_insensitive: bool = True,
        dummy4unknown: bool = False,
        compose_unseen: bool = True,
        columns: Sequence[str] | None = None,
    ) -> WordPairResult:
        """Compare cosines with people's scores in a file like WordSim-353; see `evaluate_pairs`.

        With n-grams, words that are not in the vocabulary are composed of theirs, as the authors of
        fastText do it for rare words; gensim leaves them out, and so does `compose_unseen=False`.

        Args:
            path: the file.
            restrict_vocab: use the most frequent words only, so many; None: all.
            case_insensitive: take words of other case for the same.
            dummy4unknown: count a pair with an unknown word as 0; else it is left out.
            compose_unseen: compose words that are not in the vocabulary of n-grams.
            columns: those of both words and of the score, by name or number; None: found.

        Raises:
            EvaluationError: a line is malformed, or fewer than two pairs are in the vocabulary.
        """
        return evaluate_pairs(
            self.index_to_key,
            self.vectors,
            Path(path),
            restrict_vocab=restrict_vocab,
            case_insensitive=case_insensitive,
            dummy4unknown=dummy4unknown,
            compose=self._composed if compose_unseen else None,
            columns=columns,
        )

    @checked_arguments
    def evaluate_word_analogies(
        self,
        path: str | Path,
        restrict_vocab: int | None = 300_000,
        case_insensitive: bool = True,
        dummy4unknown: bool = False,
    ) -> AnalogyResult:
        """Answer questions in the form of questions-words.txt by 3CosAdd; see `evaluate_analogies`.

        Args:
            path: the file.
            restrict_vocab: use the most frequent words only, so many; None: all.
            case_insensitive: take words of other case for the same.
            dummy4unknown: count a question with an unknown word as wrong; else it is left out.

        Raises:
            EvaluationError: a line is malformed, or no question is in the vocabulary.
        """
        return evaluate_analogies(
            self.index_to_key,
            self.vectors,
            Path(path),
            restrict_vocab=restrict_vocab,
            case_insensitive=case_insensitive,
            dummy4unknown=dummy4unknown,
        )

    def _composed(self, word: str) -> NDArray[np.float32] | None:
        """Return the vector that the n-grams of an unseen word, cut as a text is, give (D,)."""
        if self.subwords is None or word in self.key_to_index:
            return None
        parts = [word] if self.split is None else self.split(word)
        return self.subwords.vector(parts[0] if len(parts) == 1 else word)

    def _embed_with_unseen(
        self, texts: list[str], weights: NDArray[np.float32] | None
    ) -> NDArray[np.float32]:
        """Embed by a vocabulary of these texts alone; a word that was never met weighs 1."""
        split = self.words_in
        found = dict.fromkeys(word for text in texts for word in split(text))
        words = list(filter(self.has_index_for, found))
        rows = {word: row for row, word in enumerate(words)}
        vectors = self._vectors_of(words).reshape(-1, self.vector_size)
        if weights is not None:
            known = [self.key_to_index.get(word, -1) for word in words]
            weights = np.append(weights, np.float32(1.0))[known]
        return embed_texts(
            texts,
            lambda text: [rows[word] for word in split(text) if word in rows],
            vectors,
            weights,
        )

    def _known_rows(self, text: str) -> list[int]:
        if self.split is None:
            return known_rows(text, self.key_to_index)
        rows = (self.key_to_index.get(word) for word in self.words_in(text))
        return [row for row in rows if row is not None]
