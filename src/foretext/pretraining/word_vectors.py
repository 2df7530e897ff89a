"""Word vectors: words are counted, the text is encoded, and a kernel learns from the ids."""

from __future__ import annotations

import shlex
import shutil
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, cast

import numpy as np

from foretext.artifact import load_vectors
from foretext.base.counted import counted
from foretext.base.errors import SettingError
from foretext.base.files import atomic_file, temporary_folder
from foretext.base.registry import Registry
from foretext.corpus import Corpus
from foretext.corpus.blocks import Blocks
from foretext.corpus.segmented import SegmentedCorpus
from foretext.corpus.text_shards import TextShards
from foretext.data.token_file import TokenFile, Tokens
from foretext.data.token_writer import write_tokens
from foretext.messages import message
from foretext.pretraining.budget import reading, with_training_time
from foretext.pretraining.job import Base, PretrainingJob
from foretext.pretraining.learner import Draw, Learner, Trained, TrainedT
from foretext.pretraining.shared import SharedFolder
from foretext.progress import Progress
from foretext.recipe import Recipe
from foretext.report.card import vectors_card
from foretext.report.word_map import example_word
from foretext.run_folder import RunFolder
from foretext.shown import Shown
from foretext.tokenizers.word_tokenizer import COUNTS_FILE, WordTokenizer
from foretext.vectors import VECTORS
from foretext.vectors.best_weights import ending_sentence, warned
from foretext.vectors.crowding import crowding_sentence
from foretext.vectors.schedule import VectorsConfig
from foretext.vectors.word_vectors import WordVectors

if TYPE_CHECKING:
    from foretext.pretraining.affordable import Work
    from foretext.pretraining.plan.sample import CorpusSample

__all__ = [
    "LearnerOfWords",
    "SharedWords",
    "WordText",
    "WordVectorLearner",
    "encode_text",
    "figures_of",
    "note_training",
]

MOST_HELD_OUT = 100_000  # tokens; a large corpus needs no more for a steady loss

FILE = "tokenizer.json"


@dataclass(frozen=True)
class TrainedVectors(Trained):
    """Word vectors, and the output vectors (V, D) that a later training can go on from, if any."""

    outputs: np.ndarray | None


class LearnerOfWords(Learner[TrainedT]):
    """What learns from whole words: word vectors, document vectors, topics."""

    takes_words: ClassVar[bool] = True
    components: ClassVar[Registry] = VECTORS  # what learns, by its name in a recipe

    def show(self, job: PretrainingJob, draw: Draw) -> Iterable[Shown]:
        """Count the words, encode the text, and draw examples; see `Learner.show`."""
        from foretext.pretraining.word_examples import shown_words

        return shown_words(job, draw, self.components)

    def prepare(self, shared: SharedFolder, recipe: Recipe, text: Corpus, *, quiet: bool) -> None:
        """Count words and encode the text; see `Learner.prepare`."""
        SharedWords.of(shared, recipe, text, quiet=quiet)

    def time_reading(self, work: Work, recipe: Recipe, sample: CorpusSample) -> None:
        """Measure both on a sample; see `Learner.time_reading`."""
        work.add_words(recipe, sample)


class WordVectorLearner(LearnerOfWords[TrainedVectors]):
    """What learns word vectors: word2vec, GloVe, fastText."""

    def train(self, job: PretrainingJob) -> TrainedVectors:
        """Count the words, encode the text, and learn from the ids."""
        component = VECTORS.resolve(job.recipe.name)
        is_by_documents = component.held_out == "documents"
        tokenizer, tokens = encode_text(job, holds_out=is_by_documents)
        learner = component(
            job.recipe.vectors,
            tokenizer.vocabulary,
            tokens,
            base=_base_vectors(job.base),
            base_outputs=_base_outputs(job.base),
        )
        job = with_training_time(job)
        with job.training_context() as context:
            history: list[dict[str, Any]] = learner.train(context)
        tokens.train.release()
        note_training(job, history)
        vectors: WordVectors = learner.vectors(tokenizer.words)
        past_best = ending_sentence(history) is not None
        crowded = crowding_sentence(
            vectors, _remedy(job.recipe.vectors, vectors, history), went_past_best=past_best
        )
        if crowded is not None:
            _warn(job, crowded)
        facts = {
            "vocab_size": len(vectors),
            "vector_size": vectors.vector_size,
            "tokens": tokens.train.num_tokens,
            "documents": tokens.train.num_documents,
            "held_out_tokens": tokens.valid.num_tokens if tokens.valid else 0,
            **job.used_text,
            "pre_tokenizer": tokenizer.config.pre_tokenizer,
            **figures_of(history),
            **warned(history, *filter(None, [crowded])),
        }
        return TrainedVectors(vectors, history, job.facts(facts), job.recipe, learner.outputs)

    def finish(self, job: PretrainingJob, trained: TrainedVectors) -> None:
        """Write the vectors, the card and the mark of a finished run."""
        vectors: WordVectors = trained.model
        job.run.save_vectors(vectors, trained.outputs)
        name, example = str(job.run.named), example_word(vectors)
        card = vectors_card(trained.recipe, trained.facts, name, example)
        job.run.finish(card, trained.facts, job.report)

    def next_command(self, model: WordVectors, run: str) -> str:
        """Look at neighbours of a word."""
        return f"neighbors {run} {shlex.quote(example_word(model))}"


def _remedy(
    config: VectorsConfig, vectors: WordVectors, history: Sequence[Mapping[str, Any]]
) -> str:
    """Return what to set where words are near each other, by the training that there was."""
    rate = history[0].get("learning_rate") if history else None
    if rate is None or vectors.counts is None:
        return message("findings.vectors.general")
    return config.remedy(vectors.counts, rate, history[-1]["epoch"])


def _warn(job: PretrainingJob, sentence: str) -> None:
    """Note a sentence; where nobody reads it, as nothing is kept, it is a warning of Python."""
    job.note(sentence)
    if job.quiet and not job.keep:
        warnings.warn(sentence, stacklevel=2)


def note_training(job: PretrainingJob, history: Sequence[Mapping[str, Any]]) -> None:
    """Note how long a training of vectors took, and where it went past its best loss."""
    job.run.note(f"trained in {history[-1]['time']:.1f} s" if history else "nothing to train on")
    if (ending := ending_sentence(history)) is not None:
        job.note(ending)


def figures_of(history: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return losses and time at the end of a training of vectors; None without any step."""
    return {
        "loss": history[-1]["loss"] if history else None,
        "valid_loss": history[-1]["valid_loss"] if history else None,
        "seconds": history[-1]["time"] if history else None,
    }


def encode_text(job: PretrainingJob, *, holds_out: bool) -> tuple[WordTokenizer, Tokens]:
    """Count the words and encode the text; a resumed run finds both in its folder.

    Args:
        job: whose text it is.
        holds_out: whether some documents are held out, as many as the recipe says.
    """
    run = job.run
    if job.resume and run.tokens.is_dir():
        job.drop_shards()
        tokenizer = WordTokenizer.load(run.tokenizer)
        return tokenizer, Tokens.open(run.tokens, vocab_size=tokenizer.vocab_size)
    if job.shared is None or job.base is not None:  # a base has words of its own
        tokenizer, tokens = _read(job, holds_out)
    else:
        tokenizer, tokens = _shared(job, job.shared, holds_out)
    job.drop_shards()
    run.note(
        f"{job.text()}: {counted(tokens.train.num_documents, 'document')}, "
        f"{counted(tokens.train.num_tokens, 'token')} to train on, "
        f"{counted(tokenizer.vocab_size, 'word')}"
    )
    return tokenizer, tokens


def _read(job: PretrainingJob, holds_out: bool) -> tuple[WordTokenizer, Tokens]:
    """Pass over the text twice: to count its words, and to encode it."""
    run, text = job.run, job.text()
    opened = WordText.opened(job.recipe, text, run.path, quiet=job.quiet, shards=job.shards)
    with opened as words:
        with reading(job, passes=1 if words.is_cut else 2):
            tokenizer = words.counted()
        if (known := _base_vectors(job.base)) is not None:
            vocabulary = tokenizer.vocabulary.extended(
                known.index_to_key, known.counts, unknown=tokenizer.unknown
            )
            tokenizer = WordTokenizer(
                tokenizer.config, vocabulary, segmented=words.is_cut, form=tokenizer.form
            )
        tokenizer.save(run.tokenizer)
        rate = _valid_rate(job.recipe, tokenizer) if holds_out else 0.0
        tokens = words.encoded(tokenizer, run.tokens, valid_rate=rate)
    return WordTokenizer(tokenizer.config, tokenizer.vocabulary, form=tokenizer.form), tokens


def _shared(
    job: PretrainingJob, shared: SharedFolder, holds_out: bool
) -> tuple[WordTokenizer, Tokens]:
    """Take words and ids from a folder that several runs share, or make them there."""
    run, text = job.run, job.text()
    words = SharedWords.of(shared, job.recipe, text, quiet=job.quiet)
    shared.keep_used(run)
    words.save(run.tokenizer)
    tokens = write_tokens(
        text,
        words.tokenizer,
        run.tokens,
        valid_rate=_valid_rate(job.recipe, words.tokenizer) if holds_out else 0.0,
        seed=job.recipe.of_words.seed,
        encoded=words.ids,
    )
    return words.tokenizer, tokens


def _valid_rate(recipe: Recipe, tokenizer: WordTokenizer) -> float:
    """Share of the text to hold out: what the recipe says, but no more than is needed."""
    num_tokens = int(tokenizer.vocabulary.counts.sum())
    return min(recipe.data.valid_rate, MOST_HELD_OUT / max(num_tokens, 1))


def _base_vectors(base: Base) -> WordVectors | None:
    known = load_vectors(base) if isinstance(base, str | Path) else base
    if known is None or known.kind == WordVectors.kind:
        return cast(WordVectors | None, known)
    raise SettingError(
        f"Word vectors cannot be trained further from {known.kind}; give word vectors as the base."
    )


def _base_outputs(base: Base) -> np.ndarray | None:
    """The output vectors that a run keeps with its vectors, (V, D)."""
    if not isinstance(base, str | Path) or not RunFolder(base).outputs.is_file():
        return None
    return WordVectors.load(RunFolder(base).outputs).vectors


class Measured(Blocks, Protocol):
    """A text whose length may be known, such as a corpus."""

    @property
    def num_bytes(self) -> int | None:
        """Bytes that are read; None: not known."""
        ...


@dataclass(frozen=True)
class WordText:
    """A text, and how a recipe of word vectors reads it.

    Attributes:
        recipe: of word vectors, with nothing open that the text decides.
        text: all that is read.
        words: the same for the tokenizer; Chinese has blanks between its words there.
        quiet: show no progress.
        shards: whose processes read the text, in the place of threads.
    """

    recipe: Recipe
    text: Measured
    words: Blocks
    quiet: bool = True
    shards: TextShards | None = None

    @classmethod
    @contextmanager
    def opened(
        cls,
        recipe: Recipe,
        text: Measured,
        folder: Path,
        *,
        quiet: bool = True,
        shards: TextShards | None = None,
    ) -> Iterator[WordText]:
        """Open a text; within `folder` is room for its words, which are cut once."""
        if recipe.tokenizer.pre_tokenizer != "chinese_words":
            yield cls(recipe, text, text, quiet, shards)
            return
        size, workers = text.num_bytes, recipe.of_words.workers
        with temporary_folder(folder) as temporary:
            words = SegmentedCorpus(text, temporary / "words", num_bytes=size, workers=workers)
            yield cls(recipe, text, words, quiet, shards)

    @property
    def is_cut(self) -> bool:
        """Whether words have blanks between them that the text has not."""
        return self.words is not self.text

    def counted(self) -> WordTokenizer:
        """Count the words of the text.

        Raises:
            CorpusError: no word occurs often enough.
        """
        with Progress(
            message("progress.counting_words"), self.text.num_bytes, "bytes", quiet=self.quiet
        ) as bar:
            tokenizer = WordTokenizer.learn(
                self.recipe.tokenizer,
                self.words,
                workers=self.recipe.of_words.workers,
                progress=bar,
                segmented=self.is_cut,
                shards=self.shards,
                form=self.recipe.corpus.normalization,
            )
            bar.total = self.text.num_bytes  # less than before where the time was over
        return tokenizer

    def encoded(self, tokenizer: WordTokenizer, folder: Path, *, valid_rate: float = 0.0) -> Tokens:
        """Encode the text into a folder."""
        with Progress(
            message("progress.encoding_text"), self.text.num_bytes, "bytes", quiet=self.quiet
        ) as bar:
            return write_tokens(
                self.words,
                tokenizer,
                folder,
                valid_rate=valid_rate,
                seed=self.recipe.of_words.seed,
                workers=self.recipe.of_words.workers,
                progress=bar,
                shards=self.shards,
            )


@dataclass(frozen=True)
class SharedWords:
    """A text as words and ids, which all runs share that count words in the same way.

    Attributes:
        tokenizer: of the text.
        ids: all of the text.
        folder: where both are kept.
    """

    tokenizer: WordTokenizer
    ids: TokenFile
    folder: Path

    @classmethod
    def of(
        cls, shared: SharedFolder, recipe: Recipe, text: Corpus, *, quiet: bool = True
    ) -> SharedWords:
        """Return what is shared of a text, which is made where no run has made it."""

        def read(folder: Path) -> None:
            with WordText.opened(recipe, text, folder, quiet=quiet) as words:
                tokenizer = words.counted()
                tokenizer.save(folder / FILE)
                words.encoded(tokenizer, folder / "tokens")

        of = (text.fingerprint, recipe.tokenizer.model_dump_json())
        folder = shared.part("words", of, read)
        tokenizer = WordTokenizer.load(folder / FILE)
        ids = Tokens.open(folder / "tokens", vocab_size=tokenizer.vocab_size).train
        return cls(tokenizer, ids, folder)

    def save(self, path: Path) -> None:
        """Write the tokenizer as ``tokenizer.json``, with the counts of its words beside it."""
        for name in (COUNTS_FILE, FILE):
            with atomic_file(path.with_name(name)) as temporary:
                shutil.copyfile(self.folder / name, temporary)
