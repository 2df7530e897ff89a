"""doc2vec as an estimator."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from foretext.base.arguments import checked_arguments
from foretext.base.config import duration_seconds
from foretext.base.not_fitted import not_fitted
from foretext.base.parameters import Parameters, estimator_tags, keeping
from foretext.corpus.compression import LARGEST_PIECE
from foretext.corpus.pre_tokenizers import PreTokenizerKind
from foretext.corpus.texts import TextSource, held_texts, present_texts
from foretext.estimators.output import ChosenOutput, in_container
from foretext.estimators.vector_estimator import refuse_folder
from foretext.pretraining.given_texts import read_memory
from foretext.pretraining.pretraining import run_recipe
from foretext.recipe import Recipe
from foretext.vectors.document_vectors import DocumentVectors

__all__ = ["Doc2Vec"]


class Doc2Vec(Parameters, ChosenOutput):
    """PV-DBOW and PV-DM; as a transformer of scikit-learn, texts into inferred vectors.

    The guide of doc2vec says when to change which setting. ``workers=None`` takes all cores;
    ``alpha=None`` is 0.025, of PV-DM 0.05.

    Attributes:
        documents_: what was learned last.

    >>> Doc2Vec(model="dm", vector_size=50)
    Doc2Vec(model='dm', vector_size=50)
    """

    recipe_name: ClassVar[str] = "doc2vec"
    _history: list[dict[str, Any]] = []  # noqa: RUF012  replaced by fit, never changed
    _documents: DocumentVectors | None = None

    @keeping
    def __init__(
        self,
        *,
        epochs: int = 10,
        budget_seconds: float | None = None,
        workers: int | None = None,
        seed: int = 1,
        checkpoint_seconds: float = 60.0,
        min_alpha: float = 0.0001,
        patience: int | None = None,
        model: Literal["dbow", "dm"] = "dbow",
        dbow_words: bool = False,
        context: Literal["mean", "sum", "concat"] = "mean",
        loss: Literal["ns", "hs"] = "ns",
        vector_size: int = 100,
        window: int = 5,
        negative: int = 5,
        ns_exponent: float = 0.75,
        sample: float = 0.001,
        subsampling: Literal["word2vec", "paper"] = "word2vec",
        alpha: float | None = None,
        infer_epochs: int | None = None,
        names: str | None = None,
        exact: bool = False,
        # words and text
        format: str = "auto",
        column: str = "text",
        encoding: str = "utf-8",
        lines: Literal["auto", "whole", "wrapped"] = "auto",
        documents: Literal["auto", "line", "blank_line", "blank_lines", "file"] = "auto",
        sentences: Literal["line", "punctuation"] = "line",
        normalization: Literal["none", "NFC", "NFKC"] = "NFC",
        max_piece_bytes: int = LARGEST_PIECE,
        pre_tokenizer: Literal["auto"] | PreTokenizerKind = "auto",
        lowercase: bool = True,
        min_count: int = 5,
        max_vocab_size: int | None = None,
        unknown_words: tuple[str, ...] = (),
        valid_rate: float = 0.01,
    ) -> None: ...

    @property
    def recipe(self) -> Recipe:
        """The settings, section by section."""
        return Recipe.from_settings(self.recipe_name, self.chosen())

    @property
    def is_fitted(self) -> bool:
        """Whether there are vectors."""
        return self._documents is not None

    @property
    def documents_(self) -> DocumentVectors:
        """The vectors that were learned last.

        Raises:
            SettingError: nothing was learned yet.
        """
        if self._documents is None:
            raise not_fitted("These vectors have learned nothing yet; call fit first.")
        return self._documents

    @property
    def history(self) -> list[dict[str, Any]]:
        """Records of the last training: loss, rate, words a second."""
        return self._history

    @checked_arguments
    def fit(
        self,
        corpus: TextSource,
        y: object = None,
        *,
        out: str | Path | None = None,
        budget: str | float | None = None,
        overwrite: bool = False,
        resume: bool = False,
        quiet: bool | None = None,
    ) -> Self:
        """Learn document vectors, which `documents_` has then.

        Args:
            corpus: files, folders, globs or URLs of text; or texts in memory: strings in a list, a
                generator, a column or a table (`foretext.texts`). A text without a word is no
                document where it is empty, and has a vector of zeros otherwise.
            y: has no effect; pipelines of scikit-learn give it.
            out: a folder to keep the run in, or None to keep nothing but the result.
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
            overwrite=overwrite,
            resume=resume,
            quiet=quiet,
        )
        self._documents, self._history = pretrained.model, pretrained.history
        return self

    @checked_arguments
    @in_container
    def transform(self, texts: Any) -> NDArray[np.float32]:
        """Return an inferred vector for each text, (N, D).

        Raises:
            SettingError: nothing was learned yet.
            CorpusError: these are no texts.
        """
        return self.documents_.embed(present_texts(texts))

    @checked_arguments
    def fit_transform(self, texts: Any, y: object = None) -> NDArray[np.float32]:
        """Learn from texts in memory, and return an inferred vector for each, (N, D).

        They are inferred as those of new texts will be, so that what learns from them meets vectors
        of one kind; `documents_` has the learned ones.

        Raises:
            ForetextError: as of `fit`.
        """
        held = held_texts(texts)
        self.fit(held, y)
        return self.transform(held)

    @checked_arguments
    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """Return a name for each number of a vector, (D,): "doc2vec0", "doc2vec1", ..."""
        size = self.documents_.vector_size
        return np.array([f"{self.recipe_name}{number}" for number in range(size)], dtype=object)

    def __sklearn_tags__(self) -> Any:
        return estimator_tags("transformer", is_deterministic=vars(self)["workers"] == 1)
