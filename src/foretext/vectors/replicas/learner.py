"""What a model must be able to do so that several processes can learn it."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

import numpy as np

from foretext.tokenizers.vocabulary import Vocabulary
from foretext.vectors.replicas.settings import ReplicasConfig
from foretext.vectors.replicas.tiers import Rows
from foretext.vectors.schedule import SliceLearner

__all__ = ["ReplicaLearner"]


class ReplicaLearner(SliceLearner, Protocol):
    """A `SliceLearner` of which other processes can have copies: same settings, words and text."""

    @property
    def config(self) -> ReplicasConfig:
        """The settings."""

    @property
    def vocabulary(self) -> Vocabulary:
        """The words."""

    @property
    def text_folder(self) -> Path:
        """Where the `TokenFile` is that is learned."""

    def rows(self) -> dict[str, Rows]:
        """Return the rows of each of `arrays` that all copies have."""

    def learn_in(self, arrays: dict[str, np.ndarray]) -> None:
        """Learn in these arrays from now on; they are as large as `arrays`, and hold weights."""
