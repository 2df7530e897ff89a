"""What learns word vectors: settings in, `fit` on text, `WordVectors` out."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from foretext.base.arguments import checked_arguments
from foretext.base.config import duration_seconds
from foretext.base.errors import SettingError
from foretext.base.files import temporary_folder
from foretext.base.not_fitted import not_fitted
from foretext.base.parameters import Parameters, estimator_tags
from foretext.corpus.texts import TextSource, held_texts, present_texts
from foretext.estimators.output import ChosenOutput, in_container
from foretext.pretraining.given_texts import read_memory
from foretext.pretraining.pretraining import run_recipe
from foretext.recipe import Recipe
from foretext.vectors.word_vectors import WordVectors

__all__ = ["VectorEstimator", "refuse_folder"]


class VectorEstimator(Parameters, ChosenOutput):
    """Text into word vectors; as a transformer of scikit-learn, texts into their mean vectors.

    Attributes:
        vectors_: what was learned last.
    """

    recipe_name: ClassVar[str]
    _history: list[dict[str, Any]] = []  # noqa: RUF012  replaced by fit, never changed
    _vectors: WordVectors | None = None
    _run: Path | None = None  # of the last training, where it was kept
    _drop: Callable[[], object] | None = None  # removes the folder of the last `partial_fit`

    @property
    def recipe(self) -> Recipe:
        """The settings, section by section, all of them checked.

        Raises:
            SettingError: a setting is not allowed, or has no effect.
        """
        return Recipe.from_settings(self.recipe_name, self.chosen())

    @property
    def is_fitted(self) -> bool:
        """Whether there are vectors."""
        return self._vectors is not None

    @property
    def vectors_(self) -> WordVectors:
        """The vectors that were learned last.

        Raises:
            SettingError: nothing was learned yet.
        """
        if self._vectors is None:
            raise not_fitted("These vectors have learned nothing yet; call fit first.")
        return self._vectors

    @property
    def history(self) -> list[dict[str, Any]]:
        """Records of the last training: loss, rate, words a second."""
        return self._history

    @classmethod
    @checked_arguments
    def from_recipe(cls, path: str | Path) -> Self:
        """Take the settings from a TOML file.

        Raises:
            SettingError: there is no such file, a setting is not allowed, or it is a recipe of
                something else.
            UntrustedError: the file names code from outside foretext.
        """
        recipe = Recipe.load(path)
        if recipe.name != cls.recipe_name:
            raise SettingError(
                f"{path} is a recipe of {recipe.name}, not of {cls.recipe_name}; use "
                "foretext.pretrain, which takes every recipe."
            )
        settings = [section.items() for section in recipe.all_settings().values()]
        known = cls.defaults()
        return cls(**{name: value for each in settings for name, value in each if name in known})

    @checked_arguments
    def fit(
        self,
        corpus: TextSource,
        y: object = None,
        *,
        out: str | Path | None = None,
        base: str | Path | WordVectors | None = None,
        budget: str | float | None = None,
        overwrite: bool = False,
        resume: bool = False,
        quiet: bool | None = None,
    ) -> Self:
        """Learn word vectors, which `vectors_` has then.

        Args:
            corpus: files, folders, globs or URLs of text; or texts in memory: strings in a list, a
                generator, a column or a table (`foretext.texts`), or lists of words, which are
                taken as they are.
            y: has no effect; pipelines of scikit-learn give it.
            out: a folder to keep the run in, or None to keep nothing but the result.
            base: vectors to train further: a run, a vector file, or `WordVectors`.
            budget: wall-clock time of everything, ``"30s"``, in place of `budget_seconds`.
            overwrite: replace the run in `out`.
            resume: continue the unfinished run in `out`.
            quiet: show no progress; None: show it on a terminal and in a notebook.

        Raises:
            ForetextError: the corpus, a setting or the folder cannot be used; the message says why.
        """
        refuse_folder(y)
        recipe = self.recipe
        pretrained = run_recipe(
            *read_memory(recipe, present_texts(corpus)),
            out,
            budget=recipe.vectors.budget_seconds if budget is None else duration_seconds(budget),
            base=base,
            overwrite=overwrite,
            resume=resume,
            quiet=quiet,
        )
        self._vectors, self._history = pretrained.model, pretrained.history
        self._run = None if out is None else Path(out)
        return self

    @checked_arguments
    def partial_fit(
        self, corpus: TextSource, y: object = None, *, quiet: bool | None = None
    ) -> Self:
        """Learn more from other text: known words go on from their vectors, new words join them.

        Words that occur less than `min_count` times in this text alone are new only where they are
        known already. After `partial_fit`, or `fit` with `out`, the output vectors go on, too.

        Args:
            corpus: the other text, as `fit` takes it.
            y: ignored; scikit-learn passes it.
            quiet: show no progress; None: as `fit` does.

        Raises:
            ForetextError: as of `fit`.
        """
        base = self._run or self._vectors
        held = ExitStack()
        folder = held.enter_context(temporary_folder())
        self.fit(corpus, y, out=folder / "run", base=base, quiet=quiet)
        if self._drop is not None:
            self._drop()
        self._drop = weakref.finalize(self, held.close)
        return self

    @checked_arguments
    @in_container
    def transform(self, texts: Any) -> NDArray[np.float32]:
        """Return the mean vector of each text, (N, D); texts as `fit` takes them.

        Raises:
            SettingError: nothing was learned yet.
            CorpusError: these are no texts.
        """
        return self.vectors_.embed(present_texts(texts))

    @checked_arguments
    def fit_transform(self, texts: Any, y: object = None) -> NDArray[np.float32]:
        """Learn from texts in memory, and return the mean vector of each, (N, D).

        Raises:
            ForetextError: as of `fit`.
        """
        held = held_texts(texts)
        self.fit(held, y)
        return self.transform(held)

    @checked_arguments
    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """Return a name for each number of a vector, (D,): "word2vec0", "word2vec1", ..."""
        size = self.vectors_.vector_size
        return np.array([f"{self.recipe_name}{number}" for number in range(size)], dtype=object)

    def __sklearn_tags__(self) -> Any:
        return estimator_tags("transformer", is_deterministic=vars(self)["workers"] == 1)

    def __getstate__(self) -> dict[str, Any]:
        state = {**vars(self)}
        if state.pop("_drop", None) is not None:  # a folder that goes with this object
            state["_run"] = None
        return state


def refuse_folder(y: object) -> None:
    """Refuse a folder where scikit-learn has labels.

    Raises:
        SettingError: it is a path.
    """
    if isinstance(y, str | Path):
        raise SettingError(
            f"y = '{y}': the second argument has no effect here; name the folder of a run as "
            f"out='{y}'."
        )
