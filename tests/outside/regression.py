"""Regression: a text to a number, as a task that is not part of foretext.

This file stands for one of a user. It imports public classes only, and every verb works with it:
``foretext finetune regression:Regression BASE TRAIN -o RUN``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from torch import Tensor

from foretext.extend import (
    Answers,
    Baseline,
    Config,
    CorpusError,
    Input,
    Inputs,
    LabelledConfig,
    PaddedExamples,
    RealNumber,
    Record,
    States,
    Tallies,
    Task,
    TaskBase,
    TaskModel,
    TextHead,
    TextPooler,
    Top,
    Windows,
    initialised_linear,
    lazily,
    pearson,
    rank_tallies,
    read_records,
    spearman,
)

Numbers = NDArray[np.float64]


class NumbersConfig(LabelledConfig):
    """Settings of the section [rows]: which columns are read."""

    headerless: ClassVar = {"number": 1, "text": 2}  # columns of a file without a header

    text: str | int = "text"
    number: str | int = "number"


class NumberedText(NamedTuple):
    """One row."""

    text: str
    number: float
    place: str  # file:line


@dataclass(frozen=True)
class NumberAnswers(Answers):
    """A number for each row, of the network or of a baseline."""

    numbers: Numbers  # (N,)

    judged_by = "spearman"

    def figures(self, rows: Sequence[NumberedText]) -> dict[str, Any]:
        """Return the correlations with the right numbers; with a constant there is none."""
        gold = [row.number for row in rows]
        return {
            "rows": len(rows),
            "spearman": float(np.nan_to_num(spearman(gold, self.numbers))),
            "pearson": float(np.nan_to_num(pearson(gold, self.numbers))),
        }

    def tallies(self, rows: Sequence[NumberedText]) -> dict[str, Tallies]:
        """Return what each row adds to the figure that counts, for a test of differences."""
        return {"spearman": rank_tallies([row.number for row in rows], self.numbers)}

    def findings(
        self, rows: Sequence[NumberedText], beside: Mapping[str, Answers] | None = None
    ) -> dict[str, Any]:
        """Return a chart of right and given numbers, and a table of the largest errors."""
        gold = np.array([row.number for row in rows])
        worst = np.argsort(-np.abs(self.numbers - gold), kind="stable")[:20].tolist()
        table = [
            {"text": rows[i].text, "right": gold[i].item(), "given": self.numbers[i].item()}
            for i in worst
        ]
        return {
            "points": np.stack([gold, self.numbers], 1).tolist(),  # (N, 2)
            "tables": [{"title": "The largest errors", "rows": table}],
        }


class RegressionHead(TextHead):
    """A linear map from a pooled text to a number, by squared error."""

    class Config(Config):
        """Settings of the section [task]."""

        max_length: int = Field(512, ge=8)  # positions of a row
        dropout: float = Field(0.1, ge=0, lt=1)

    name = "regression"

    def __init__(self, config: Config, base: TaskBase, *, lowest: float, highest: float) -> None:
        super().__init__(config, base, lowest=lowest, highest=highest)  # a folder keeps these
        self.answers = RealNumber(lowest, highest)
        self.head = TextPooler(base, None, config.dropout)
        self.linear = initialised_linear(base, base.backbone.dim, 1)

    def outputs(self, states: States, inputs: Inputs) -> Tensor:
        """Return a number for each row, (B, 1); 0 and 1 are the lowest and highest of training."""
        number: Tensor = self.linear(self.head(states.last, inputs.token_mask)).float()
        return number


class Regression(Task):
    """Texts to numbers."""

    head = RegressionHead
    model = lazily(f"{__name__}:Regressor")
    rows_config = NumbersConfig
    title = "Regression"
    judged_by = "spearman"
    watched = ("pearson",)

    def read(self, path: str | Path, config: NumbersConfig | None = None) -> list[NumberedText]:
        """Read a file with a text and a number in each row."""
        config = config or NumbersConfig()
        return [
            NumberedText(record.text(config.text), record.number(config.number), record.place)
            for record in read_records(path, config)
        ]

    def find(self, rows: Sequence[NumberedText]) -> dict[str, Any]:
        """Return the range of the numbers."""
        numbers = [row.number for row in rows]
        if min(numbers) == max(numbers):
            raise CorpusError("All rows have the same number; give rows with different ones.")
        return {"lowest": min(numbers), "highest": max(numbers)}

    def baseline(self, rows: Sequence[NumberedText]) -> Baseline:
        """Learn a ridge regression on TF-IDF."""
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.linear_model import Ridge
        from sklearn.pipeline import make_pipeline

        learned = make_pipeline(TfidfVectorizer(), Ridge())
        learned.fit([row.text for row in rows], [row.number for row in rows])
        return Baseline(
            "TF-IDF and ridge regression",
            lambda others: NumberAnswers(learned.predict([row.text for row in others])),
        )

    def majority(self, rows: Sequence[NumberedText]) -> Baseline:
        """Give every text the mean of the numbers."""
        mean = np.mean([row.number for row in rows])
        return Baseline("the mean number", lambda others: NumberAnswers(np.full(len(others), mean)))


class Regressor(TaskModel):
    """Texts to numbers, by a network."""

    task: ClassVar = Regression()
    head: RegressionHead

    def examples(self, rows: Sequence[NumberedText]) -> PaddedExamples:
        """Return texts with their numbers, to learn from."""
        targets = self.head.answers.targets([row.number for row in rows])
        return self._examples([row.text for row in rows], {self.head.answers.target: targets})

    def predict(self, texts: Sequence[str]) -> Numbers:
        """Return the number of each text, (N,)."""
        outputs = np.array(self.outputs(self._examples(texts, {})), np.float64)  # (N, 1)
        return self.head.answers.values(outputs.reshape(len(texts), 1), self.temperature)

    def answer_rows(self, rows: Sequence[NumberedText]) -> NumberAnswers:
        """Return the number of each row."""
        return NumberAnswers(self.predict([row.text for row in rows]))

    def records(self, inputs: Sequence[Input], top: Top) -> list[Record]:
        """Return the numbers as ``foretext predict --json`` prints them."""
        return [{"number": float(each)} for each in self.predict([text for (text,) in inputs])]

    def _examples(self, texts: Sequence[str], targets: dict[str, NDArray[Any]]) -> PaddedExamples:
        windows = Windows.of(self.base, texts, self.head.config.max_length, "head")
        pad, visibility = self.base.pad, self.base.visibility
        return PaddedExamples(windows.rows, targets, pad=pad, visibility=visibility)
