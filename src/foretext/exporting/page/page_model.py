"""A model as a page has it: what its file holds, and Python's answers, which are the right ones."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import SettingError
from foretext.exporting.learned_files import learned_files
from foretext.exporting.page.check_texts import LONGEST, MOST_TEXTS, first_texts
from foretext.exporting.page.storage import Matrices
from foretext.tokenizers.example_texts import example_texts
from foretext.vectors.neighbors import unit_rows

__all__ = [
    "Answers",
    "PageModel",
    "label_answers",
    "numbers_of",
    "page_info",
    "text_cosines",
    "texts_of_rows",
]

Answers = dict[str, Any]  # by name, as `static/engine/check.js` compares them


class PageModel(ABC):
    """What a page needs of a model.

    Args:
        model: as `foretext.load` opened it.
        name: that the page shows.
    """

    kind: str  # of `static/engine/models.js`
    abilities: tuple[str, ...]  # as of `foretext.serving.abilities`
    labels: list[Any] | None = None
    has_tokenizer: ClassVar[bool] = False  # the page splits texts by code of its own

    def __init__(self, model: Any, name: str) -> None:
        self.model, self.name = model, name

    @property
    @abstractmethod
    def settings(self) -> dict[str, Any]:
        """What the page's own class has to know, as JSON has it."""

    @property
    @abstractmethod
    def matrices(self) -> Matrices:
        """Matrices (R, D) that may be stored in fewer bytes."""

    @property
    @abstractmethod
    def tensors(self) -> dict[str, NDArray[Any]]:
        """What else is in the file, as it is."""

    @abstractmethod
    def with_matrices(self, matrices: Matrices) -> PageModel:
        """Return the same with other numbers."""

    @property
    @abstractmethod
    def texts(self) -> Mapping[str, Sequence[Any]]:
        """Lists of words, and other lists of JSON, that are in the file."""

    @abstractmethod
    def parts(self, text: str) -> Sequence[Any]:
        """Return the words of a text, or numbers of them, by which the model reads it."""

    @abstractmethod
    def answers(self, texts: Sequence[str]) -> Answers:
        """Return what the model says of texts, and of words that it knows."""

    @property
    @abstractmethod
    def frequent_words(self) -> Sequence[str]:
        """Words of which texts are made up, to compare answers."""

    @property
    def reads_texts(self) -> bool:
        """Whether the page cuts texts as Python does."""
        return True

    def inferred_words(self, text: str) -> int:
        """Return the words over which the vector of a text is learned, which takes time; or 0."""
        return 0

    def limited(self, num_words: int) -> PageModel:
        """Return the same with fewer words.

        Args:
            num_words: to keep, the first ones.

        Raises:
            SettingError: a model of this kind cannot do without words.
        """
        raise SettingError(
            f"--limit has no effect on this kind of model ({self.kind}); it is for word vectors. "
            f"{self.remedy[:1].upper()}{self.remedy[1:]}."
        )

    def texts_of(self, run: Path) -> list[str]:
        """Return some texts that a run has learned from, where its corpus is still there.

        Raises:
            ForetextError: it is not.
        """
        sources = learned_files(run).sources
        return first_texts(sources) if sources else []

    @property
    @abstractmethod
    def remedy(self) -> str:
        """What makes a page of such a model smaller."""

    @property
    def notes(self) -> list[str]:
        """What the user should know of the page."""
        return []

    def info(self) -> dict[str, Any]:
        """Return what the page says of the model, as ``/info`` of a server does."""
        return page_info(self.model, self.name, self.abilities)


def page_info(model: Any, name: str, abilities: Sequence[str]) -> dict[str, Any]:
    """Return what a page says of a model, as ``/info`` of a server does.

    Args:
        model: as `foretext.load` opened it.
        name: that the page shows.
        abilities: that the page has.
    """
    facts: dict[str, Any] = model.served_facts()
    examples = example_texts(facts.get("languages"))
    return {
        "name": name,
        "kind": model.kind,
        "abilities": list(abilities),
        **facts,
        "examples": {**examples, **facts.get("examples", {})},
    }


def numbers_of(answers: Answers) -> NDArray[np.float64]:
    """Return the numbers among the answers to some texts, one after another."""
    parts = [np.ravel(answers[name]) for name in ("probabilities", "cosines") if name in answers]
    ranked = [
        found for name in ("neighbors", "analogies", "hits") for found in answers.get(name, ())
    ]
    near = [score for _, listed in ranked for _, score in listed]
    near += [chance for found in answers.get("tags", ()) for chance in found["chances"]]
    return np.concatenate([*parts, near]).astype(np.float64)


def text_cosines(vectors: NDArray[np.float32]) -> Answers:
    """Return the cosine of each text with the one before it, and whether it has a vector.

    Args:
        vectors: (N, D) of the texts.
    """
    unit = unit_rows(vectors)
    before = np.concatenate([np.zeros((1, unit.shape[1]), np.float32), unit])[:-1]
    cosines = np.einsum("nd,nd->n", unit, before, dtype=np.float64)
    return {"cosines": cosines.tolist(), "known": unit.any(axis=1).tolist()}


def label_answers(model: Any, labels: Sequence[Any], texts: Sequence[Any]) -> Answers:
    """Return what a classifier says of texts.

    Args:
        model: the classifier.
        labels: in the order of its probabilities.
        texts: that it reads, or pairs of texts.
    """
    best = [found[0] for found in model.predict_top(list(texts), k=1)]
    return {
        "labels": list(labels),
        "probabilities": model.predict_proba(list(texts)).tolist(),
        "best": [[label, float(chance)] for label, chance in best],
    }


def texts_of_rows(run: Path, model: Any) -> list[str]:
    """Return the first texts of the rows that a task was learned from.

    Args:
        run: of the task.
        model: which reads rows.

    Raises:
        ForetextError: they are not there any more.
    """
    train = learned_files(run).train
    return [row.text[:LONGEST] for row in model.read_rows(train)[:MOST_TEXTS]] if train else []
