"""A plan: what is known of text and machine, the sizes that were compared, and the choice."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from foretext.base.files import atomic_file
from foretext.messages import message
from foretext.pretraining.plan.forecast import ORDERING
from foretext.pretraining.plan.size import Candidate
from foretext.progress.bar import human_bytes, human_count, human_seconds
from foretext.recipe import Recipe

__all__ = ["MANY_EPOCHS", "Plan"]

MANY_EPOCHS = 40  # see `foretext.pretraining.plan.forecast`


@dataclass(frozen=True)
class Plan:
    """How a recipe is to be trained on a text within a time."""

    recipe: str
    budget_seconds: float  # for everything
    chosen_budget: bool  # whether the user chose the budget
    planning_seconds: float  # gone already
    preparation_seconds: float  # for tokenizer and encoding, about
    training_seconds: float
    corpus_bytes: int
    corpus_tokens: int  # that are used
    vocab_size: int
    candidates: tuple[Candidate, ...]
    settings: Mapping[str, Mapping[str, Any]]  # by section: what the user left open
    text_rate: float = 1.0  # share of the text, from its beginning, that there is time to read

    @property
    def chosen(self) -> Candidate:
        """The size that is trained."""
        return next(each for each in self.candidates if each.chosen)

    @property
    def seconds_left(self) -> float:
        """From the end of the planning to the end of the training, about."""
        return self.preparation_seconds + self.training_seconds

    def applied(self, recipe: Recipe) -> Recipe:
        """Return the recipe with what was planned."""
        for section, settings in self.settings.items():
            recipe = recipe.with_settings(section, **settings)
        return recipe.with_budget(self.training_seconds)

    def as_dict(self) -> dict[str, Any]:
        """Return all of it for JSON, with what is expected under the names of metrics."""
        size = self.chosen
        expected = {
            "parameters": size.parameters,
            "tokens_per_second": round(size.tokens_per_second or 0),
            "tokens": size.tokens,
            "epochs": size.epochs,
            "seconds": self.training_seconds,
            "loss": size.expected_loss,
        }
        return {**asdict(self), **expected}

    def save(self, path: Path) -> None:
        """Write it as JSON.

        Raises:
            OutputError: the file cannot be written.
        """
        with atomic_file(path) as temporary:
            temporary.write_text(
                json.dumps(self.as_dict(), indent=2) + "\n", encoding="utf-8", newline="\n"
            )

    def sentences(self) -> Iterator[str]:
        """Yield it as sentences."""
        size = self.chosen
        key = "in_all" if self.chosen_budget else "in_all_by_text"
        yield message(f"terminal.plan.{key}", time=human_seconds(self.budget_seconds))
        yield (
            message(
                "terminal.plan.text",
                size=human_bytes(self.corpus_bytes),
                tokens=human_count(self.corpus_tokens),
                vocab_size=self.vocab_size,
            )
        )
        yield (
            message(
                "terminal.plan.size",
                name=size.name,
                parameters=human_count(size.parameters),
                time=human_seconds(self.training_seconds),
                tokens=human_count(size.tokens or 0),
                epochs=size.epochs,
            )
        )
        yield message("terminal.plan.settings", settings=", ".join(self._named()))
        yield from self._warnings()

    def _named(self) -> Iterator[str]:
        for section, settings in self.settings.items():
            for name, value in settings.items():
                shown = f"{value:.3g}" if isinstance(value, float) else value
                yield f"{section}.{name} = {shown}"

    def _warnings(self) -> Iterator[str]:
        if not self.chosen.layer_parameters:
            yield message("terminal.plan.no_layers")
        elif self.chosen.expected_loss is None:
            yield message("terminal.plan.no_law", recipe=self.recipe, law=ORDERING)
        if self.text_rate < 1:
            yield message("terminal.plan.part_of_text", rate=self.text_rate)
        if (self.chosen.epochs or 0) > MANY_EPOCHS:
            yield message("terminal.plan.many_epochs", epochs=MANY_EPOCHS)
