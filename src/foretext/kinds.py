"""The kinds of things that a run can hold: one table, a row each.

A row says what a recipe of the kind has in it, and names the code that learns, opens, shows and
measures the kind as ``"module:name"``. The code is imported when it is used, so that this table
imports nothing. A new kind is a file with that code, and a row here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from foretext.base.registry import imported

__all__ = [
    "ANSWERING",
    "COLUMNS",
    "KINDS",
    "PAIRS",
    "TASK",
    "Kind",
    "kinds_of_recipes",
    "opened_embedder",
]


@dataclass(frozen=True, kw_only=True)
class Kind:
    """What a run can hold, and what foretext can do with it.

    Attributes:
        name: in ``config.json``.
        phrase: in sentences, "an autoencoder".
        load: ``(folder) -> model`` of a finished run, or of a folder of another library.
        evaluate: ``(folder, options) -> measure``, where ``measure(path)`` returns the figures of a
            file.
        evaluate_options: of `foretext evaluate`, that have an effect.
        embedder: ``(folder) -> model`` whose ``embed(texts, progress=...)`` returns vectors of
            texts; None: it embeds no texts.
        embed_options: of `foretext embed`, that have an effect.
        page: ``(folder, options) -> None``, which writes ``report.html``.
        card: ``(folder) -> render``, which reads a finished run; ``render(path)`` then returns its
            card in the current language, with commands that name the run by `path`. None: its
            folders have no card of a run.
        section: of a recipe, that names what learns; None: no recipe learns it.
        sections: the table of who checks each section of its recipes.
        learner: the `foretext.pretraining.learner.Learner` of the kind.
        reads_text: whether it is learned from texts and embeds texts; False: examples of another
            sort, such as images.
        reads_rows: whether it answers rows of a task, as they stand in a file of rows.
        is_frozen: whether tasks are learned on its vectors as they are, by a linear head: it has no
            network or vectors of words to go on with.
        exports: formats of `foretext.exporting.EXPORTS` that it can be written in.
        graph: ``(model) -> foretext.interop.graph.NetworkGraph`` of what has a network.
        windows: ``(model, pooling, layers) -> foretext.interop.text_windows.TextWindows`` of what
            embeds texts by a network, in windows.
        has_word_map: whether its page has a map of words, which takes most of the page's time.
    """

    name: str
    phrase: str
    load: str
    evaluate: str
    evaluate_options: tuple[str, ...] = ()
    embedder: str | None = None
    embed_options: tuple[str, ...] = ()
    page: str | None = None
    card: str | None = None
    section: str | None = None
    sections: str | None = None
    learner: str | None = None
    reads_text: bool = True
    reads_rows: bool = False
    is_frozen: bool = False
    exports: tuple[str, ...] = ()
    graph: str | None = None
    windows: str | None = None
    has_word_map: bool = False

    @property
    def at_first(self) -> str:
        """The phrase at the beginning of a sentence, "An autoencoder"."""
        return self.phrase[0].upper() + self.phrase[1:]

    def code(self, part: str) -> Any:
        """Import and return what the row names as `part`, such as "load".

        Raises:
            MissingExtraError: it needs PyTorch, which is not installed.
        """
        return imported(vars(self)[part])


# Options that name columns of pairs, and of rows of any task; and those of a task's answers.
PAIRS = ("text_a", "text_b", "score", "label")
COLUMNS = (
    "text",
    "label",
    "text_a",
    "text_b",
    "negative",
    "score",
    "source",
    "target",
    "token",
    "tag",
)
ANSWERING = ("precision", "num_beams", "max_new_tokens", "length_penalty", "no_repeat_ngram_size")

NETWORK_EXPORTS = ("onnx", "onnx-int8", "openvino")  # formats of what has a network
GGUF_EXPORTS = ("gguf", "gguf-f16", "gguf-q8")  # formats of llama.cpp, by their numbers

EMBEDDERS = "foretext.artifact:opened_embedder"

_WORD_VECTORS = Kind(
    name="word vectors",
    phrase="word vectors",
    load="foretext.artifact:load_vectors",
    evaluate="foretext.evaluation.vectors:measure_of_vectors",
    evaluate_options=("restrict_vocab", *PAIRS),
    embedder="foretext.artifact:load_vectors",
    embed_options=("weighting",),
    page="foretext.report.vectors_report:report_vectors",
    card="foretext.report.run_cards:card_of_vectors",
    section="vectors",
    sections="foretext.recipe.sections:VECTOR_SECTIONS",
    learner="foretext.pretraining.word_vectors:WordVectorLearner",
    has_word_map=True,
)

TASK = Kind(  # of every task that a network has learned
    name="task",
    phrase="a trained task",
    load="foretext.tasks.model:TaskModel.load",
    evaluate="foretext.evaluation.tasks:measure_of_task",
    evaluate_options=(*COLUMNS, "encoding", "set", *ANSWERING),
    embedder="foretext.artifact:load_task_embedder",
    embed_options=("pooling", "layer", "dim", "normalize", "precision"),
    page="foretext.report.task_report:report_task",
    card="foretext.report.run_cards:card_of_task",
    reads_rows=True,
    exports=(*NETWORK_EXPORTS, *GGUF_EXPORTS),
    graph="foretext.tasks.graphs:task_graph",
    windows="foretext.tasks.graphs:encoder_windows",
)

_WITHOUT_NETWORK = replace(
    TASK, embedder=None, embed_options=(), exports=(), graph=None, windows=None
)

KINDS = {
    kind.name: kind
    for kind in (
        _WORD_VECTORS,
        replace(
            _WORD_VECTORS,
            name="static vectors",
            load="foretext.vectors.token_vectors:TokenVectors.load",
            embedder="foretext.vectors.token_vectors:TokenVectors.load",
            exports=("static",),
            section=None,
            card=None,
        ),
        replace(
            _WORD_VECTORS,
            name="document vectors",
            phrase="document vectors",
            load="foretext.vectors.document_vectors:DocumentVectors.load",
            evaluate="foretext.evaluation.text_pairs:measure_of_pairs",
            evaluate_options=PAIRS,
            embedder="foretext.vectors.document_vectors:DocumentVectors.load",
            embed_options=(),
            is_frozen=True,
            page="foretext.report.documents_report:report_documents",
            card="foretext.report.run_cards:card_of_documents",
            learner="foretext.pretraining.document_vectors:DocumentVectorLearner",
        ),
        Kind(
            name="language model",
            phrase="a language model",
            load="foretext.artifact:load_language_model",
            evaluate="foretext.evaluation.language_model:measure_of_model",
            evaluate_options=("stride", "documents", "encoding", *PAIRS),
            embedder="foretext.artifact:load_language_model",
            embed_options=TASK.embed_options,
            exports=(*NETWORK_EXPORTS, *GGUF_EXPORTS),
            graph="foretext.language_model.graph:model_graph",
            windows="foretext.language_model.graph:model_windows",
            page="foretext.report.language_model_report:report_language_model",
            card="foretext.report.run_cards:card_of_language_model",
            section="objective",
            sections="foretext.recipe.sections:NETWORK_SECTIONS",
            learner="foretext.pretraining.language_models:LanguageModelLearner",
        ),
        Kind(
            name="autoencoder",
            phrase="an autoencoder",
            load="foretext.language_model.codec:Codec.load",
            evaluate="foretext.evaluation.autoencoders:measure_of_autoencoder",
            page="foretext.report.autoencoder_report:report_autoencoder",
            card="foretext.report.run_cards:card_of_autoencoder",
            section="autoencoder",
            sections="foretext.recipe.sections:AUTOENCODER_SECTIONS",
            learner="foretext.pretraining.autoencoders:AutoencoderLearner",
            reads_text=False,
        ),
        Kind(
            name="topics",
            phrase="topics",
            load="foretext.topics.model:TopicModel.load",
            evaluate="foretext.topics.measure:measure_of_topics",
            evaluate_options=("documents", "encoding"),
            embedder="foretext.topics.model:TopicModel.load",
            is_frozen=True,
            page="foretext.topics.report:report_topics",
            card="foretext.topics.card:card_of_topics",
            section="topics",
            sections="foretext.topics:TOPIC_SECTIONS",
            learner="foretext.topics.learner:TopicLearner",
        ),
        Kind(
            name="search index",
            phrase="a search index",
            load="foretext.search.index:open_index",
            evaluate="foretext.evaluation.search:measure_of_search",
            graph="foretext.search.graph:index_graph",
        ),
        replace(
            _WITHOUT_NETWORK,
            name="linear classifier",
            load="foretext.tasks.classification.linear:LinearClassifier.load",
        ),
        replace(
            _WITHOUT_NETWORK,
            name="linear matcher",
            load="foretext.tasks.matching.linear:LinearMatcher.load",
        ),
        replace(
            _WITHOUT_NETWORK,
            name="linear tagger",
            load="foretext.tasks.tagging.linear:LinearTagger.load",
        ),
        replace(
            _WITHOUT_NETWORK,
            name="embedding classifier",
            load="foretext.tasks.classification.embeddings.classifier:EmbeddingClassifier.load",
        ),
        replace(
            _WITHOUT_NETWORK,
            name="fasttext classifier",
            load="foretext.tasks.fasttext.classifier:FastTextClassifier.load",
        ),
    )
}


def kinds_of_recipes() -> list[Kind]:
    """Return the kinds that recipes learn, in the order of the table."""
    return [kind for kind in KINDS.values() if kind.section is not None]


def opened_embedder(path: str | Path) -> tuple[Any, Path]:
    """Open what embeds texts, of any kind, for a model that holds it; return where its files are.

    Raises:
        ForetextError: there is none, or it is damaged.
    """
    opened: tuple[Any, Path] = imported(EMBEDDERS)(path)
    return opened
