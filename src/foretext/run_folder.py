"""What a run leaves: a folder that can be used without the code that trained it.

    recipe.toml            every setting of the run
    tokenizer.json         what a token is, in the format of the `tokenizers` library
    vocabulary.tsv         the words and their counts
    vectors.safetensors    the word vectors, with words and counts
    outputs.safetensors    the output vectors, which a later training can go on from
    documents.safetensors  document vectors, with names, and what infers those of new documents
    model.safetensors      a network's weights, where a network was trained
    linear.safetensors     a linear classifier, alone or beside a network
    overlap.safetensors    a linear matcher: what overlaps of two texts weigh
    chain.safetensors      a linear tagger: features and weights; bases/ has its word vectors
    embeddings.safetensors the heads of an embedding classifier; bases/ has what embeds texts
    words.safetensors      which words the head of a network reads beside the states
    config.json            what the folder holds; it marks a finished run
    metrics.jsonl          the training's figures, a line each
    samples.jsonl          what a language model answered while it learned, likewise
    shared.json            what it took of a folder that several runs share
    plan.json              what was expected of a run that was planned
    label_curve.json       scores of a task by number of labels
    examination.json       a task's answers to rows held out: who is taken for whom, and errors
    train.log              what was done, and when
    README.md              a card for people; report.html: a page to look at
    reconstructions.png    an autoencoder's: originals above reconstructions
    tokens/                the encoded corpus, for another training on it
    cooccurrence/          GloVe: the counts, likewise
    checkpoints/           only while a run is unfinished
    curve/                 trainings with fewer labels
    replacement/           the run that is to take this one's place, while that one is unfinished

Nothing in it is a pickle.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Collection, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from foretext.base.errors import ModelFileError, OutputError
from foretext.base.files import (
    atomic_file,
    discard_folder,
    is_regular_file,
    open_file,
    output_error,
    sweep,
)
from foretext.base.marked_part import marked, replaced
from foretext.base.parsing import read_json, read_text
from foretext.base.replacement import CHECKPOINTS, CONFIG, RECIPE, REPLACEMENT, is_finished, promote
from foretext.messages import message
from foretext.tasks import is_task
from foretext.vectors.word_vectors import WordVectors

__all__ = ["RunFolder"]

THEIR_TASKS = {  # how their classes' names end, and the tasks that these may have learned
    "ForSequenceClassification": ("classification", "matching"),
    "ForTokenClassification": ("tagging",),
    "ForQuestionAnswering": ("span_qa",),
    "ForQuestionAnsweringSimple": ("span_qa",),  # XLNet's
}
WRITER = "text_to_text"  # is saved as a language model, which a translator is there, too
WRITERS = ("ForConditionalGeneration", "MTModel", "LMHeadModel", "ForCausalLM", "ForMaskedLM")
TRANSLATORS = "MTModel"  # classes that learned nothing else
MODULES = "modules.json"  # of sentence-transformers
# What a run writes before its recipe.
FIRST_STEPS = (CHECKPOINTS, REPLACEMENT, "plan.json", "shared.json", "train.log")


class RunFolder:
    """The folder of one run, and where each of its parts stands.

    Args:
        path: the folder that the user named.

    Attributes:
        named: that folder.
        path: where the run's files are: `named`, or the folder in it where a run is written that
            is to replace the one there.
    """

    def __init__(self, path: str | Path) -> None:
        self.named = Path(path)
        self._use_folder(self.named)

    def _use_folder(self, path: Path) -> None:
        self.path = path
        self.recipe = path / RECIPE
        self.config = path / CONFIG
        self.checkpoints = path / CHECKPOINTS
        self.curve = path / "curve"
        self.tokenizer = path / "tokenizer.json"
        self.tokens = path / "tokens"
        self.shards = path / "shards"
        self.metrics = path / "metrics.jsonl"
        self.samples = path / "samples.jsonl"
        self.trials = path / "trials.jsonl"
        self.plan = path / "plan.json"
        self.shared = path / "shared.json"
        self.examination = path / "examination.json"
        self.label_curve = path / "label_curve.json"
        self.vectors = path / "vectors.safetensors"
        self.outputs = path / "outputs.safetensors"
        self.documents = path / "documents.safetensors"
        self.modules = path / MODULES
        self.log = path / "train.log"
        self.card = path / "README.md"
        self.report = path / "report.html"
        self.picture = path / "reconstructions.png"

    @classmethod
    def unfinished(cls, path: str | Path) -> RunFolder:
        """Return the run that is being written in a folder: the replacement, where there is one."""
        run = cls(path)
        if (run.named / REPLACEMENT / RECIPE).is_file():
            run._use_folder(run.named / REPLACEMENT)
        return run

    @property
    def finished(self) -> bool:
        """Whether the run came to its end."""
        return is_regular_file(self.config) and is_finished(self.path)

    @property
    def begun(self) -> bool:
        """Whether the folder holds a run, finished or not."""
        return is_regular_file(self.recipe)

    @property
    def kind(self) -> str | None:
        """What a finished run learned: "word vectors", "language model", "autoencoder", a task.

        Where a folder names a class of Hugging Face's, that counts: what was trained further there
        may answer something else.
        """
        return self.written_kind() if self.finished else None

    def written_kind(self) -> str | None:
        """Return the same of a run whose ``config.json`` is written, finished or not."""
        if not is_regular_file(self.config):
            return None
        said, their_class = str(self.facts().get("kind") or ""), self.their_class
        if their_class is not None:
            is_writer = said == WRITER and their_class.endswith(WRITERS)
            if is_writer or (not said and their_class.endswith(TRANSLATORS)):
                return WRITER
            found = (tasks for end, tasks in THEIR_TASKS.items() if their_class.endswith(end))
            tasks = next(found, ())
            if tasks and said not in tasks:
                return tasks[0]
            if not tasks and is_task(said) and not self.modules.is_file():
                return "language model"
        return said or None

    def facts(self) -> dict[str, Any]:
        """Return what ``config.json`` keeps of a run; a model has its own things there.

        Raises:
            ModelFileError: the file is damaged.
        """
        config = read_json(self.config, ModelFileError)
        if "foretext" not in config or isinstance(config["foretext"], str):  # the version
            return dict(config)
        own = config["foretext"]
        facts = own.get("facts", {}) if isinstance(own, dict) else None
        if not isinstance(facts, dict):
            raise ModelFileError(
                f"{self.config} is damaged: 'foretext.facts' should be an object; fetch or write "
                "it again."
            )
        return dict(facts)

    @property
    def their_class(self) -> str | None:
        """The class of Hugging Face's library that a model's folder names, if it names one."""
        if not is_regular_file(self.config):
            return None
        named = read_json(self.config, ModelFileError).get("architectures")
        first = named[0] if isinstance(named, list) and named else None
        return first if isinstance(first, str) else None

    def begin(self, *, overwrite: bool = False, resume: bool = False) -> None:
        """Make the folder ready for a run; it must be there, and locked by this process.

        Raises:
            OutputError: it holds a run and neither `overwrite` nor `resume` says what to do, it
                holds other files, or it cannot be written.
        """
        try:
            sweep(self.named)
            waiting = (self.named / REPLACEMENT / RECIPE).is_file()
            if resume:
                self._must_be_unfinished(waiting)
                if waiting:
                    self._use_folder(self.named / REPLACEMENT)
                    sweep(self.path)
            elif self.begun or waiting:
                self._must_be_replaceable(overwrite)
                self._begin_replacement()
            else:
                self._must_be_empty()
            self.checkpoints.mkdir(exist_ok=True)
        except OSError as error:
            raise output_error(self.named, error) from error

    def abandon(self) -> None:
        """Remove a run that has learned nothing yet; what it was to replace is as it was."""
        if self.finished or self.has_learned:
            return
        for path in self.path.iterdir():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)

    @property
    def has_shards(self) -> bool:
        """Whether work on the text is there that a resumed run need not do again."""
        return any(True for _ in self.path.glob("*shards/*/shard-*"))

    @property
    def has_learned(self) -> bool:
        """Whether there is a checkpoint, or another result of a training, to go on from.

        A run that was made for this one and is finished, among its checkpoints or for its curve, is
        such a result.
        """
        names = ("model", "linear", "embeddings", "chain")
        if any((self.path / f"{name}.safetensors").is_file() for name in names):
            return True
        folders = [each for each in (self.checkpoints, self.curve) if each.is_dir()]
        parts = chain(*(each.rglob(name) for each in folders for name in ("step-*", CONFIG)))
        return any(True for _ in parts)

    def note(self, sentence: str) -> None:
        """Add a line with the time to ``train.log``."""
        try:
            with open_file(self.log, "a") as file:
                file.write(f"{time.strftime('%Y-%m-%d %H:%M:%S')}  {sentence}\n")
        except OSError as error:
            raise output_error(self.log, error) from error

    def save_vectors(self, vectors: WordVectors, outputs: np.ndarray | None) -> None:
        """Write the vectors, and beside them the output vectors (V, D) where there are any."""
        vectors.save(self.vectors)
        if outputs is not None:
            WordVectors(vectors.index_to_key, outputs).save(self.outputs)

    def finish(
        self,
        card: str,
        config: Mapping[str, Any] | None = None,
        report: Callable[[RunFolder], object] | None = None,
    ) -> None:
        """Write what is left, and mark the run as finished by one rename; it may be resumed before.

        Args:
            card: for people.
            config: what ``config.json`` says; None where the model has written its own.
            report: writes ``report.html`` from the rest; None: no page is wanted.

        Raises:
            OutputError: a file cannot be written; a resumed run goes on from there.
        """
        self.write_card(card)
        if config is not None:
            with atomic_file(self.config) as temporary:
                temporary.write_text(
                    json.dumps(config, indent=2) + "\n", encoding="utf-8", newline="\n"
                )
        if report is not None:
            report(self)
        if self.checkpoints.is_dir():
            discard_folder(self.checkpoints)  # from here on the run is finished
        if self.path != self.named:
            promote(self.named)
            self._use_folder(self.named)

    def write_card(self, card: str) -> None:
        """Write the card, between marks, in place of any that is there."""
        self._write_card(marked(card))

    def rewrite_card(self, card: str, former: Collection[str] = ()) -> bool:
        """Write foretext's part of the card again; what people wrote around it stays.

        Args:
            card: for people.
            former: texts that foretext may have written without marks, which early versions did.

        Returns:
            Whether it was written; False if somebody has changed foretext's part.

        Raises:
            OutputError: the card cannot be read or written.
        """
        if not self.card.exists():
            self.write_card(card)
            return True
        written = self.card_text()
        text = written.replace("\r\n", "\n")
        found = marked(card) if text in former else replaced(text, card)
        if found is not None:
            self._write_card(found, "\n" if text == written else "\r\n")
        return found is not None

    def card_text(self) -> str:
        """Return the text of the card; the empty text if there is none.

        Raises:
            OutputError: the card cannot be read.
        """
        return read_text(self.card, OutputError) if self.card.exists() else ""

    def _write_card(self, text: str, newline: str = "\n") -> None:
        with atomic_file(self.card) as temporary:
            temporary.write_text(text, encoding="utf-8", newline=newline)

    def _must_be_unfinished(self, waiting: bool) -> None:
        if waiting:
            return
        if self.finished:
            raise OutputError(message("errors.run.is_finished", path=self.named))
        if not self.begun:
            raise OutputError(message("errors.run.nothing_to_resume", path=self.named))

    def _must_be_replaceable(self, overwrite: bool) -> None:
        if overwrite:
            return
        key = "finished_there" if self.finished else "unfinished_there"
        raise OutputError(message(f"errors.run.{key}", path=self.named))

    def _begin_replacement(self) -> None:
        """Write beside the run that is there, in place of a replacement that was never finished."""
        replacement = self.named / REPLACEMENT
        if replacement.is_symlink():
            replacement.unlink()
        shutil.rmtree(replacement, ignore_errors=True)
        replacement.mkdir()
        self._use_folder(replacement)

    def _must_be_empty(self) -> None:
        """Refuse files of others; remove what a process left that died at its first steps."""
        found = list(self.named.iterdir())
        if any(path.name not in FIRST_STEPS or _holds_files(path) for path in found):
            raise OutputError(message("errors.run.other_files", path=self.named))
        self.abandon()


def _holds_files(path: Path) -> bool:
    return any(not inner.is_dir() for inner in path.rglob("*"))
