"""Opening what was learned: runs of foretext, vector files, and folders of other libraries."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from foretext.errors import ModelFileError, VectorFileError
from foretext.files import is_regular_file, refuse_name, sweep
from foretext.registry import imported
from foretext.replacement import settle
from foretext.run_folder import RunFolder
from foretext.task_models import is_task
from foretext.tokenizers.word_tokenizer import WordTokenizer
from foretext.vectors.word_vectors import WordVectors

if TYPE_CHECKING:
    from foretext.language_model import LanguageModel

__all__ = ["RunFolder", "load", "load_language_model", "load_vectors", "opened_run", "run_vectors"]

# Kind of a run to the class that opens it; the others are word vectors and language models.
TASK_MODEL = "foretext.task_models.base:TaskModel"
OTHER_KINDS = {
    "autoencoder": "foretext.codec:Codec",
    "fasttext classifier": "foretext.classifiers.fasttext.classifier:FastTextClassifier",
    "linear classifier": "foretext.classifiers.linear:LinearClassifier",
}


def load(path: str | Path) -> Any:
    """Open what a run left, a vector file of anybody's, or a folder with somebody's model.

    Word vectors open as `WordVectors`, language models as `LanguageModel`, what learned a task as a
    `TaskModel`, autoencoders as `Codec`, classifiers without a network as `FastTextClassifier` and
    `LinearClassifier`.

    Folders of Hugging Face open as a `TaskModel` where their class has a head for one, and others,
    like those of sentence-transformers, as a `LanguageModel`; PyTorch is imported for networks
    alone.

    Raises:
        VectorFileError: there is nothing there, the run is unfinished, or the file is damaged.
        ModelFileError: the folder holds a model that foretext does not know, or a damaged one.
        MissingExtraError: a network without PyTorch.
    """
    run = opened_run(path)
    if run.path.is_dir() and not run.vectors.is_file() and _holds_model(run):
        kind = run.kind or ""
        if (other := TASK_MODEL if is_task(kind) else OTHER_KINDS.get(kind)) is not None:
            return imported(other).load(run.path)
        return load_language_model(path)
    return load_vectors(path)


def load_vectors(path: str | Path) -> WordVectors:
    """Open the vectors that a run left, or a vector file of foretext, word2vec, GloVe or fastText.

    Raises:
        VectorFileError: there are none, the run is unfinished, or the file is damaged.
    """
    run = opened_run(path)
    if not run.path.is_dir():
        return WordVectors.load(run.path)
    if not run.finished:
        state = "an unfinished run; finish it with --resume" if run.begun else "no run of foretext"
        raise VectorFileError(f"{path} holds {state}.")
    if not run.vectors.is_file():
        raise VectorFileError(
            f"{path} holds no word vectors; a language model is asked by embed, fill or generate."
        )
    return run_vectors(run)


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
    if run.vectors.is_file() or run.path.is_file():
        raise ModelFileError(
            f"{path} holds word vectors, no language model; they have embed, neighbors and analogy."
        )
    if run.begun and not run.finished:
        raise ModelFileError(f"{path} holds an unfinished run; finish it with --resume.")
    opened: LanguageModel = imported("foretext.language_model:LanguageModel").load(run.path)
    return opened


def opened_run(path: str | Path) -> RunFolder:
    """Return the folder of a run to read, once what a killed process left in it is put in order.

    Raises:
        OutputError: nothing can have this name.
    """
    refuse_name(Path(path))
    run = RunFolder(path)
    if run.path.is_dir():
        settle(run.path)
        if run.begun:
            sweep(run.path)
    return run


def _holds_model(run: RunFolder) -> bool:
    return run.finished or is_regular_file(run.modules)
