"""The straight line from a person's text to what was learned from it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from foretext._version import __version__
from foretext.artifact import RunFolder, load
from foretext.config import duration_seconds
from foretext.corpus import Corpus
from foretext.data.token_file import Tokens
from foretext.data.token_writer import write_tokens
from foretext.errors import SettingError
from foretext.files import atomic_file
from foretext.progress import MetricsLog, Progress
from foretext.progress.checkpoint import Checkpoints
from foretext.progress.workplace import Workplace
from foretext.recipe import Recipe
from foretext.report.card import vectors_card
from foretext.report.word_map import content_words
from foretext.runtime import usable_cores
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.tokenizers.subwords import learn_subwords
from foretext.tokenizers.word_tokenizer import WordTokenizer
from foretext.vectors import VECTORS
from foretext.vectors.word_vectors import WordVectors

__all__ = ["Pretrained", "learn_tokenizer", "pretrain", "run_recipe"]

MOST_HELD_OUT = 100_000  # tokens; a large corpus needs no more for a steady loss
FREE_TO_CHANGE = ("workers", "checkpoint_seconds", "memory")  # between a run and its resume

Sources = str | Path | Sequence[str | Path]


@dataclass(frozen=True)
class Pretrained:
    """What one run gave."""

    vectors: WordVectors
    recipe: Recipe
    history: list[dict[str, Any]]  # the records of metrics.jsonl


def pretrain(
    recipe: str | Path | Recipe,
    corpus: Sources,
    out: str | Path | None = None,
    *,
    budget: str | float | None = None,
    base: str | Path | WordVectors | None = None,
    overwrite: bool = False,
    resume: bool = False,
    quiet: bool = True,
) -> WordVectors:
    """Learn from a corpus by a recipe; keep the run in `out` where it is given.

    Args:
        recipe: a name such as ``"word2vec"``, a TOML file, or a `Recipe`.
        corpus: files, folders, globs or URLs of text.
        out: the run's folder; it must not hold a run already, unless `overwrite` or `resume`.
        budget: wall-clock time for the training, ``"10m"``, in place of epochs.
        base: vectors to go on from: a run, a vector file, or `WordVectors`.
        overwrite: replace the run in `out`, once the new one is finished.
        resume: go on with the unfinished run in `out`.
        quiet: show no progress.

    Raises:
        ForetextError: the corpus, the recipe or the folder will not do; the message says why.
    """
    chosen = recipe if isinstance(recipe, Recipe) else Recipe.load(recipe)
    if budget is not None:
        chosen = chosen.with_budget(duration_seconds(budget))
    return run_recipe(
        chosen, corpus, out, base=base, overwrite=overwrite, resume=resume, quiet=quiet
    ).vectors


def run_recipe(
    recipe: Recipe,
    corpus: Sources,
    out: str | Path | None = None,
    *,
    base: str | Path | WordVectors | None = None,
    overwrite: bool = False,
    resume: bool = False,
    quiet: bool = True,
) -> Pretrained:
    """Do what `pretrain` does, and return the recipe and the history as well."""
    with _run_folder(out, overwrite=overwrite, resume=resume) as run:
        if resume:
            _check_same(recipe, run)
        with atomic_file(run.recipe) as temporary:
            recipe.save(temporary)
        run.note(f"foretext {__version__}: {recipe.name}{', resumed' if resume else ''}")
        tokenizer, tokens = _encode(recipe, corpus, run, base, resume=resume, quiet=quiet)
        learner = VECTORS.resolve(recipe.name)(
            recipe.vectors,
            tokenizer.vocabulary,
            tokens,
            base=_base_vectors(base),
            base_outputs=_base_outputs(base),
        )
        history = _train(learner, recipe, run, keep=out is not None, resume=resume, quiet=quiet)
        run.note(f"trained in {history[-1]['time']:.1f} s" if history else "nothing to train on")
        vectors = learner.vectors(tokenizer.words)
        if out is not None:
            run.save_vectors(vectors, learner.outputs)
            _finish(run, recipe, tokenizer, tokens, vectors, history)
        return Pretrained(vectors, recipe, history)


def learn_tokenizer(
    kind: str, settings: dict[str, Any], text: Corpus, path: Path, *, quiet: bool = True
) -> SubwordTokenizer:
    """Learn a tokenizer alone, of sub-words or of whole words, and save it as `path`.

    Args:
        kind: ``"bpe"``, ``"wordpiece"``, ``"unigram"`` or ``"words"``.
        settings: of the kind's own Config.
        text: what to learn from.
        path: where ``tokenizer.json`` goes.
        quiet: show no progress.

    Raises:
        ForetextError: the text or a setting will not do, or `path` cannot be written.
    """
    with Progress(f"learning {kind}", text.num_bytes, "bytes", quiet=quiet) as bar:
        options: dict[str, Any] = {"workers": usable_cores(), "progress": bar}
        if kind == "words":
            config = WordTokenizer.Config.checked(settings, "tokenizer")
            WordTokenizer.learn(config, text, **options).save(path)
        else:
            learn_subwords(kind, settings, text, **options).save(path)
    return SubwordTokenizer.load(path)


@contextmanager
def _run_folder(out: str | Path | None, *, overwrite: bool, resume: bool) -> Iterator[RunFolder]:
    """The folder of the run: a temporary one for a run that is not kept."""
    if out is None:
        with tempfile.TemporaryDirectory(prefix="foretext-") as folder:
            yield RunFolder(folder)
        return
    run = RunFolder(out)
    run.begin(overwrite=overwrite, resume=resume)
    try:
        yield run
    except BaseException:
        if not resume:  # what an earlier attempt left is not this one's to remove
            run.abandon()
        raise


def _check_same(recipe: Recipe, run: RunFolder) -> None:
    """Refuse to resume a run with another recipe than it began with."""
    before = Recipe.load(run.recipe).sections()
    for section, settings in recipe.sections().items():
        for setting in sorted(settings.keys() | before.get(section, {}).keys()):
            old, new = before.get(section, {}).get(setting), settings.get(setting)
            if old != new and setting not in FREE_TO_CHANGE:
                raise SettingError(
                    f"{run.path} began with {section}.{setting} = {old!r}, not {new!r}; "
                    "resume with the same settings, or begin a run in another folder."
                )


def _encode(
    recipe: Recipe,
    corpus: Sources,
    run: RunFolder,
    base: str | Path | WordVectors | None,
    *,
    resume: bool,
    quiet: bool,
) -> tuple[WordTokenizer, Tokens]:
    """Count the words and encode the text; a resumed run finds both in its folder."""
    if resume and run.tokens.is_dir():
        return WordTokenizer.load(run.tokenizer), Tokens.open(run.tokens)
    text = Corpus(corpus, recipe.corpus)
    workers = recipe.vectors.workers
    with Progress("counting words", text.num_bytes, "bytes", quiet=quiet) as bar:
        tokenizer = WordTokenizer.learn(recipe.tokenizer, text, workers=workers, progress=bar)
    if (known := _base_vectors(base)) is not None:
        vocabulary = tokenizer.vocabulary.extended(known.index_to_key, known.counts)
        tokenizer = WordTokenizer(tokenizer.config, vocabulary)
    tokenizer.save(run.tokenizer)
    num_tokens = int(tokenizer.vocabulary.counts.sum())
    documents = VECTORS.resolve(recipe.name).held_out == "documents"
    valid_rate = min(recipe.data.valid_rate, MOST_HELD_OUT / max(num_tokens, 1))
    with Progress("encoding text", text.num_bytes, "bytes", quiet=quiet) as bar:
        tokens = write_tokens(
            text,
            tokenizer,
            run.tokens,
            valid_rate=valid_rate if documents else 0.0,
            seed=recipe.vectors.seed,
            workers=workers,
            progress=bar,
        )
    run.note(
        f"{text}: {tokens.train.num_documents:,} documents, {tokens.train.num_tokens:,} tokens to "
        f"train on, {tokenizer.vocab_size:,} words"
    )
    return tokenizer, tokens


def _train(
    learner: Any, recipe: Recipe, run: RunFolder, *, keep: bool, resume: bool, quiet: bool
) -> list[dict[str, Any]]:
    """Train, and return the records of the training."""
    with MetricsLog(run.metrics) as log:
        place = Workplace(
            run.path,
            title=recipe.name,
            valid_rate=recipe.data.valid_rate,
            log=log if keep else None,
            checkpoints=Checkpoints(run.checkpoints) if keep else None,
            resume=resume,
            quiet=quiet,
        )
        history: list[dict[str, Any]] = learner.train(place)
        return history


def _finish(
    run: RunFolder,
    recipe: Recipe,
    tokenizer: WordTokenizer,
    tokens: Tokens,
    vectors: WordVectors,
    history: list[dict[str, Any]],
) -> None:
    """Write what people read: the card and the mark of a finished run."""
    facts = {
        "foretext": __version__,
        "kind": "word vectors",
        "recipe": recipe.name,
        "vocab_size": len(vectors),
        "vector_size": vectors.vector_size,
        "tokens": tokens.train.num_tokens,
        "documents": tokens.train.num_documents,
        "held_out_tokens": tokens.valid.num_tokens if tokens.valid else 0,
        "pre_tokenizer": tokenizer.config.pre_tokenizer,
        "loss": history[-1]["loss"] if history else None,
        "valid_loss": history[-1]["valid_loss"] if history else None,
        "seconds": history[-1]["time"] if history else None,
    }
    card = vectors_card(recipe, facts, str(run.path), _example(vectors))
    run.finish(facts, card)


def _example(vectors: WordVectors) -> str:
    """A frequent word that means something, if there is one."""
    return next(iter(content_words(vectors, 1)), vectors.index_to_key[0])


def _base_vectors(base: str | Path | WordVectors | None) -> WordVectors | None:
    return base if base is None or isinstance(base, WordVectors) else load(base)


def _base_outputs(base: str | Path | WordVectors | None) -> np.ndarray | None:
    """The output vectors that a run keeps beside its vectors, (V, D)."""
    if base is None or isinstance(base, WordVectors) or not RunFolder(base).outputs.is_file():
        return None
    return load(RunFolder(base).outputs).vectors
