"""Opening what was learned: runs of foretext, vector files, and folders of other libraries."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, overload

from foretext.base.arguments import checked_arguments
from foretext.base.errors import ModelFileError, SettingError, VectorFileError
from foretext.base.files import is_regular_file, refuse_name, sweep
from foretext.base.parsing import read_toml
from foretext.base.registry import imported
from foretext.base.replacement import settle
from foretext.kinds import KINDS, TASK, Kind
from foretext.messages import message
from foretext.run_folder import RunFolder
from foretext.tasks import WITHOUT_NETWORK, is_task
from foretext.tasks.predictor import Predictor
from foretext.tokenizers.word_tokenizer import WordTokenizer
from foretext.vectors.formats.static_layout import holds_static_vectors
from foretext.vectors.word_vectors import WordVectors

if TYPE_CHECKING:
    from foretext.base.config import Config
    from foretext.language_model import LanguageModel

__all__ = [
    "RunFolder",
    "holds_comparison",
    "kind_named",
    "kind_of_run",
    "load",
    "load_embedder",
    "load_language_model",
    "load_task",
    "load_vectors",
    "network_reads_words",
    "opened_embedder",
    "opened_run",
    "reading_of_run",
    "run_vectors",
]

DOCUMENT_VECTORS = "foretext.vectors.document_vectors:DocumentVectors"
TOKEN_VECTORS = "foretext.vectors.token_vectors:TokenVectors"
COMPARED, CANDIDATES, BEST = "compare.json", "candidates", "best"  # in the folder of a comparison
FASTTEXT_FILES = (".bin", ".ftz")  # of word vectors, or of a classifier

T = TypeVar("T")


@overload
def load(path: str | Path) -> Any: ...


@overload
def load(path: str | Path, kind: type[T]) -> T: ...


@checked_arguments
def load(path: str | Path, kind: type[Any] | None = None) -> Any:
    """Open what a run left, a vector file of anybody's, or a folder with somebody's model.

    Word vectors open as `WordVectors`, language models as `LanguageModel`, what learned a task as a
    `TaskModel`, autoencoders as `Codec`, what needs no network as `FastTextClassifier`,
    `LinearClassifier`, `EmbeddingClassifier`, `LinearMatcher` and `LinearTagger`. Of a comparison
    its best model is opened.

    Folders of Hugging Face open as a `TaskModel` where their class has a head for one, and others,
    like those of sentence-transformers, as a `LanguageModel`; PyTorch is imported for networks
    alone. An index opens as a `SearchIndex`.

    Args:
        path: of a folder or a file.
        kind: the class that is expected, which type checkers then know; None: any.

    Raises:
        VectorFileError: there is nothing there, the run is unfinished, or the file is damaged.
        ModelFileError: the folder holds a model that foretext does not know, a damaged one, or
            another one than `kind`.
        UntrustedError: the folder names code from outside foretext (`foretext.trust`).
        MissingExtraError: a network without PyTorch.
    """
    opened = _open_classifier_file(path, kind) or _opened(path)
    _remember_reading(path, opened)
    if kind is not None and not isinstance(opened, kind):
        raise ModelFileError(
            f"{path} holds {type(opened).__name__}, not {kind.__name__}; give another path, or "
            "another class."
        )
    return opened


def load_task(path: str | Path) -> Predictor:
    """Open what a task was learned by: a run, a folder of Hugging Face, a .bin or .ftz file.

    Raises:
        ModelFileError: it holds something else.
        ForetextError: as of `load`.
    """
    opened = _open_classifier_file(path, Predictor) or _opened(path)
    _remember_reading(path, opened)
    if not isinstance(opened, Predictor):
        found = type(opened).__name__
        raise ModelFileError(message("errors.run.no_task", path=path, found=found))
    return opened


def _remember_reading(path: str | Path, opened: Any) -> None:
    """Let a model of a run know how the run read its rows, so that others are read so, too."""
    if isinstance(opened, Predictor):
        opened.reading = reading_of_run(path, opened)


def reading_of_run(path: str | Path, model: Predictor) -> Config | None:
    """Return how a run read its rows; None: it is no run of foretext.

    Args:
        path: of the run, or of a comparison, whose best model is meant.
        model: what it holds.

    Raises:
        ModelFileError: the recipe of the run is damaged.
    """
    run = opened_run(path)
    if not run.begun:  # of another library
        return None
    sections = read_toml(run.recipe, ModelFileError)
    try:
        return model.task.rows_config.checked(sections.get("rows", {}), "rows")
    except SettingError as error:
        raise ModelFileError(f"{run.recipe}: {error}") from error


def _opened(path: str | Path) -> Any:
    return kind_of_run(path).code("load")(opened_run(path).path)


def kind_of_run(path: str | Path) -> Kind:
    """Return the row of `foretext.kinds` for what is at a path; only ``config.json`` is read.

    A file holds word vectors, a folder of another library a language model or a task.

    Raises:
        VectorFileError: there is nothing, or the folder holds no finished run.
        ModelFileError: it is of a kind that this version does not know, or ``config.json`` is
            damaged.
    """
    run = opened_run(path)
    if holds_static_vectors(run.path):
        return KINDS["static vectors"]
    if not run.path.exists():
        load_vectors(path)  # says that nothing is there
    if not run.path.is_dir() or run.vectors.is_file():
        return KINDS["word vectors"]
    if not _holds_model(run):
        _refuse_unfinished(path, run)
    return kind_named(run.kind or "language model", run.config)


def kind_named(name: str, source: Path) -> Kind:
    """Return the row of `foretext.kinds` for the kind that the file `source` names.

    Raises:
        ModelFileError: there is none.
    """
    if is_task(name):
        return TASK
    if name not in KINDS:
        raise ModelFileError(message("files.run.unknown_kind", source=source, name=name))
    return KINDS[name]


def _open_classifier_file(path: str | Path, kind: type[Any] | None) -> Predictor | None:
    """Open a file of fastText's program as a classifier, where one is expected."""
    wanted = kind is not None and issubclass(kind, Predictor)
    if not wanted or Path(path).suffix not in FASTTEXT_FILES or Path(path).is_dir():
        return None
    classifier: Predictor = WITHOUT_NETWORK.resolve("fasttext classifier").load(path)
    return classifier


def load_vectors(path: str | Path) -> WordVectors:
    """Open the vectors that a run left, or a vector file of foretext, word2vec, GloVe or fastText.

    Raises:
        VectorFileError: there are none, the run is unfinished, or the file is damaged.
    """
    run = opened_run(path)
    if not run.path.is_dir():
        return WordVectors.load(run.path)
    if holds_static_vectors(run.path):
        opened: WordVectors = imported(TOKEN_VECTORS).load(run.path)
        return opened
    _refuse_unfinished(path, run)
    if run.documents.is_file():
        documents: WordVectors = imported(DOCUMENT_VECTORS).load(run.path).documents
        return documents
    if not run.vectors.is_file():
        raise VectorFileError(message("errors.run.no_word_vectors", path=path))
    return run_vectors(run)


def _refuse_unfinished(path: str | Path, run: RunFolder) -> None:
    if not run.finished:
        key = "unfinished" if run.begun else "none"
        raise VectorFileError(message(f"errors.run.{key}", path=path))


def run_vectors(run: RunFolder) -> WordVectors:
    """Open the vectors of a run, finished or not, with the run's own way to find words in a text.

    Raises:
        VectorFileError: the file is damaged.
        CorpusError: the vocabulary beside it is damaged.
    """
    return WordVectors.load(run.vectors, split=WordTokenizer.load(run.tokenizer).words)


def load_language_model(path: str | Path) -> LanguageModel:
    """Open a run of a language model, or a folder of Hugging Face or sentence-transformers.

    Raises:
        ModelFileError: the folder holds none that foretext knows, or a damaged one.
        MissingExtraError: PyTorch is not there.
    """
    run = opened_run(path)
    if run.vectors.is_file() or run.path.is_file() or holds_static_vectors(run.path):
        raise ModelFileError(message("errors.run.word_vectors", path=path))
    if run.begun and not run.finished:
        raise ModelFileError(message("errors.run.unfinished", path=path))
    opened: LanguageModel = imported("foretext.language_model:LanguageModel").load(run.path)
    return opened


def load_task_embedder(path: str | Path) -> Any:
    """Open what embeds texts of a network that has learned a task: the network underneath.

    A network over whole words cannot be opened without its task; a sentence encoder embeds by
    itself.

    Raises:
        ModelFileError: it is over whole words and has learned another task, or is damaged.
        MissingExtraError: PyTorch is not there.
    """
    if not network_reads_words(path):
        return load_language_model(path)
    model: Predictor = TASK.code("load")(opened_run(path).path)
    if model.own_embedder is None:
        raise ModelFileError(
            f"{path} holds a network over whole words that has learned {model.task.title.lower()}, "
            "which gives no vectors of texts; give the word vectors that it began with, or a "
            "sentence encoder."
        )
    return model.own_embedder


def network_reads_words(path: str | Path) -> bool:
    """Whether a network that has learned a task is over whole words.

    Raises:
        ModelFileError: its settings are missing or damaged.
    """
    config = imported("foretext.interop.config_file:read_config")(opened_run(path).config)
    return bool(imported("foretext.interop.own_tasks:reads_words")(config))


def load_embedder(path: str | Path) -> Any:
    """Open what turns texts into vectors: `WordVectors`, or a `LanguageModel`.

    Of what learned a task it is what `load_task_embedder` opens.

    Raises:
        ModelFileError: it gives no vectors of texts.
        ForetextError: as of `load`.
    """
    kind = kind_of_run(path)
    if kind.embedder is None:
        raise ModelFileError(message("files.run.no_vectors", path=path, kind=kind.name))
    return kind.code("embedder")(path)


def opened_embedder(path: str | Path) -> tuple[Any, Path]:
    """Open what embeds texts, as `load_embedder` does, and return where its files are.

    Raises:
        ForetextError: as of `load_embedder`.
    """
    return load_embedder(path), opened_run(path).path


def opened_run(path: str | Path) -> RunFolder:
    """Return the folder of a run to read, once what a killed process left in it is put in order.

    Of a comparison it is that of its best model.

    Raises:
        OutputError: nothing can have this name.
        ModelFileError: it holds a comparison that is not finished, or without a best model.
    """
    refuse_name(Path(path))
    run = RunFolder(_best_model(Path(path)) if holds_comparison(path) else path)
    if run.path.is_dir():
        settle(run.path)
        if run.begun:
            sweep(run.path)
    return run


def holds_comparison(path: str | Path) -> bool:
    """Whether a folder holds a comparison.

    Raises:
        ModelFileError: it is not finished.
    """
    run = RunFolder(path)
    if run.begun or is_regular_file(run.config):
        return False
    if is_regular_file(run.path / COMPARED):
        return True
    if is_regular_file(run.plan) and (run.path / CANDIDATES).is_dir():
        raise ModelFileError(message("errors.run.unfinished_comparison", path=path))
    return False


def _best_model(folder: Path) -> Path:
    """Return where the best model of a comparison is.

    Raises:
        ModelFileError: there is none.
    """
    if not (folder / BEST).is_dir():
        raise ModelFileError(message("errors.run.no_best", path=folder))
    return folder / BEST


def _holds_model(run: RunFolder) -> bool:
    return run.finished or is_regular_file(run.modules)
