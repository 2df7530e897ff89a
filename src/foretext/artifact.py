"""What a run leaves: a folder that can be used without the code that trained it.

    recipe.toml            every setting of the run
    tokenizer.json         what a token is, in the format of the `tokenizers` library
    vocabulary.tsv         the words and their counts
    vectors.safetensors    the word vectors, with words and counts
    outputs.safetensors    the output vectors, which a later training can go on from
    model.safetensors      a network's weights, where a network was trained
    linear.safetensors     a linear classifier, alone or beside a network
    config.json            what the folder holds; it marks a finished run
    metrics.jsonl          the training's figures, a line each
    samples.jsonl          what a language model answered while it learned, likewise
    plan.json              what was expected of a run that was planned
    examination.json       a task's answers to rows held out: who is taken for whom, and errors
    train.log              what was done, and when
    README.md              a card for people; report.html: a page to look at
    reconstructions.png    an autoencoder's: originals above reconstructions
    tokens/                the encoded corpus, for another training on it
    cooccurrence/          GloVe: the counts, likewise
    checkpoints/           only while a run is unfinished

Nothing in it is a pickle.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from foretext.errors import ModelFileError, OutputError, VectorFileError
from foretext.files import atomic_file, output_error
from foretext.registry import imported
from foretext.task_models import TASK_MODELS
from foretext.tokenizers.word_tokenizer import WordTokenizer
from foretext.vectors.word_vectors import WordVectors

if TYPE_CHECKING:
    from foretext.language_model import LanguageModel

__all__ = ["RunFolder", "load", "load_language_model", "load_vectors"]

# Kind of a run to the class that opens it; the others are word vectors and language models.
TASK_MODEL = "foretext.task_models.base:TaskModel"
OTHER_KINDS = {
    **dict.fromkeys(TASK_MODELS, TASK_MODEL),
    "autoencoder": "foretext.codec:Codec",
    "fasttext classifier": "foretext.tasks.fasttext.classifier:FastTextClassifier",
    "linear classifier": "foretext.task_models.linear:LinearClassifier",
}
THEIR_TASKS = {  # how their classes' names end, and the tasks that these may have learned
    "ForSequenceClassification": ("classification", "matching"),
    "ForTokenClassification": ("tagging",),
    "ForQuestionAnswering": ("span_qa",),
}


class RunFolder:
    """The folder of one run, and where each of its parts stands."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.recipe = self.path / "recipe.toml"
        self.tokenizer = self.path / "tokenizer.json"
        self.tokens = self.path / "tokens"
        self.checkpoints = self.path / "checkpoints"
        self.metrics = self.path / "metrics.jsonl"
        self.samples = self.path / "samples.jsonl"
        self.plan = self.path / "plan.json"
        self.examination = self.path / "examination.json"
        self.vectors = self.path / "vectors.safetensors"
        self.outputs = self.path / "outputs.safetensors"
        self.config = self.path / "config.json"
        self.modules = self.path / "modules.json"  # of sentence-transformers
        self.log = self.path / "train.log"
        self.card = self.path / "README.md"
        self.report = self.path / "report.html"
        self.picture = self.path / "reconstructions.png"

    @property
    def finished(self) -> bool:
        """Whether the run came to its end."""
        return self.config.is_file()

    @property
    def kind(self) -> str | None:
        """What a finished run learned: "word vectors", "language model", "autoencoder", a task.

        Where a folder names a class of Hugging Face's, that counts: what was trained further there
        may answer something else.
        """
        if not self.finished:
            return None
        told, their_class = self.facts().get("kind"), self.their_class
        if their_class is not None:
            found = (tasks for end, tasks in THEIR_TASKS.items() if their_class.endswith(end))
            tasks = next(found, ())
            if tasks and told not in tasks:
                return tasks[0]
            if not tasks and told in TASK_MODELS and not self.modules.is_file():
                return "language model"
        return str(told) if told else None

    def facts(self) -> dict[str, Any]:
        """Return what ``config.json`` keeps of a finished run; a model has its own things there."""
        config = self._config()
        own = config.get("foretext")
        return dict(own.get("facts", {})) if isinstance(own, dict) else config

    @property
    def their_class(self) -> str | None:
        """The class of Hugging Face's library that a model's folder names, if it names one."""
        if not self.finished:
            return None
        named = self._config().get("architectures") or [None]
        return named[0] if isinstance(named[0], str) else None

    def _config(self) -> dict[str, Any]:
        try:
            config = json.loads(self.config.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise ModelFileError(f"{self.config} cannot be read as JSON ({error}).") from error
        if not isinstance(config, dict):
            raise ModelFileError(f"{self.config} holds no settings of a run.")
        return config

    @property
    def begun(self) -> bool:
        """Whether the folder holds a run, finished or not."""
        return self.recipe.is_file()

    def begin(self, *, overwrite: bool = False, resume: bool = False) -> None:
        """Make the folder ready for a run; the one it replaces is set aside until it ends.

        Raises:
            OutputError: it holds a run and neither `overwrite` nor `resume` says what to do, it
                holds other files, or it cannot be written.
        """
        if resume:
            self._must_be_unfinished()
        elif self.begun and not overwrite:
            state = "a finished run" if self.finished else "an unfinished run; go on with --resume"
            raise OutputError(
                f"{self.path} holds {state}; choose another folder, or replace it with --overwrite."
            )
        try:
            if self.begun and overwrite:
                self._set_aside()
            elif not self.begun and self.path.is_dir() and any(self.path.iterdir()):
                raise OutputError(
                    f"{self.path} is a folder with other files in it; choose a new or empty one."
                )
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise output_error(self.path, error) from error

    def abandon(self) -> None:
        """Remove a run that has learned nothing yet, and bring back the one it was to replace."""
        if self.finished or self.checkpoints.is_dir():
            return
        shutil.rmtree(self.path, ignore_errors=True)
        if self._aside.is_dir():
            self._aside.rename(self.path)

    @property
    def _aside(self) -> Path:
        return self.path.with_name(f".{self.path.name}.replaced")

    def _set_aside(self) -> None:
        """Move what is to be replaced out of the way; a finished run stays until there is another.

        Where one was set aside by a run that never came to its end, that one is kept.
        """
        if self._aside.exists():
            shutil.rmtree(self.path)
        else:
            self.path.rename(self._aside)

    def _must_be_unfinished(self) -> None:
        if self.finished:
            raise OutputError(f"{self.path} holds a finished run; there is nothing to resume.")
        if not self.begun:
            raise OutputError(f"{self.path} holds no run to resume; begin one without --resume.")

    def note(self, sentence: str) -> None:
        """Add a line with the time to ``train.log``."""
        try:
            with self.log.open("a", encoding="utf-8") as file:
                file.write(f"{time.strftime('%Y-%m-%d %H:%M:%S')}  {sentence}\n")
        except OSError as error:
            raise output_error(self.log, error) from error

    def save_vectors(self, vectors: WordVectors, outputs: np.ndarray | None) -> None:
        """Write the vectors, and beside them the output vectors (V, D) where there are any."""
        vectors.save(self.vectors)
        if outputs is not None:
            WordVectors(vectors.index_to_key, outputs).save(self.outputs)

    def finish(self, card: str, config: Mapping[str, Any] | None = None) -> None:
        """Write the card and the mark of a finished run; drop checkpoints and what it replaces.

        Args:
            card: for people.
            config: what ``config.json`` says; None where the model has written its own.
        """
        with atomic_file(self.card) as temporary:
            temporary.write_text(card, encoding="utf-8")
        if config is not None:
            with atomic_file(self.config) as temporary:
                temporary.write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
        shutil.rmtree(self.checkpoints, ignore_errors=True)
        shutil.rmtree(self._aside, ignore_errors=True)


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
    run = RunFolder(path)
    if run.path.is_dir() and not run.vectors.is_file() and _holds_model(run):
        if (other := OTHER_KINDS.get(run.kind or "")) is not None:
            return imported(other).load(run.path)
        return load_language_model(path)
    return load_vectors(path)


def load_vectors(path: str | Path) -> WordVectors:
    """Open the vectors that a run left, or a vector file of foretext, word2vec, GloVe or fastText.

    Raises:
        VectorFileError: there are none, the run is unfinished, or the file is damaged.
    """
    run = RunFolder(path)
    if not run.path.is_dir():
        return WordVectors.load(run.path)
    if not run.finished:
        state = "an unfinished run; finish it with --resume" if run.begun else "no run of foretext"
        raise VectorFileError(f"{path} holds {state}.")
    if not run.vectors.is_file():
        raise VectorFileError(
            f"{path} holds no word vectors; a language model is asked by embed, fill or generate."
        )
    return WordVectors.load(run.vectors, split=WordTokenizer.load(run.tokenizer).words)


def load_language_model(path: str | Path) -> LanguageModel:
    """Open a run of a language model, or a folder of Hugging Face or sentence-transformers.

    Raises:
        ModelFileError: the folder holds none that foretext knows, or a damaged one.
        MissingExtraError: PyTorch is not there.
    """
    run = RunFolder(path)
    if run.vectors.is_file() or run.path.is_file():
        raise ModelFileError(
            f"{path} holds word vectors, no language model; they have embed, neighbors and analogy."
        )
    if run.begun and not run.finished:
        raise ModelFileError(f"{path} holds an unfinished run; finish it with --resume.")
    opened: LanguageModel = imported("foretext.language_model:LanguageModel").load(run.path)
    return opened


def _holds_model(run: RunFolder) -> bool:
    return run.finished or run.modules.is_file()
