"""Word vectors: words are counted, the text is encoded, and a kernel learns from the ids."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import numpy as np

from foretext._version import __version__
from foretext.artifact import load_vectors
from foretext.base.counted import counted
from foretext.base.errors import SettingError
from foretext.data.token_file import Tokens
from foretext.data.token_writer import write_tokens
from foretext.pretraining.budgets import reading, with_training_time
from foretext.pretraining.job import Base, PretrainingJob
from foretext.pretraining.shared import SharedFolder
from foretext.pretraining.word_text import SharedWords, WordText
from foretext.recipe import Recipe
from foretext.report.card import vectors_card
from foretext.report.word_map import example_word
from foretext.run_folder import RunFolder
from foretext.tokenizers.word_tokenizer import WordTokenizer
from foretext.vectors import VECTORS
from foretext.vectors.best_weights import ending_sentence, warned
from foretext.vectors.crowding import crowding_sentence
from foretext.vectors.word_vectors import WordVectors

__all__ = ["encode_text", "learn_vectors"]

MOST_HELD_OUT = 100_000  # tokens; a large corpus needs no more for a steady loss


def learn_vectors(job: PretrainingJob) -> tuple[WordVectors, list[dict[str, Any]]]:
    """Learn word vectors, and keep them in the run's folder; returns them and the records."""
    tokenizer, tokens = encode_text(job)
    learner = VECTORS.resolve(job.recipe.name)(
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
    job.run.note(f"trained in {history[-1]['time']:.1f} s" if history else "nothing to train on")
    if (ending := ending_sentence(history)) is not None:
        job.note(ending)
    vectors: WordVectors = learner.vectors(tokenizer.words)
    if (crowded := crowding_sentence(vectors, went_past_best=ending is not None)) is not None:
        job.note(crowded)
    if job.keep:
        job.run.save_vectors(vectors, learner.outputs)
        _finish(job, tokenizer, tokens, vectors, history)
    return vectors, history


def encode_text(job: PretrainingJob) -> tuple[WordTokenizer, Tokens]:
    """Count the words and encode the text; a resumed run finds both in its folder."""
    run = job.run
    if job.resume and run.tokens.is_dir():
        job.drop_shards()
        tokenizer = WordTokenizer.load(run.tokenizer)
        return tokenizer, Tokens.open(run.tokens, vocab_size=tokenizer.vocab_size)
    if job.shared is None or job.base is not None:  # a base has words of its own
        tokenizer, tokens = _read(job)
    else:
        tokenizer, tokens = _shared(job, job.shared)
    job.drop_shards()
    run.note(
        f"{job.text()}: {counted(tokens.train.num_documents, 'document')}, "
        f"{counted(tokens.train.num_tokens, 'token')} to train on, "
        f"{counted(tokenizer.vocab_size, 'word')}"
    )
    return tokenizer, tokens


def _read(job: PretrainingJob) -> tuple[WordTokenizer, Tokens]:
    """Pass over the text twice: to count its words, and to encode it."""
    run, text = job.run, job.text()
    opened = WordText.opened(job.recipe, text, run.path, quiet=job.quiet, shards=job.shards)
    with opened as words:
        with reading(job, passes=1 if words.is_cut else 2):
            tokenizer = words.counted()
        if (known := _base_vectors(job.base)) is not None:
            vocabulary = tokenizer.vocabulary.extended(known.index_to_key, known.counts)
            tokenizer = WordTokenizer(
                tokenizer.config, vocabulary, segmented=words.is_cut, form=tokenizer.form
            )
        tokenizer.save(run.tokenizer)
        rate = _valid_rate(job.recipe, tokenizer)
        tokens = words.encoded(tokenizer, run.tokens, valid_rate=rate)
    return WordTokenizer(tokenizer.config, tokenizer.vocabulary, form=tokenizer.form), tokens


def _shared(job: PretrainingJob, shared: SharedFolder) -> tuple[WordTokenizer, Tokens]:
    """Take words and ids from a folder that several runs share, or make them there."""
    run, text = job.run, job.text()
    words = SharedWords.of(shared, job.recipe, text, quiet=job.quiet)
    shared.keep_used(run)
    words.save(run.tokenizer)
    tokens = write_tokens(
        text,
        words.tokenizer,
        run.tokens,
        valid_rate=_valid_rate(job.recipe, words.tokenizer),
        seed=job.recipe.vectors.seed,
        encoded=words.ids,
    )
    return words.tokenizer, tokens


def _valid_rate(recipe: Recipe, tokenizer: WordTokenizer) -> float:
    """Share of the text to hold out: what the recipe says, but no more than is needed."""
    if VECTORS.resolve(recipe.name).held_out != "documents":
        return 0.0
    num_tokens = int(tokenizer.vocabulary.counts.sum())
    return min(recipe.data.valid_rate, MOST_HELD_OUT / max(num_tokens, 1))


def _finish(
    job: PretrainingJob,
    tokenizer: WordTokenizer,
    tokens: Tokens,
    vectors: WordVectors,
    history: list[dict[str, Any]],
) -> None:
    """Write what people read: the card and the mark of a finished run."""
    recipe, run = job.recipe, job.run
    facts = {
        "foretext": __version__,
        "kind": "word vectors",
        "recipe": recipe.name,
        "vocab_size": len(vectors),
        "vector_size": vectors.vector_size,
        "tokens": tokens.train.num_tokens,
        "documents": tokens.train.num_documents,
        "held_out_tokens": tokens.valid.num_tokens if tokens.valid else 0,
        **job.used_text,
        "pre_tokenizer": tokenizer.config.pre_tokenizer,
        "loss": history[-1]["loss"] if history else None,
        "valid_loss": history[-1]["valid_loss"] if history else None,
        "seconds": history[-1]["time"] if history else None,
        **warned(history),
    }
    card = vectors_card(recipe, facts, str(run.named), example_word(vectors))
    run.finish(card, facts, job.report)


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
