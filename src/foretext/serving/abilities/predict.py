"""What a model that has learned a task answers."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import ClassVar, NamedTuple

from foretext.base.errors import SettingError
from foretext.data.rows.inputs import Input
from foretext.serving.ability import Ability
from foretext.tasks.predictor import Predictor, Record

__all__ = ["Predict", "PredictOptions"]


class PredictOptions(NamedTuple):
    """Which answers to an input a request wants."""

    k: int | None = None  # at most so many; None: as `foretext predict`
    threshold: float | None = None  # least probability of each
    all_labels: bool = False  # every label with its probability, not rounded; k is not asked
    raw: bool = False  # logits in place of these probabilities


class Predict(Ability):
    """The texts of the model's `fields` become a record, as of ``foretext predict --json``."""

    name: ClassVar[str] = "predict"
    model: Predictor

    def sample(self) -> tuple[Input, PredictOptions]:
        """Return an input of letters."""
        return ("a",) * len(self.model.fields), PredictOptions()

    def run(self, items: Sequence[Input], options: Hashable) -> list[Record]:
        """Return the record of each input; see `Ability.run`."""
        assert isinstance(options, PredictOptions)
        self._check(items)
        if options.all_labels and (answers := self.model.class_answers(items)) is not None:
            scores = answers.logits() if options.raw else answers.probabilities
            key = "logit" if options.raw else "probability"
            return [
                {
                    "labels": [
                        {"label": answers.labels[place], key: float(row[place])}
                        for place in (-row).argsort(kind="stable")
                    ]
                }
                for row in scores
            ]
        return self.model.records(items, self.model.options(options.k, options.threshold))

    def _check(self, items: Sequence[Input]) -> None:
        """Refuse inputs of another number of texts.

        Raises:
            SettingError: there is such an input.
        """
        fields = self.model.fields
        for item in items:
            if len(item) != len(fields):
                texts = "one text" if len(item) == 1 else f"{len(item)} texts"
                raise SettingError(
                    f"An input has {texts}, and this model reads {len(fields)}: "
                    f"{', '.join(fields)}."
                )
