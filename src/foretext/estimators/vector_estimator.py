"""What learns word vectors: settings in, `fit` on text, `WordVectors` out.

Settings as attributes, under the names and rules of scikit-learn. A constructor has every setting
as an explicit argument and keeps it under its name, so that editors complete it,
`inspect.signature` shows it, and `sklearn.base.clone`, pipelines and searches work. scikit-learn
itself is imported only where it asks.
"""

from __future__ import annotations

import inspect
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from functools import wraps
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from foretext.base.arguments import checked_arguments
from foretext.base.config import duration_seconds
from foretext.base.errors import SettingError, did_you_mean
from foretext.base.files import temporary_folder
from foretext.base.representation import represented
from foretext.corpus.texts import TextSource
from foretext.pretraining.given_texts import read_memory
from foretext.pretraining.pretraining import run_recipe
from foretext.recipe import Recipe
from foretext.tasks.not_fitted import not_fitted
from foretext.vectors.word_vectors import WordVectors

__all__ = ["Parameters", "VectorEstimator", "kept", "refuse_folder"]

Init = TypeVar("Init", bound=Callable[..., None])


@represented
class Parameters(ABC):
    """An estimator whose settings are arguments of its constructor."""

    @property
    @abstractmethod
    def recipe(self) -> Recipe:
        """The settings, section by section, all of them checked.

        Raises:
            SettingError: a setting is not allowed, or has no effect.
        """

    @property
    @abstractmethod
    def is_fitted(self) -> bool:
        """Whether `fit` has learned something."""

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        """Return every setting of the constructor with its default."""
        arguments = list(inspect.signature(cls.__init__).parameters.values())[1:]
        return {argument.name: argument.default for argument in arguments}

    @classmethod
    @checked_arguments
    def refuse_unknown(cls, names: Iterable[str]) -> None:
        """Refuse names that are no settings.

        Raises:
            SettingError: one is none; the message says which one may be meant.
        """
        known = cls.defaults()
        for name in names:
            if name not in known:
                raise SettingError(
                    f"{name}: {cls.__name__} has no such setting.{did_you_mean(name, known)}"
                )

    @checked_arguments
    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return every setting by name; `deep` has no effect, since none is an estimator."""
        return {name: getattr(self, name) for name in self.defaults()}

    def set_params(self, **params: Any) -> Self:
        """Change settings; what was learned stays until the next fit.

        Raises:
            SettingError: there is no such setting, or a value is not allowed; nothing has changed.
        """
        self.refuse_unknown([*params])
        before = self.get_params()
        vars(self).update(params)
        try:
            _ = self.recipe
        except SettingError:
            vars(self).update(before)
            raise
        return self

    def chosen(self) -> dict[str, Any]:
        """Return the settings that differ from their defaults."""
        given = {name: _plain(value) for name, value in self.get_params().items()}
        defaults = self.defaults()
        return {name: value for name, value in given.items() if value != defaults[name]}

    def summary(self) -> dict[str, Any]:
        """Return what a notebook shows of the estimator."""
        return {**self.chosen(), "fitted": self.is_fitted}

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self.chosen().items())
        return f"{type(self).__name__}({shown})"

    def __sklearn_is_fitted__(self) -> bool:
        return self.is_fitted

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags

        return Tags(
            estimator_type="transformer",
            target_tags=TargetTags(required=False),
            transformer_tags=TransformerTags(preserves_dtype=[]),
            input_tags=InputTags(**self._input_tags()),
            non_deterministic=True,  # several threads
        )

    def _input_tags(self) -> dict[str, bool]:
        return {}


class VectorEstimator(Parameters):
    """Text into word vectors; as a transformer of scikit-learn, texts into their mean vectors.

    Attributes:
        vectors_: what was learned last.
        history: of the last training: loss, rate, words a second.
    """

    recipe_name: ClassVar[str]
    history: list[dict[str, Any]] = []  # noqa: RUF012  replaced by fit, never changed
    _vectors: WordVectors | None = None
    _run: Path | None = None  # of the last training, where it was kept
    _drop: Callable[[], object] | None = None  # removes the folder of the last `partial_fit`

    @property
    def recipe(self) -> Recipe:
        """The settings, section by section."""
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
    ) -> WordVectors:
        """Learn word vectors, and return them; `vectors_` has them, too.

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
            *read_memory(recipe, corpus),
            out,
            budget=recipe.vectors.budget_seconds if budget is None else duration_seconds(budget),
            base=base,
            overwrite=overwrite,
            resume=resume,
            quiet=quiet,
        )
        self._vectors, self.history = pretrained.model, pretrained.history
        self._run = None if out is None else Path(out)
        return self._vectors

    @checked_arguments
    def partial_fit(
        self, corpus: TextSource, y: object = None, *, quiet: bool | None = None
    ) -> WordVectors:
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
        vectors = self.fit(corpus, y, out=folder / "run", base=base, quiet=quiet)
        if self._drop is not None:
            self._drop()
        self._drop = weakref.finalize(self, held.close)
        return vectors

    @checked_arguments
    def transform(self, texts: Any) -> NDArray[np.float32]:
        """Return the mean vector of each text, (N, D); texts as `fit` takes them.

        Raises:
            SettingError: nothing was learned yet.
            CorpusError: these are no texts.
        """
        return self.vectors_.embed(texts)

    @checked_arguments
    def fit_transform(self, texts: Any, y: object = None) -> NDArray[np.float32]:
        """Learn from texts in memory, and return the mean vector of each, (N, D).

        Raises:
            ForetextError: as of `fit`.
        """
        held = list(texts) if isinstance(texts, Iterator) else texts  # a generator can be read once
        self.fit(held, y)
        return self.transform(held)

    @checked_arguments
    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """Return a name for each number of a vector, (D,): "word2vec0", "word2vec1", ..."""
        size = self.vectors_.vector_size
        return np.array([f"{self.recipe_name}{number}" for number in range(size)], dtype=object)

    def _input_tags(self) -> dict[str, bool]:
        return {"string": True, "two_d_array": False, "one_d_array": True}


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


def _plain(value: Any) -> Any:
    """Return a number of numpy, as searches for settings give it, as Python's own."""
    convert = getattr(value, "tolist", None)  # foreign
    return value if convert is None else convert()


def kept(init: Init) -> Init:
    """Let a constructor keep each argument under its name, check them all, and do nothing else."""
    signature = inspect.signature(init)

    @wraps(init)
    def keeping(self: Parameters, *args: Any, **settings: Any) -> None:
        self.refuse_unknown([*settings])
        given = signature.bind(self, *args, **settings)
        given.apply_defaults()
        vars(self).update(list(given.arguments.items())[1:])
        _ = self.recipe

    return cast(Init, keeping)
