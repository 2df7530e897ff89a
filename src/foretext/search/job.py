"""The steps of an indexing: read, weigh, embed, count words, build a graph, finish."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

from foretext._version import __version__
from foretext.artifact import load_embedder, load_vectors, opened_run
from foretext.base.errors import Interrupted, MissingExtraError, ModelFileError, OutputError
from foretext.base.files import output_error
from foretext.base.interruption import Interruption
from foretext.base.model_files import copy_model, fingerprint
from foretext.corpus import Corpus
from foretext.corpus.pre_tokenizers import PreTokenizer, PreTokenizerKind, likely_kind
from foretext.messages import message
from foretext.progress import Progress
from foretext.search.building import Building, Progressed
from foretext.search.cutting import Cutter
from foretext.search.embedder import Embedder, EmbeddingModel, idf_of, read_weights, write_weights
from foretext.search.embedding import blocks_of, embed_passages, keep_vectors, take_vectors
from foretext.search.folder import (
    KEPT_VECTORS,
    KIND,
    IndexFacts,
    IndexFolder,
    ModelFacts,
)
from foretext.search.passages import Passages
from foretext.search.reading import read_passages
from foretext.search.settings import IndexConfig
from foretext.search.vector_search import StoredVectors
from foretext.search.word_index import WORD_FORM, write_word_index
from foretext.vectors.neighbor_graph import NeighborGraph, is_usearch_installed

__all__ = ["Job", "build_graph", "keep_model", "refuse_missing_usearch"]

SAMPLE = 1 << 16  # characters that show the script

FROM_PASSAGES = 100_000  # the exact search takes longer than a person notices
BLOCK = 4096  # rows

Check = Callable[[], None]


class Job:
    """One indexing.

    Args:
        building: the folder.
        model: path of the model.
        corpus: the texts.
        config: settings; of an index that grows, those that it has.
        before: what is known of the index that grows; None: a new one is made.
        stop: whether a signal asks to stop.

    Raises:
        ModelFileError: the model gives no vectors, or is not that of the index that grows.
        SettingError: a setting has no effect on the model.
        OutputError: an unfinished index was begun with something else.
    """

    def __init__(
        self,
        building: Building,
        model: Path,
        corpus: Corpus,
        config: IndexConfig,
        before: IndexFacts | None,
        stop: Interruption,
    ) -> None:
        self._building, self._folder = building, building.folder
        self._corpus, self._config, self._before, self._stop = corpus, config, before, stop
        self._model_path = opened_run(model).path
        self._model_name = str(model)
        self._fingerprint = fingerprint(self._model_path)
        if before is not None and self._fingerprint not in (before.model.given, before.model.kept):
            raise ModelFileError(
                f"{model} is not the model of {building.path} ('{before.model.name}'): its vectors "
                "would not fit the others; give that model, or make the index again."
            )
        self._model: EmbeddingModel = load_embedder(model)
        self._options = config.options(self._model)
        Embedder(self._model, self._options)  # refuses options before any text is read
        self._request = self._digest()
        state = building.state
        if state is not None and state.request != self._request:
            raise OutputError(message("files.index.other_texts", path=building.path))
        self._state = state or Progressed(request=self._request, stage="reading")

    def run(self, *, quiet: bool | None = None) -> None:
        """Do what is left to do.

        Raises:
            ForetextError: a text cannot be read, or a file cannot be written.
            Interrupted: by a signal; the index can be resumed.
        """
        facts = self._written(quiet=quiet)
        del self._model  # Windows moves no folder of a file that is mapped
        self._building.finish(facts.model_dump())

    def _written(self, *, quiet: bool | None) -> IndexFacts:
        """Write all parts of the index, and return what is known of it; no part stays mapped."""
        self._building.keep_state(self._state)
        if self._state.stage == "reading":
            self._read(quiet=quiet)
        facts = self._facts()
        passages = Passages(self._folder, facts)
        kind = self._kind_of_words(passages)
        edition = PreTokenizer(kind).edition
        of_words = {"words": kind, "words_edition": edition, "words_form": WORD_FORM}
        facts = facts.model_copy(update=of_words)
        embedder = self._embedder(passages, quiet=quiet)
        dtype, dim = self._config.dtype, self._model.vector_size
        if not self._folder.embeddings.is_file():
            embed_passages(
                self._building, passages, embedder, dtype, check=self._check, quiet=quiet
            )
            keep_vectors(self._building, len(passages), dim, dtype)
        with Progress(
            message("progress.counting_words"), len(passages), "passages", quiet=quiet
        ) as bar:
            texts = (text for block in blocks_of(passages) for text in self._checked(block))
            write_word_index(self._folder.words, bar.over(texts), facts.words)
        if _wants_graph(self._config.approximate, len(passages)):
            has_graph = self._before is not None and self._building.before.graph.is_file()
            grown = self._building.before if has_graph else None
            build_graph(self._folder, facts, grown, check=self._check, quiet=quiet)
        kept = keep_model(self._model_path, self._folder) if self._config.keep_model else None
        model = facts.model.model_copy(update={"kept": kept})
        return facts.model_copy(update={"model": model})

    def _read(self, *, quiet: bool | None) -> None:
        """Read the texts; whatever an earlier process read is read again."""
        for path in (self._building.vectors, self._folder.embeddings, self._folder.weights):
            path.unlink(missing_ok=True)
        config = self._config
        length = config.passage_length(self._model)
        before = None
        if self._before is not None:
            before = Passages(self._building.before, self._before)
        passages, places = read_passages(
            self._corpus,
            Cutter(self._model.text_sizes, length, config.overlap),
            self._folder,
            keep_duplicates=config.keep_duplicates,
            before=before,
            old=self._building.before,
            check=self._check,
            quiet=quiet,
        )
        if self._before is not None:
            take_vectors(self._building, self._before)
        self._state = Progressed(
            request=self._request, stage="embedding", passages=passages, places=places
        )
        self._building.keep_state(self._state)

    def _facts(self) -> IndexFacts:
        """Return what is known once the texts were read; `words` and the copy are still open."""
        return IndexFacts(
            kind=KIND,
            foretext=__version__,
            passages=self._state.passages,
            places=self._state.places,
            length=self._config.passage_length(self._model),
            overlap=self._config.overlap,
            keep_duplicates=self._config.keep_duplicates,
            dtype=self._config.dtype,
            words="unicode_words",
            model=ModelFacts(
                name=self._model_name if self._before is None else self._before.model.name,
                given=self._fingerprint if self._before is None else self._before.model.given,
                kept=None,
                dim=self._model.vector_size,
                options=self._options,
            ),
        )

    def _kind_of_words(self, passages: Passages) -> PreTokenizerKind:
        if self._before is not None:
            return self._before.words
        sample = ""
        for block in blocks_of(passages):
            sample += "\n".join(block)
            if len(sample) >= SAMPLE:
                break
        return likely_kind(sample[:SAMPLE])

    def _embedder(self, passages: Passages, *, quiet: bool | None) -> Embedder:
        """Return what embeds; the weights of words are those of the passages at the beginning."""
        if self._options.weighting != "idf":
            return Embedder(self._model, self._options)
        path, old = self._folder.weights, self._building.before.weights
        if self._before is not None:
            write_weights(path, read_weights(old, self._model))
        if not path.is_file():
            with Progress(
                message("progress.weighing_words"), len(passages), "passages", quiet=quiet
            ) as bar:
                blocks = (self._told(block, bar) for block in blocks_of(passages))
                write_weights(path, idf_of(self._model, blocks))
        return Embedder(self._model, self._options, read_weights(path, self._model))

    def _told(self, block: list[str], bar: Progress) -> list[str]:
        bar.advance(len(block))
        return self._checked(block)

    def _checked(self, block: list[str]) -> list[str]:
        self._check()
        return block

    def _check(self) -> None:
        """Stop where a signal asks for it.

        Raises:
            Interrupted: always then.
        """
        if self._stop.requested:
            raise Interrupted(
                message(
                    "files.folder.stopped", signal=self._stop.requested, path=self._building.path
                )
            )

    def _digest(self) -> str:
        """Return a digest of all that was asked for, by which it is known again."""
        grown = "" if self._before is None else self._before.model_dump_json()
        parts = (self._corpus.fingerprint, self._config.model_dump_json(), self._fingerprint, grown)
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]


def refuse_missing_usearch(approximate: bool | None) -> None:
    """Refuse a graph that is wanted and cannot be built, before any text is read.

    Raises:
        MissingExtraError: usearch is not installed.
    """
    if approximate and not is_usearch_installed():
        raise MissingExtraError("usearch", "index", message("errors.purpose.approximate"))


def _wants_graph(approximate: bool | None, num_passages: int) -> bool:
    """Whether an index of so many passages gets a graph."""
    if approximate is None:
        return num_passages >= FROM_PASSAGES and is_usearch_installed()
    return approximate


def build_graph(
    folder: IndexFolder,
    facts: IndexFacts,
    before: IndexFolder | None,
    *,
    check: Check,
    quiet: bool | None,
) -> None:
    """Build the graph of all passages, or add the new ones to that of an index that grows.

    Args:
        folder: of the new index, with its vectors.
        facts: of it.
        before: the index that grows, if it has a graph.
        check: is called between blocks, and may raise.
        quiet: show no progress; None: show it on a terminal and in a notebook.

    Raises:
        OutputError: it cannot be written.
        VectorFileError: the graph of the index that grows is damaged.
    """
    vectors, dim = StoredVectors(folder, facts), facts.model.dim
    graph = NeighborGraph(dim) if before is None else NeighborGraph.load(before.graph, dim)
    done = len(graph)
    with Progress(
        message("progress.indexing"), len(vectors), "passages", initial=done, quiet=quiet
    ) as bar:
        for start in range(done, len(vectors), BLOCK):
            check()
            rows = vectors.rows(slice(start, start + BLOCK))
            graph.add(rows)
            bar.advance(len(rows))
    graph.save(folder.graph)


def keep_model(path: Path, folder: IndexFolder) -> str:
    """Copy a model into an index, and return the fingerprint of the copy.

    A file of word vectors becomes safetensors, which opens faster than text.

    Raises:
        OutputError: it cannot be written.
    """
    try:
        folder.model.mkdir(exist_ok=True)
    except OSError as error:
        raise output_error(folder.model, error) from error
    if path.is_dir():
        copy_model(path, folder.model)
    else:
        load_vectors(path).save(folder.model / KEPT_VECTORS)
    return fingerprint(folder.kept_model)
