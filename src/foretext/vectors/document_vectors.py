"""Documents and their vectors, and what infers vectors of new ones: doc2vec in use.

The file of a run of doc2vec: vectors of documents, and what infers those of new ones.
``documents`` is (N, D) float32; ``names`` and ``beginnings`` are their UTF-8 bytes with line ends
between; ``outputs`` is (V, places * D), and ``inputs`` (V, D) where words have vectors, too. The
settings stand in the metadata, as JSON. The words and their counts are in the vocabulary's file.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.base.arguments import checked_arguments
from foretext.base.config import whole_number
from foretext.base.counted import counted
from foretext.base.errors import CorpusError, SettingError, VectorFileError
from foretext.base.parsing import parse_json, read_tensors, write_tensors
from foretext.base.representation import represented
from foretext.base.runtime import usable_cores
from foretext.corpus.texts import iterate_texts
from foretext.progress import Progress
from foretext.shown import Shown
from foretext.tokenizers.word_tokenizer import WordTokenizer
from foretext.vectors.doc2vec import Doc2VecConfig, DocumentNetwork
from foretext.vectors.formats.table import first_not_finite
from foretext.vectors.insight import all_texts, shortened_title
from foretext.vectors.neighbors import unit_rows
from foretext.vectors.text_cosines import text_cosines
from foretext.vectors.text_embedding import shortened
from foretext.vectors.word_vectors import WordVectors

__all__ = ["FILE", "DocumentVectors"]

INFERRED_AT_ONCE = 1024  # texts, between two steps of the bar
MOST_FOUND_AGAIN = 500  # documents that are looked for by their own text

FILE = "documents.safetensors"
TENSORS = {
    "documents": ("float32", 2),
    "outputs": ("float32", 2),
    "names": ("uint8", 1),
    "beginnings": ("uint8", 1),
}
INPUTS = {"inputs": ("float32", 2)}
FORMAT = {"format": "foretext.document_vectors", "version": "1"}


@represented
class DocumentVectors:
    """The vectors of a run of doc2vec: of its documents, and of any text by inference.

    Args:
        names: of the documents, each once.
        vectors: (N, D); zeros for a document without a known word.
        beginnings: the first letters of each document.
        tokenizer: that cuts a text into words.
        network: with what was learned of words.
    """

    kind: ClassVar[str] = "document vectors"
    abilities: ClassVar[tuple[str, ...]] = ("embed", "neighbors", "rerank")
    text_room: ClassVar[int | None] = None  # a text of any length is inferred
    text_framing: ClassVar[None] = None  # nothing stands around one
    prompts: ClassVar[Mapping[str, str]] = MappingProxyType({})  # to begin texts with
    weighs_words: ClassVar[bool] = False  # `embed` takes no weights of words
    has_layers: ClassVar[bool] = False  # nor a layer

    @checked_arguments
    def __init__(
        self,
        names: Sequence[str],
        vectors: NDArray[np.float32],
        beginnings: Sequence[str],
        tokenizer: WordTokenizer,
        network: DocumentNetwork,
    ) -> None:
        self.documents = WordVectors(names, vectors)
        self.beginnings = list(beginnings)
        self.tokenizer, self.network = tokenizer, network

    @classmethod
    @checked_arguments
    def load(cls, folder: str | Path) -> DocumentVectors:
        """Open the folder of a run.

        Raises:
            VectorFileError: a file is missing or damaged.
            CorpusError: the vocabulary beside it is damaged.
        """
        tokenizer = WordTokenizer.load(Path(folder) / "tokenizer.json")
        return cls(*_read_documents(Path(folder), tokenizer))

    @checked_arguments
    def save(self, folder: Path) -> None:
        """Write ``documents.safetensors`` into a folder that has the tokenizer.

        Raises:
            OutputError: it cannot be written.
        """
        _write_documents(folder, self.documents, self.beginnings, self.network)

    def keep(self, folder: Path) -> str:
        """Write all that embeds texts into a folder, which is opened as a whole.

        Raises:
            OutputError: a file cannot be written.
        """
        self.tokenizer.save(folder / "tokenizer.json")
        self.save(folder)
        return ""

    def __len__(self) -> int:
        return len(self.documents)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self.documents.key_to_index

    def __getitem__(self, name: str) -> NDArray[np.float32]:
        """The vector of a document (D,), read-only."""
        return self.documents[name]

    @property
    def names(self) -> list[str]:
        """Names of the documents, in the order of `vectors`."""
        return self.documents.index_to_key

    @property
    def vectors(self) -> NDArray[np.float32]:
        """Vectors of the documents, (N, D), read-only."""
        return self.documents.vectors

    @property
    def vector_size(self) -> int:
        """Number of dimensions, D."""
        return self.documents.vector_size

    @property
    def size(self) -> dict[str, int]:
        """How much was learned, for a summary."""
        return {"documents": len(self), "vector_size": self.vector_size}

    def served_facts(self) -> dict[str, Any]:
        """Return what a server says of the vectors, as JSON has it."""
        size = {"documents": len(self), "dimensions": self.vector_size}
        return {"fields": ["text"], "parameters": int(self.vectors.size), **size}

    def summary(self) -> dict[str, Any]:
        """Return what a notebook shows of the vectors."""
        return {**self.size, "words": self.tokenizer.vocab_size - 1, "first documents": self.names}

    @cached_property
    def words(self) -> WordVectors:
        """The vectors of words that were learned beside those of documents.

        Raises:
            SettingError: PV-DBOW alone learns none.
        """
        if not self.network.config.reads_words:
            raise SettingError(
                "PV-DBOW learns no vectors of words; set dbow_words = true, or model = 'dm'."
            )
        words, counts = self.tokenizer.vocabulary.words[1:], self.network.counts[1:]
        matrix = np.ascontiguousarray(self.network.words[1:])
        return WordVectors(words, matrix, counts, split=self.tokenizer.words)

    @checked_arguments
    def text_sizes(self, texts: Sequence[str]) -> list[int]:
        """Return how many words each text has, known or not."""
        return [len(self.tokenizer.words(text)) for text in texts]

    @checked_arguments
    def embed(
        self,
        texts: Any,
        *,
        epochs: int | None = None,
        seed: int = 1,
        normalize: bool | None = None,
        progress: Progress | None = None,
    ) -> NDArray[np.float32]:
        """Infer one vector a text, (N, D); a text without a known word gives zeros.

        A vector depends on its text and the seed alone, not on the texts around it.

        Args:
            texts: strings in a list, a generator, a column, or a table with a column "text"; a
                single one gets a single vector, (D,).
            epochs: passes over each text; None: the setting `infer_epochs`.
            seed: of all that is drawn.
            normalize: whether vectors get length 1; None: they do not.
            progress: advances by the texts.

        Raises:
            SettingError: less than one pass.
            CorpusError: an element is no text.
        """
        from foretext.vectors.document_inference import infer

        if isinstance(texts, str):
            options: Any = {"epochs": epochs, "seed": seed, "normalize": normalize}
            single: NDArray[np.float32] = self.embed([texts], progress=progress, **options)[0]
            return single
        if epochs is not None:
            epochs = whole_number(epochs, "epochs", least=1)
        seed = whole_number(seed, "seed", least=0)
        ids = [np.array(self.tokenizer.encode(text), np.int64) for text in iterate_texts(texts)]
        parts = [np.zeros((0, self.vector_size), np.float32)]
        for first in range(0, len(ids), INFERRED_AT_ONCE):
            some = ids[first : first + INFERRED_AT_ONCE]
            workers = min(usable_cores(), len(some))
            parts.append(infer(self.network, some, seed=seed, epochs=epochs, workers=workers))
            if progress is not None:
                progress.advance(len(some))
        return shortened(np.concatenate(parts), None, normalize=bool(normalize))

    @checked_arguments
    def transform(self, texts: Any) -> NDArray[np.float32]:
        """Return what `embed` gives, under the name that scikit-learn has for it, (N, D)."""
        return self.embed(texts)

    @checked_arguments
    def similarity(self, firsts: Any, seconds: Any) -> Any:
        """Return the cosines of all first texts with all second ones, (N, M), by inferred vectors.

        Vectors can stand in place of texts. A single text takes its axis away: two texts give a
        number.

        Args:
            firsts: N texts, or vectors (N, D).
            seconds: M texts, or vectors (M, D).

        Raises:
            CorpusError: an element is no text.
            SettingError: vectors are not finite, or of another size.
        """
        return text_cosines(self.embed, self.vector_size, firsts, seconds)

    @checked_arguments
    def most_similar(
        self, query: str | NDArray[Any], topn: int = 10, *, seed: int = 1
    ) -> list[tuple[str, float]]:
        """Return the `topn` documents nearest to one, or to a text or vector (D,), with cosines.

        A string that is no name of a document is a text, whose vector is inferred.

        Args:
            query: the name of a document, a text, or a vector (D,).
            topn: how many documents.
            seed: of the inference of a text.

        Raises:
            SettingError: the text has no known word.
        """
        if isinstance(query, str):
            return self.neighbors([query], topn, seed=seed)[0]
        return self.documents.similar_by_vector(query, topn)

    @checked_arguments
    def neighbors(
        self, queries: Iterable[str], topn: int = 10, *, seed: int = 1
    ) -> list[list[tuple[str, float]]]:
        """Return for each query, a name or a text, what `most_similar` gives.

        Args:
            queries: names of documents or texts.
            topn: how many documents for each.
            seed: of the inference of texts.

        Raises:
            SettingError: a text has no known word.
        """
        found = []
        for query in queries:
            if query in self:
                found.append(self.documents.most_similar([query], topn=topn))
                continue
            vector = self.embed([query], seed=seed)[0]
            if not vector.any():
                raise SettingError(
                    f"'{query}' is no document, and as a text it has no word that was learned; "
                    "give the name of a document, or another text."
                )
            found.append(self.documents.similar_by_vector(vector, topn))
        return found

    @checked_arguments
    def show(self, texts: Sequence[str]) -> list[Shown]:
        """Return the documents nearest to each text, by its inferred vector, and what it knows.

        Raises:
            CorpusError: a text has no word.
        """
        from foretext.vectors.document_insight import text_parts

        vectors = self.embed(list(texts))
        each = zip(texts, vectors, strict=True)
        found = [
            Shown(shortened_title(text), tuple(text_parts(self, text, own))) for text, own in each
        ]
        return [*all_texts(texts, vectors), *found]

    @checked_arguments
    def beginning(self, name: str) -> str:
        """Return the first letters of a document.

        Raises:
            UnknownWordError: there is no document of this name.
        """
        return self.beginnings[self.documents.get_index(name)]

    @checked_arguments
    def found_again_rate(
        self, texts: Sequence[str], rows: Sequence[int], *, seed: int = 1
    ) -> float:
        """Return how often a document is nearest of all to what is inferred of its own text.

        Args:
            texts: of documents that were learned.
            rows: the row of each in `vectors`.
            seed: of what is drawn.

        Raises:
            CorpusError: there are no texts.
        """
        if not texts:
            raise CorpusError("There is no document to find again; give texts.")
        if len(rows) != len(texts):
            raise CorpusError(
                f"{counted(len(texts), 'text')} and {counted(len(rows), 'row')}: give the row of "
                "each text."
            )
        inferred = self.embed(texts, seed=seed)
        unit = unit_rows(self.vectors)
        nearest = np.concatenate(
            [(inferred[at : at + 64] @ unit.T).argmax(axis=1) for at in range(0, len(texts), 64)]
        )
        return float((nearest == np.asarray(rows)).mean())


class _StoredDocuments(NamedTuple):
    """What `foretext.vectors.document_vectors.DocumentVectors` is made of."""

    names: list[str]
    vectors: NDArray[np.float32]  # (N, D)
    beginnings: list[str]
    tokenizer: WordTokenizer
    network: DocumentNetwork


def _write_documents(
    folder: Path, documents: WordVectors, beginnings: Sequence[str], network: DocumentNetwork
) -> None:
    """Write the file; names and beginnings have no line end.

    Raises:
        OutputError: it cannot be written.
    """
    outputs = np.ascontiguousarray(network.output_rows)
    tensors: dict[str, NDArray[Any]] = {
        "documents": documents.vectors,
        "outputs": outputs.reshape(len(outputs), -1),
        "names": _bytes(documents.index_to_key),
        "beginnings": _bytes(beginnings),
    }
    if network.config.reads_words:
        tensors["inputs"] = np.ascontiguousarray(network.words)
    settings = network.config.model_dump_json(exclude_none=True)
    write_tensors(folder / FILE, tensors, {**FORMAT, "settings": settings})


def _read_documents(folder: Path, tokenizer: WordTokenizer) -> _StoredDocuments:
    """Read the file of a run whose words are those of `tokenizer`.

    Raises:
        VectorFileError: it is missing or damaged, or its tensors do not go together.
    """
    path = folder / FILE
    found = read_tensors(path, VectorFileError, TENSORS)
    settings = found.metadata.get("settings", "")
    config = parse_json(settings, f"{path}, settings", VectorFileError, Doc2VecConfig)
    tensors = found.tensors
    if config.reads_words:
        tensors = read_tensors(path, VectorFileError, TENSORS | INPUTS).tensors
    names, beginnings = (_lines(path, tensors[name]) for name in ("names", "beginnings"))
    documents = tensors["documents"]
    _check(path, tensors, config, (len(names), len(beginnings)), tokenizer.vocabulary.counts)
    network = DocumentNetwork(config, np.array(tokenizer.vocabulary.counts), 0)
    network.output_rows[...] = tensors["outputs"].reshape(network.output_rows.shape)
    if config.reads_words:
        network.words[...] = tensors["inputs"]
    if len(set(names)) < len(names):
        raise VectorFileError(f"{path}: two documents have one name; write the file again.")
    return _StoredDocuments(names, documents, beginnings, tokenizer, network)


def _check(
    path: Path,
    tensors: dict[str, NDArray[Any]],
    config: Doc2VecConfig,
    num_lines: tuple[int, int],
    counts: Sequence[int] | NDArray[np.int64],
) -> None:
    """Compare all sizes before anything of such a size is made."""
    size = config.vector_size
    vocab_size = len(counts)
    places = 2 * config.window + 1 if config.is_concatenated else 1
    documents, outputs = tensors["documents"], tensors["outputs"]
    wanted = [(documents, (num_lines[0], size)), (documents, (num_lines[1], size))]
    wanted += [(outputs, (vocab_size, places * size))]
    if config.reads_words:
        wanted += [(tensors["inputs"], (vocab_size, size))]
    if any(tensor.shape != shape for tensor, shape in wanted) or (
        np.count_nonzero(np.asarray(counts)[1:] > 0) < 2  # noise is drawn from the others
    ):
        raise VectorFileError(
            f"{path}: names, vectors and words do not go together; write the file again."
        )
    if any(first_not_finite(tensor) is not None for tensor, _ in wanted):
        raise VectorFileError(f"{path}: a number in it is not finite; write the file again.")


def _bytes(lines: Sequence[str]) -> NDArray[np.uint8]:
    return np.frombuffer("\n".join(lines).encode(), np.uint8)


def _lines(path: Path, data: NDArray[np.uint8]) -> list[str]:
    try:
        return data.tobytes().decode().split("\n")
    except UnicodeDecodeError:
        raise VectorFileError(f"{path}: a name is not UTF-8; write the file again.") from None
