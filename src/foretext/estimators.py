"""Estimators: settings in, `fit` on a corpus, a model out, under names that gensim made common."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar, Self

from foretext.pipeline import run_recipe
from foretext.pipeline.runs import Sources
from foretext.recipe import Recipe
from foretext.vectors.word_vectors import WordVectors

__all__ = ["FastText", "GloVe", "Word2Vec"]


class _VectorEstimator:
    """Settings of all sections of a recipe as keyword arguments."""

    recipe_name: ClassVar[str]

    def __init__(self, **settings: Any) -> None:
        self.recipe = Recipe.from_settings(self.recipe_name, settings)
        self.history: list[dict[str, Any]] = []  # of the last fit: loss, rate, words a second

    def __repr__(self) -> str:
        given = self.recipe.vectors.model_dump(exclude_unset=True)
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in given.items())})"

    @classmethod
    def from_recipe(cls, path: str | Path) -> Self:
        """Take the settings from a TOML file."""
        estimator = cls()
        estimator.recipe = Recipe.load(path)
        return estimator

    def fit(
        self,
        corpus: Sources,
        out: str | Path | None = None,
        *,
        base: str | Path | WordVectors | None = None,
        overwrite: bool = False,
        resume: bool = False,
        quiet: bool = True,
    ) -> WordVectors:
        """Learn word vectors from files, folders, globs or URLs of text.

        Args:
            corpus: where the text is.
            out: a folder to keep the run in, or None to keep nothing but the result.
            base: vectors to go on from: a run, a vector file, or `WordVectors`.
            overwrite: replace the run in `out`.
            resume: go on with the unfinished run in `out`.
            quiet: show no progress.

        Raises:
            ForetextError: the corpus, a setting or the folder will not do; the message says why.
        """
        pretrained = run_recipe(
            self.recipe, corpus, out, base=base, overwrite=overwrite, resume=resume, quiet=quiet
        )
        self.history = pretrained.history
        return pretrained.vectors


class Word2Vec(_VectorEstimator):
    """Skip-gram and CBOW with negative sampling, hierarchical softmax or the full softmax.

    Settings (defaults): ``model="skipgram"`` or ``"cbow"``, ``loss="ns"``, ``"hs"`` or
    ``"softmax"``, ``vector_size=100, window=5, negative=5, ns_exponent=0.75, sample=1e-3,
    alpha=0.025 (CBOW 0.05), min_alpha=1e-4, epochs=5, workers=(all cores), seed=1, exact=False``;
    of the vocabulary ``min_count=5, max_vocab_size=None, lowercase=True, pre_tokenizer="auto"``; of
    the corpus ``column, encoding, documents, sentences, normalization``; ``valid_rate=0.01``.

    >>> Word2Vec(model="cbow", vector_size=50)
    Word2Vec(model='cbow', vector_size=50)
    """

    recipe_name = "word2vec"


class GloVe(_VectorEstimator):
    """Vectors whose dot products are the logarithms of how often words stand near each other.

    Settings (defaults): ``vector_size=100, window=15, x_max=100.0, exponent=0.75, alpha=0.05,
    epochs=25, memory="2GB", workers=(all cores), seed=1``; those of vocabulary and corpus are
    `Word2Vec`'s; ``valid_rate=0.01`` is the share of cells held out. The result is the same, to the
    bit, for any number of workers.

    >>> GloVe(vector_size=50, x_max=10.0)
    GloVe(vector_size=50, x_max=10.0)
    """

    recipe_name = "glove"


class FastText(_VectorEstimator):
    """Skip-gram and CBOW over character n-grams, so that unseen words have vectors too.

    Settings (defaults): ``model="skipgram"`` or ``"cbow"``, ``loss="ns"`` or ``"hs"``,
    ``vector_size=100, window=5, negative=5, ns_exponent=0.5, sample=1e-4, minn=3, maxn=6,
    bucket=2_000_000, alpha=0.05, min_alpha=1e-4, epochs=5, workers=(all cores), seed=1``; those of
    vocabulary and corpus are `Word2Vec`'s; ``valid_rate=0.01``.

    >>> FastText(minn=2, maxn=4)
    FastText(minn=2, maxn=4)
    """

    recipe_name = "fasttext"
