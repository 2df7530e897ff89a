"""A candidate: one way from text and rows to a model, which a comparison tries."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from foretext.base.errors import SettingError

__all__ = ["BASELINE", "GROUPS", "Candidate", "Sections"]

Sections = Mapping[str, Mapping[str, Any]]

BASELINE = "baseline"  # as a base: the task's baseline of seconds, where no learner has its name
HALF = 0.5
LONGEST = 80  # characters of a folder's name
GROUPS = ("classical", "vectors", "from scratch", "pretrained", "given")  # in the order of the page


@dataclass(frozen=True)
class Candidate:
    """One way from text and rows to a model.

    Attributes:
        name: of the row in the table; no other candidate has it.
        base: what the task is learned on, as `foretext finetune` has it: a name or a path; None:
            the run of its own pretraining; `BASELINE`: the task's baseline of seconds.
        recipe: of its own pretraining; None: nothing is pretrained.
        pretraining: settings of the pretraining by section, over those of the recipe.
        settings: of the fine-tuning, by section.
        group: one of `GROUPS`: color and order on the page.
        least_seconds: a fair look at it takes so long at least, on two cores.
        pretraining_rate: share of its time that goes to pretraining, at most.
        finetuning_seconds: that its fine-tuning wants; where its time is short, half of it at most
            goes to pretraining.

    Raises:
        SettingError: these do not go together.
    """

    name: str
    base: str | None
    recipe: str | None = None
    pretraining: Sections = field(default_factory=dict)
    settings: Sections = field(default_factory=dict)
    group: str = "given"
    least_seconds: float = 0.0
    pretraining_rate: float = 0.0
    finetuning_seconds: float = 0.0

    def __post_init__(self) -> None:
        if problem := self._problem():
            raise SettingError(f"The candidate '{self.name}' {problem}.")

    @property
    def folder(self) -> str:
        """The name of its folder: letters of any script, digits and hyphens."""
        return re.sub(r"[\W_]+", "-", self.name.lower()).strip("-")[-LONGEST:].strip("-")

    @property
    def pretrains(self) -> bool:
        """Whether it has a pretraining of its own."""
        return self.recipe is not None

    def pretraining_seconds(self, seconds: float) -> float:
        """Return how much of its time goes to pretraining.

        A network that had no time for the rows says nothing about its pretraining, however long
        that was.

        Args:
            seconds: that it has.
        """
        wanted = seconds - self.finetuning_seconds
        return min(self.pretraining_rate * seconds, max(wanted, HALF * seconds))

    def _problem(self) -> str | None:
        if not self.folder:
            return "has no letter or digit in its name; give it another one"
        if self.group not in GROUPS:
            return f"has group = {self.group!r}; the groups are: {', '.join(GROUPS)}"
        if self.pretrains != (self.base is None):
            return "needs either a recipe to pretrain by, or a base; name one of the two"
        if self.pretrains != (0 < self.pretraining_rate < 1):
            return (
                f"has pretraining_rate = {self.pretraining_rate}; give a share between 0 and 1 "
                "where it has a recipe, and 0 where it has none"
            )
        return None
