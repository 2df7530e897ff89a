"""What a process has to know to learn with the others: a model's settings, its words, its text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Self

import numpy as np
from pydantic import BaseModel

from foretext.base.errors import ForetextError
from foretext.base.parsing import parse_json
from foretext.base.registry import imported
from foretext.data.token_file import TokenFile, Tokens
from foretext.tokenizers.vocabulary import Vocabulary
from foretext.vectors.replicas.learner import ReplicaLearner

__all__ = ["ReplicaPlan"]


class ReplicaPlan(BaseModel):
    """Plain values, which can be sent to another process or machine."""

    component: str  # "module:Class" of the model
    settings: dict[str, Any]
    words: list[str]  # V
    counts: list[int]  # V
    text: str  # folder of the TokenFile

    @classmethod
    def of(cls, learner: ReplicaLearner) -> Self:
        """Describe a model as it stands, without its weights."""
        kind = type(learner)
        return cls(
            component=f"{kind.__module__}:{kind.__qualname__}",
            settings=learner.config.model_dump(),
            words=learner.vocabulary.words,
            counts=learner.vocabulary.counts.tolist(),
            text=str(learner.text_folder.absolute()),
        )

    @classmethod
    def read(cls, text: str) -> Self:
        """Read what `text` has written."""
        plan: Self = parse_json(text, "the plan of a process", ForetextError, cls)
        return plan

    def written(self) -> str:
        """Return it as JSON, in one line."""
        return json.dumps(self.model_dump())

    def built(self) -> ReplicaLearner:
        """Return a model of the same kind, with the weights that every training begins with.

        Raises:
            CorpusError: the text cannot be read.
        """
        component = imported(self.component)
        learner: ReplicaLearner = component(
            component.Config.checked(self.settings, "vectors"),
            Vocabulary(self.words, np.array(self.counts, np.int64)),
            Tokens(TokenFile.open(Path(self.text), len(self.words)), None),
        )
        return learner
