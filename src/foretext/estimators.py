"""Estimators: settings in, `fit` on a corpus, a model out, under names that gensim made common."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from foretext.errors import SettingError, did_you_mean
from foretext.pipeline import run_recipe
from foretext.pipeline.job import Sources
from foretext.recipe import Recipe
from foretext.vectors.word_vectors import WordVectors

if TYPE_CHECKING:
    from foretext.codec import Codec

__all__ = ["Autoencoder", "FastText", "GloVe", "Word2Vec"]


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
        """Take the settings from a TOML file.

        Raises:
            SettingError: there is no such file, or a setting is not allowed.
            UntrustedError: the file names code from outside foretext.
        """
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
            base: vectors to train further: a run, a vector file, or `WordVectors`.
            overwrite: replace the run in `out`.
            resume: continue the unfinished run in `out`.
            quiet: show no progress.

        Raises:
            ForetextError: the corpus, a setting or the folder cannot be used; the message says why.
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


class Autoencoder:
    """Codes of few numbers, from which examples can be reconstructed, under scikit-learn's names.

    Settings (defaults): ``dim=32`` numbers of a code, of the dense network ``hidden_dim=512``, of
    the linear one ``bias=True``; ``noise="none"``, ``"gaussian"`` or ``"masking"`` with
    ``noise_std=0.3`` or ``mask_rate=0.3``; of the training ``epochs=10.0, batch_examples=128,
    learning_rate=2e-3, seed=1, valid_rate=0.01`` and others; the convolutional one has
    ``learning_rate=6e-3``.

    Args:
        kind: "convolutional" for images, "linear", or "denoising", which is dense.
        settings: by name.

    >>> Autoencoder("linear", dim=8)
    Autoencoder('linear', dim=8)
    """

    RECIPES: ClassVar[dict[str, str]] = {
        "convolutional": "autoencoder",
        "denoising": "denoising-autoencoder",
        "linear": "linear-autoencoder",
    }

    def __init__(
        self,
        kind: Literal["convolutional", "denoising", "linear"] = "convolutional",
        **settings: Any,
    ) -> None:
        if kind not in self.RECIPES:
            hint = did_you_mean(kind, self.RECIPES) or f" There are: {', '.join(self.RECIPES)}."
            raise SettingError(f"kind = '{kind}': there is no such autoencoder.{hint}")
        self.kind = kind
        self.settings = settings
        self.recipe = Recipe.from_settings(self.RECIPES[kind], settings)
        self.codec: Codec | None = None  # after fit
        self.history: list[dict[str, Any]] = []  # of the last fit

    def __repr__(self) -> str:
        given = "".join(f", {name}={value!r}" for name, value in self.settings.items())
        return f"{type(self).__name__}({self.kind!r}{given})"

    @classmethod
    def load(cls, run: str | Path) -> Self:
        """Open the folder of a run.

        Raises:
            VectorFileError: it holds no finished run of an autoencoder.
            ModelFileError: a file is damaged.
            UntrustedError: it names code from outside foretext.
        """
        from foretext.codec import Codec

        estimator = cls()
        estimator.codec = Codec.load(run)
        estimator.recipe = Recipe.of_run(Path(run) / "recipe.toml")
        return estimator

    def fit(
        self,
        examples: Sources | NDArray[Any],
        out: str | Path | None = None,
        *,
        overwrite: bool = False,
        resume: bool = False,
        quiet: bool = True,
    ) -> Self:
        """Learn from an array (N, ...), or from files of images; keep the run in `out`.

        Raises:
            ForetextError: the examples, a setting or the folder will not do; the message says why.
        """
        source = cast(Sources, examples)  # only autoencoders learn from an array
        learned = run_recipe(
            self.recipe, source, out, overwrite=overwrite, resume=resume, quiet=quiet
        )
        self.codec, self.history = cast("Codec", learned.model), learned.history
        return self

    def transform(self, examples: ArrayLike) -> NDArray[np.float32]:
        """Return the codes (N, K) of examples (N, ...).

        Raises:
            SettingError: nothing was learned yet, or the examples have another shape.
        """
        return self._fitted().encode(examples)

    def inverse_transform(self, codes: ArrayLike) -> NDArray[np.float32]:
        """Return the examples (N, ...) that codes (N, K) stand for.

        Raises:
            SettingError: nothing was learned yet, or the codes have another number of numbers.
        """
        return self._fitted().decode(codes)

    def score(self, examples: ArrayLike) -> float:
        """Return the share of the examples' variance that reconstructions keep, at most 1 (R²)."""
        array = np.asarray(examples, dtype=np.float32)
        variance = float(array.var(axis=0, dtype=np.float64).mean())
        error = self._fitted().squared_error(array)
        return 1 - error / variance if variance else float(error == 0)

    def _fitted(self) -> Codec:
        if self.codec is None:
            raise SettingError("This autoencoder has learned nothing yet; call fit first.")
        return self.codec
