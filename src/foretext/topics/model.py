"""Topics in use: their words, and the topics of any text.

The file of a run of topics: ``parameters`` (W, K) float32, the Dirichlet parameters of words in
topics; ``ids`` (W,) int64, the ids of the words; ``coherences`` (K,) float32. The priors stand in
the metadata, as JSON. The words and their counts are in the vocabulary's file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from foretext.base.arguments import checked_arguments
from foretext.base.config import whole_number
from foretext.base.errors import VectorFileError
from foretext.base.parsing import parse_json, read_tensors, write_tensors
from foretext.base.representation import represented
from foretext.base.runtime import Threads, usable_cores
from foretext.corpus.texts import iterate_texts
from foretext.progress import Progress
from foretext.shown import Shown
from foretext.tokenizers.word_tokenizer import WordTokenizer
from foretext.topics.bags import Batch
from foretext.topics.lda import Priors, TopicWords
from foretext.vectors.insight import shortened_title
from foretext.vectors.text_embedding import shortened

__all__ = ["FILE", "Topic", "TopicModel"]

INFERRED_AT_ONCE = 1024  # texts, between two steps of the bar

FILE = "topics.safetensors"
TENSORS = {"parameters": ("float32", 2), "ids": ("int64", 1), "coherences": ("float32", 1)}
FORMAT = {"format": "foretext.topics", "version": "1"}


class Topic(NamedTuple):
    """One topic."""

    share: float  # of all words of the text
    words: list[tuple[str, float]]  # the most probable ones, with their probabilities
    coherence: float  # of its words in the text that was learned, from -1 to 1


@represented
class TopicModel:
    """The topics of a run: their words, and the topics of any text by inference.

    Topics are numbered by their share of the text, the largest first.

    Args:
        tokenizer: that cuts a text into words.
        ids: (W,) of the words of topics.
        words: what was learned of them.
        coherences: (K,) of the topics, in the text that was learned.
    """

    kind: ClassVar[str] = "topics"
    abilities: ClassVar[tuple[str, ...]] = ("embed",)
    text_room: ClassVar[int | None] = None  # a text of any length is inferred
    text_framing: ClassVar[None] = None  # nothing stands around one
    prompts: ClassVar[Mapping[str, str]] = MappingProxyType({})  # to begin texts with
    weighs_words: ClassVar[bool] = False  # `embed` takes no weights of words
    has_layers: ClassVar[bool] = False  # nor a layer

    def __init__(
        self,
        tokenizer: WordTokenizer,
        ids: NDArray[np.int64],
        words: TopicWords,
        coherences: NDArray[np.float32],
    ) -> None:
        self.tokenizer, self.ids, self.words, self.coherences = tokenizer, ids, words, coherences
        self.row_of = np.full(tokenizer.vocab_size, -1, np.int64)
        self.row_of[ids] = np.arange(len(ids))

    @classmethod
    @checked_arguments
    def load(cls, folder: str | Path) -> Self:
        """Open the folder of a run.

        Raises:
            VectorFileError: a file is missing or damaged.
            CorpusError: the vocabulary beside it is damaged.
        """
        tokenizer = WordTokenizer.load(Path(folder) / "tokenizer.json")
        path = Path(folder) / FILE
        found = read_tensors(path, VectorFileError, TENSORS)
        said = found.metadata.get("priors", "")
        priors = parse_json(said, f"{path}, priors", VectorFileError, Priors)
        parameters, ids, coherences = (found.tensors[name] for name in TENSORS)
        _check(path, parameters, ids, coherences, tokenizer.vocab_size)
        words = TopicWords(parameters.shape[1], len(ids), priors)
        words.table[...] = parameters
        return cls(tokenizer, ids.astype(np.int64), words, coherences)

    @checked_arguments
    def save(self, folder: Path) -> None:
        """Write ``topics.safetensors`` into a folder that has the tokenizer.

        Raises:
            OutputError: it cannot be written.
        """
        tensors: dict[str, NDArray[Any]] = {
            "parameters": np.ascontiguousarray(self.words.table),
            "ids": self.ids,
            "coherences": self.coherences,
        }
        priors = self.words.priors.model_dump_json()
        write_tensors(folder / FILE, tensors, {**FORMAT, "priors": priors})

    def keep(self, folder: Path) -> str:
        """Write all that embeds texts into a folder, which is opened as a whole.

        Raises:
            OutputError: a file cannot be written.
        """
        self.tokenizer.save(folder / "tokenizer.json")
        self.save(folder)
        return ""

    def __len__(self) -> int:
        return self.words.num_topics

    @property
    def vector_size(self) -> int:
        """Numbers of a vector of a text: the topics, K."""
        return self.words.num_topics

    @property
    def size(self) -> dict[str, int]:
        """How much was learned, for a summary."""
        return {"topics": len(self), "words": len(self.ids)}

    def served_facts(self) -> dict[str, Any]:
        """Return what a server says of the topics, as JSON has it."""
        facts = {"fields": ["text"], "parameters": int(self.words.table.size)}
        return {**facts, "dimensions": len(self)}

    def summary(self) -> dict[str, Any]:
        """Return what a notebook shows of the topics."""
        first = [" ".join(word for word, _ in topic.words) for topic in self.described(5)]
        return {**self.size, "largest topics": first}

    @checked_arguments
    def topics(self, topn: int = 10) -> list[list[tuple[str, float]]]:
        """Return the `topn` most probable words of each topic, with their probabilities."""
        topn = whole_number(topn, "topn", least=1)
        vocabulary, probable = self.tokenizer.vocabulary.words, self.words.probabilities()
        rows = np.argsort(-probable, axis=0, kind="stable")[:topn]  # (topn, K)
        return [
            [(vocabulary[self.ids[row]], float(probable[row, topic])) for row in rows[:, topic]]
            for topic in range(len(self))
        ]

    def described(self, topn: int = 10) -> list[Topic]:
        """Return the topics with their shares of the text, and how coherent their words are."""
        shares, topics = self.words.corpus_shares, self.topics(topn)
        return [
            Topic(float(share), words, float(coherence))
            for share, words, coherence in zip(shares, topics, self.coherences, strict=True)
        ]

    @checked_arguments
    def show(self, texts: Sequence[str]) -> list[Shown]:
        """Return the topics of each text, and the topic of each of its words.

        Raises:
            CorpusError: a text has no word.
        """
        from foretext.topics.insight import text_parts

        shares = self.embed(list(texts))
        each = zip(texts, shares, strict=True)
        return [
            Shown(shortened_title(text), tuple(text_parts(self, text, own))) for text, own in each
        ]

    @checked_arguments
    def text_sizes(self, texts: Sequence[str]) -> list[int]:
        """Return how many words each text has, known or not."""
        return [len(self.tokenizer.words(text)) for text in texts]

    @checked_arguments
    def embed(
        self, texts: Any, *, normalize: bool | None = None, progress: Progress | None = None
    ) -> NDArray[np.float32]:
        """Return the shares of the topics in each text, (N, K), which add up to 1.

        They depend on the text alone, not on the texts around it. A text without a word of the
        topics gives zeros.

        Args:
            texts: strings in a list, a generator, a column, or a table with a column "text"; a
                single one gets a single vector, (K,).
            normalize: whether vectors get length 1; None: they do not.
            progress: advances by the texts.

        Raises:
            CorpusError: an element is no text.
        """
        if isinstance(texts, str):
            alone: NDArray[np.float32] = self.embed([texts], normalize=normalize)[0]
            return alone
        found = list(iterate_texts(texts))
        parts = [np.zeros((0, len(self)), np.float32)]
        with Threads(usable_cores()) as pool:
            for first in range(0, len(found), INFERRED_AT_ONCE):
                some = found[first : first + INFERRED_AT_ONCE]
                parts.append(self._shares(some, pool))
                if progress is not None:
                    progress.advance(len(some))
        return shortened(np.concatenate(parts), None, normalize=bool(normalize))

    def transform(self, texts: Any) -> NDArray[np.float32]:
        """Return what `embed` gives, under the name that scikit-learn has for it, (N, K)."""
        return self.embed(texts)

    def _shares(self, texts: Sequence[str], pool: Threads) -> NDArray[np.float32]:
        ids = [np.array(self.tokenizer.encode(text), np.int64) for text in texts]
        batch = Batch.of_texts(ids, self.row_of)
        found = self.words.infer(batch, self.words.weights(batch.rows), pool)
        shares = self.words.shares(found)
        shares[np.diff(batch.bags.starts) == 0] = 0
        return shares


def _check(
    path: Path,
    parameters: NDArray[Any],
    ids: NDArray[Any],
    coherences: NDArray[Any],
    vocab_size: int,
) -> None:
    """Check what becomes an index, or is divided by."""
    num_words, num_topics = parameters.shape
    is_right = (
        num_words == len(ids) and num_topics == len(coherences) and min(num_words, num_topics) > 1
    )
    if not is_right or ids[0] < 1 or ids[-1] >= vocab_size or (np.diff(ids) <= 0).any():
        raise VectorFileError(f"{path}: topics and words do not go together; write the file again.")
    if not (np.isfinite(parameters).all() and (parameters > 0).all()):
        raise VectorFileError(
            f"{path}: a parameter is not a positive number; write the file again."
        )
    if not np.isfinite(coherences).all():
        raise VectorFileError(f"{path}: a coherence is not finite; write the file again.")
