"""Word vectors joined with the states of a base, word by word: [x_k; ELMo_k].

The network of the task reads the vector of each word, which is the same in every sentence, and the
state that the base gives it in this sentence (Peters et al. 2018, 3.3). A base that reads words by
their spelling works with any vocabulary: the words of the vectors get ids in its tokenizer, and
their vectors become a table.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from foretext.base.errors import SettingError
from foretext.finetuning.bases import open_base
from foretext.finetuning.recipe import BaseModel, TaskRecipe
from foretext.heads.base import TaskBase
from foretext.nn.word_vectors import FixedWordVectors
from foretext.tasks.task import Task
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.tokenizers.word_level import with_words
from foretext.vectors.word_vectors import WordVectors

__all__ = ["MAX_WORDS", "JoinedVectors", "are_lowercase", "joined", "opened_vectors"]

MAX_WORDS = 200_000  # of a run or a vector file; the most frequent come first
SAMPLE = 10_000  # words that show whether all are in lower case


class JoinedVectors(NamedTuple):
    """Word vectors, and how the user named them."""

    name: str
    vectors: WordVectors


def opened_vectors(recipe: TaskRecipe, task: Task, opened: Any) -> JoinedVectors | None:
    """Return the word vectors of ``--with``; None: there are none.

    Args:
        recipe: of the run.
        task: that is learned.
        opened: the base, as `foretext.finetuning.bases.open_base` gives it.

    Raises:
        SettingError: they cannot be joined with what the base makes of a word.
    """
    if not recipe.beside:
        return None
    origin, base = opened
    names = [_name_of(each) for each in recipe.beside]
    if origin != "pretrained" or not base.as_base().backbone.open_vocabulary:
        raise SettingError(
            f"--with has no effect on '{_name_of(recipe.base)}'; leave it out, or give a run of "
            "elmo as BASE, whose states are joined with word vectors, or embeddings, which learns "
            "linear heads on several frozen bases."
        )
    if not task.joins_word_vectors:
        raise SettingError(
            f"--with has no effect on {task.title.lower()} over '{_name_of(recipe.base)}'; leave "
            "it out."
        )
    if len(names) > 1:
        raise SettingError(
            f"--with names {len(names)} bases, but the states of '{_name_of(recipe.base)}' can be "
            "joined with only one; leave the others out."
        )
    kind, vectors = open_base(recipe.beside[0])
    if kind != "vectors" or vectors.tokenizer is not None:
        raise SettingError(
            f"--with {names[0]}: it holds no word vectors to join with the states of "
            f"'{_name_of(recipe.base)}'; give a run of word2vec, glove or fasttext, or a vector "
            "file."
        )
    return JoinedVectors(names[0], vectors)


def joined(base: TaskBase, given: JoinedVectors) -> TaskBase:
    """Return a copy of the base that knows the words of vectors, with the vectors beside it.

    Args:
        base: that reads words by their spelling.
        given: the vectors.
    """
    tokenizer: Any = base.tokenizer
    wider = with_words(tokenizer, _forms(given.vectors, is_cased=_is_cased(tokenizer)))
    backbone = copy.deepcopy(base.backbone)
    backbone.vocab_size = wider.vocab_size
    backbone.spell(wider.tokens)
    return base._replace(
        tokenizer=wider,
        backbone=backbone,
        word_vectors=_table(given.vectors, wider),
        vocabulary_head=None,  # of the words that were predicted
        objective=None,
    )


def are_lowercase(vectors: WordVectors) -> bool:
    """Whether the words of vectors are in lower case."""
    return not any(word != word.lower() for word in vectors.index_to_key[:SAMPLE])


def _forms(vectors: WordVectors, *, is_cased: bool) -> Iterator[str]:
    """Yield words with a vector, and those that have the vector of their lower case."""
    words: Sequence[str] = vectors.index_to_key[:MAX_WORDS]
    yield from words
    if is_cased and are_lowercase(vectors):
        for word in words:
            yield word.capitalize()
            yield word.upper()


def _is_cased(tokenizer: SubwordTokenizer) -> bool:
    normalizer = tokenizer.library.normalizer
    return normalizer is None or str(normalizer.normalize_str("A")) == "A"


def _table(vectors: WordVectors, tokenizer: SubwordTokenizer) -> FixedWordVectors:
    """Return the vectors of tokens, and the row of each token in them."""
    folds, rows = are_lowercase(vectors), np.zeros(tokenizer.vocab_size, np.int64)
    found = dict[int, int]()  # our row of each row of theirs
    for index in np.flatnonzero(tokenizer.ordinary).tolist():
        token = tokenizer.tokens[index]
        for word in (token, token.lower())[: 1 + folds]:
            if word in vectors:
                rows[index] = found.setdefault(vectors.get_index(word), len(found) + 1)
                break
    table = np.zeros((len(found) + 1, vectors.vector_size), np.float32)
    table[1:] = vectors.vectors[[*found]]
    return FixedWordVectors(torch.from_numpy(table), torch.from_numpy(rows))


def _name_of(given: BaseModel) -> str:
    return str(given) if isinstance(given, str | Path) else type(given).__name__
