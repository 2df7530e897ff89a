"""A linear tagger on a page: features of tokens and of their neighbours' vectors, and a chain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foretext.corpus.text_tokens import TextToken
from foretext.exporting.page.character_runs import character_runs, small_letters
from foretext.exporting.page.feature_names import FeatureNames
from foretext.exporting.page.page_model import Answers, PageModel, texts_of_rows
from foretext.exporting.page.parts import named_part, part_named
from foretext.exporting.page.storage import Matrices
from foretext.exporting.page.token_tables import token_tables
from foretext.exporting.page.word_vectors import PageWordVectors
from foretext.metrics.tag_schemes import tag_mark
from foretext.tasks.tagging.chain_regression import Chain, Lawful
from foretext.tasks.tagging.linear import LinearTagger
from foretext.tasks.tagging.linear_features import OFFSETS, character_shape
from foretext.tasks.tagging.linear_storage import LinearTaggerParts
from foretext.tasks.tagging.sentence_tagger import words_of

__all__ = ["PageLinearTagger"]

NAMES, BESIDE = "features.weights", "beside.weights"  # of named features, of word vectors
SHAPES = ("", "X", "x", "9", "c")  # of characters, by their class; "": the character itself
VECTORS = "vectors"
AS_WRITTEN = "W="  # prefix of the feature "the token as written"


class PageLinearTagger(PageModel):
    """The weights of features and steps; tags and their probabilities are decoded on the page."""

    kind = "linear tagger"
    abilities = ("tag",)
    model: LinearTagger

    @property
    def settings(self) -> dict[str, Any]:
        """What the page's own class has to know."""
        tags, reader = self.model.tag_set, self.model.parts.reader
        lawful = Lawful.of(tags.labels, tags.learned)
        steps = np.where(lawful.steps, self.model.steps.astype(np.float64), np.nan)
        marks = None if tags.learned is None else [tag_mark(label) for label in tags.labels]
        return {
            "form": reader.form,
            "shapes": SHAPES,
            "length": reader.length,
            "offsets": OFFSETS,
            "tagging": {
                "tokens": {**token_tables(), "by_character": self.model.by_character},
                "decoding": {
                    "labels": tags.labels,
                    "transitions": [list(map(_known, row)) for row in steps.tolist()],
                    "start": [0 if allowed else None for allowed in lawful.first.tolist()],
                    "end": [0 if allowed else None for allowed in lawful.last.tolist()],
                },
                "marks": marks,
                "temperature": self.model.temperature,
            },
            "vectors": None if self._vectors is None else self._vectors.settings,
        }

    @property
    def matrices(self) -> Matrices:
        """Matrices that may be stored in fewer bytes."""
        size = len(self._kept)
        own = {} if self._vectors is None else named_part(VECTORS, self._vectors.matrices)
        weights = self.model.weights
        names = np.ascontiguousarray(weights[self._kept]).reshape(size, -1)
        beside = {} if self._vectors is None else {BESIDE: weights[len(self._names) :]}
        return {NAMES: names, **beside, **own}

    @property
    def tensors(self) -> dict[str, NDArray[Any]]:
        """Tables of characters, and how much of a name each feature shares."""
        own = {} if self._vectors is None else named_part(VECTORS, self._vectors.tensors)
        shapes = named_part("shapes", character_runs(_shape_class))
        small = named_part("small", small_letters())
        return {"shared": self._named.shared, **shapes, **small, **own}

    @property
    def texts(self) -> Mapping[str, Sequence[str]]:
        """The features, and the words that have vectors."""
        own = {} if self._vectors is None else named_part(VECTORS, self._vectors.texts)
        return {"features": self._named.rests, **own}

    def texts_of(self, run: Path) -> list[str]:
        """Return the first sentences that it has learned from."""
        return texts_of_rows(run, self.model)

    @property
    def remedy(self) -> str:
        """What makes the page smaller."""
        fewer = "train it with a higher linear.min_count, which leaves rare features out"
        return fewer if self._vectors is None else f"{fewer}, or on vectors of fewer words"

    @property
    def notes(self) -> list[str]:
        """Say how many features the page has."""
        left_out = len(self._names) - len(self._kept)
        return (
            [f"{left_out:,} of {len(self._names):,} features weigh nothing and are left out"]
            if left_out
            else []
        )

    def with_matrices(self, matrices: Matrices) -> PageLinearTagger:
        """Return the same model with other numbers."""
        parts: LinearTaggerParts = self.model.parts
        weights = np.array(parts.chain.weights)
        weights[self._kept] = matrices[NAMES]
        reader, vectors = parts.reader, self._vectors
        if vectors is not None and reader.vectors is not None:
            weights[len(self._names) :] = matrices[BESIDE]
            model = vectors.with_matrices(part_named(VECTORS, matrices)).model
            reader = replace(reader, vectors=replace(reader.vectors, model=model))
        changed = parts._replace(reader=reader, chain=Chain(weights, parts.chain.steps))
        return PageLinearTagger(LinearTagger.of_parts(changed), self.name)

    def parts(self, text: str) -> list[tuple[str, int, int]]:
        """Return the tokens of a text with their positions."""
        (tokens,) = self.model.tokens([text])
        return [(token.text, token.start, token.end) for token in tokens]

    def answers(self, texts: Sequence[str]) -> Answers:
        """Return tags and entities of each text, with the probability of the tag of each token."""
        tokens = self.model.tokens(list(texts))
        scores = self.model.sentence_scores(words_of(tokens))
        chances = scores.probabilities(self.model.temperature)
        found = zip(texts, tokens, scores.indices(), chances, strict=True)
        return {
            "tags": [
                {
                    "path": path,
                    "chances": own[np.arange(len(path)), path].tolist(),
                    "spans": self._spans(text, each, path),
                }
                for text, each, path, own in found
            ]
        }

    def _spans(
        self, text: str, tokens: Sequence[TextToken], path: Sequence[int]
    ) -> list[tuple[int, int, str, str]]:
        """Return start, end, label and text of the entities of a text."""
        if not self.model.finds_entities:
            return []
        found = [
            (tokens[first].start, tokens[last - 1].end, label)
            for label, first, last in self.model.tag_set.spans(path)
        ]
        return [(start, end, label, text[start:end]) for start, end, label in found]

    @property
    def frequent_words(self) -> Sequence[str]:
        """The words that it has learned from, in the order in which they were met."""
        found = [name.removeprefix(AS_WRITTEN) for name in self._names if _is_as_written(name)]
        return found or [AS_WRITTEN]

    @property
    def _names(self) -> Sequence[str]:
        names: Sequence[str] = self.model.parts.reader.names
        return names

    @cached_property
    def _kept(self) -> NDArray[np.int64]:
        """The features (F',) that weigh something for a tag, sorted by their names."""
        weighs = self.model.weights[: len(self._names)].any(axis=1)
        order = sorted(np.flatnonzero(weighs).tolist(), key=self._names.__getitem__)
        return np.array(order, np.int64)

    @cached_property
    def _named(self) -> FeatureNames:
        return FeatureNames.of([self._names[row] for row in self._kept.tolist()])

    @cached_property
    def _vectors(self) -> PageWordVectors | None:
        own = self.model.parts.reader.vectors
        return None if own is None else PageWordVectors(own.model, own.name)


def _known(score: float) -> float | None:
    return None if np.isnan(score) else score


def _is_as_written(name: str) -> bool:
    return name.startswith(AS_WRITTEN)


def _shape_class(character: str) -> int:
    """Return the number of a character's shape among `SHAPES`."""
    shape = character_shape(character)
    return SHAPES.index(shape) if shape in SHAPES else 0
