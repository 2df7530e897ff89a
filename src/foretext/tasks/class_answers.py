"""Probabilities of labels as answers: the best labels, how good they are, and the worst errors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from foretext.base.errors import CorpusError
from foretext.data.rows import LabelledRow
from foretext.data.rows.label import Label, LabelValue, label_array, ordered_labels
from foretext.data.rows.label_formats import LabelTask
from foretext.messages import message, translated
from foretext.metrics import (
    UncertaintyMeasure,
    entropies,
    expected_calibration_error,
    fit_temperature,
    margins,
    set_margins,
)
from foretext.metrics.classification import multi_label_scores
from foretext.metrics.paired import Tallies, share_tallies
from foretext.tasks.answers import Answers, ShownRow, excerpt, one_answer, shown_rows
from foretext.tasks.confusion import confusion, reliability
from foretext.tasks.explanation import Values, log_odds
from foretext.tasks.label_figures import label_figures

__all__ = [
    "ClassAnswers",
    "Labelled",
    "LabelledRow",
    "check_labels",
    "check_single",
    "count_labels",
    "label_doubts",
    "label_records",
    "label_temperature",
    "shown_labels",
]

Probabilities = NDArray[np.float64]
Labelled = tuple[LabelValue, float]  # a label and its probability

MOST_ERRORS = 50  # that a page shows

_TINY = 1e-12  # a probability
_LEAST = np.finfo(np.float64).tiny


class _Decision(NamedTuple):
    """The answer to a row, and its probability."""

    right: tuple[str, ...]
    given: tuple[str, ...]
    probability: float | None  # of the answer; of several labels, the surest wrong; None: unknown


@dataclass(frozen=True)
class ClassAnswers(Answers):
    """How probable each label is for each of N texts or pairs.

    Attributes:
        labels: C; of a model each is a `Label`, which has its value.
        probabilities: (N, C).
        is_multi_label: whether a row may have any number of labels.
        of_pairs: whether rows are pairs of texts.
        counts_any: whether an answer is right that is one of several labels of a row, as fastText's
            program counts.
        network: of an ensemble: the answers of its network alone.
        judged_by: the figure by which they are compared.
    """

    labels: tuple[str, ...]
    probabilities: Probabilities
    is_multi_label: bool = False
    of_pairs: bool = False
    counts_any: bool = False
    network: ClassAnswers | None = None
    judged_by: str = "accuracy"

    def best(self) -> list[str] | list[tuple[str, ...]]:
        """Return the most probable label of each, or, of several, those above one half."""
        if self.is_multi_label:
            return self.above_half()
        return self.most_probable()

    def best_values(self) -> NDArray[Any]:
        """Return the same as the values that the labels came as, (N,); of several, tuples."""
        if not self.is_multi_label:
            return label_array(self.labels)[self.probabilities.argmax(1)]
        found = np.empty(len(self.probabilities), object)
        found[:] = [tuple(map(_value, labels)) for labels in self.above_half()]
        return found

    def log_probabilities(self) -> Probabilities:
        """Return (N, C) logarithms."""
        found: Probabilities = np.log(np.maximum(self.probabilities, _LEAST))
        return found

    def decisions(self) -> Probabilities:
        """Return (N, C), of which the largest is the best label; (N,) of two, above 0 the second.

        They are logarithms of probabilities; of two labels, and of texts with any number of them,
        log odds.
        """
        logarithms = self.log_probabilities()
        if self.is_multi_label:
            others: Probabilities = np.log(np.maximum(1 - self.probabilities, _LEAST))
            return logarithms - others
        return logarithms[:, 1] - logarithms[:, 0] if len(self.labels) == 2 else logarithms

    def most_probable(self) -> list[str]:
        """Return the most probable label of each."""
        return [self.labels[place] for place in self.probabilities.argmax(1)]

    def above_half(self) -> list[tuple[str, ...]]:
        """Return the labels of each that are more probable than not."""
        return [
            tuple(self.labels[place] for place in np.flatnonzero(row > 0.5))
            for row in self.probabilities
        ]

    def uncertainties(self, measure: UncertaintyMeasure = "margin") -> Probabilities:
        """Return how unsure each answer is, (N,), from 0 to 1.

        Args:
            measure: the lead of the best label over the second, or the entropy of all; of texts
                with any number of labels the lead, or the entropy, of the least sure one.
        """
        if not self.is_multi_label:
            return (margins if measure == "margin" else entropies)(self.probabilities)
        if measure == "margin":
            return set_margins(self.probabilities)
        each = np.stack([self.probabilities, 1 - self.probabilities], axis=-1)  # (N, C, 2)
        N, C = self.probabilities.shape
        found: Probabilities = entropies(each.reshape(N * C, 2)).reshape(N, C).max(1, initial=0.0)
        return found

    def tasks(
        self, texts: Sequence[Mapping[str, str]], measure: UncertaintyMeasure = "margin"
    ) -> list[LabelTask]:
        """Return texts as tasks for people who label, with the answers and what is doubtful.

        Args:
            texts: N, each under the names of its fields.
            measure: of the `uncertainties`.
        """
        values = tuple(_value(label) for label in self.labels)
        unsure = self.uncertainties(measure).tolist()
        found = zip(texts, unsure, self.probabilities, self.label_sets(), strict=True)
        return [
            LabelTask(
                own,
                uncertainty,
                why=self._doubt(row),
                labels=tuple(Label.read(label).value for label in labels),
                probability=None if self.is_multi_label else float(row.max()),
                choices=values,
            )
            for own, uncertainty, row, labels in found
        ]

    def _doubt(self, row: Probabilities) -> str:
        """Return between which labels an answer is undecided."""
        if self.is_multi_label:
            place = int(np.abs(row - 0.5).argmin())
            return message(
                "terminal.doubt.unsure", label=self.labels[place], probability=row[place]
            )
        shown = [f"{self.labels[place]} ({row[place]:.2f})" for place in np.argsort(-row)[:2]]
        return message("terminal.doubt.between", first=shown[0], second=shown[-1])

    def logits(self) -> Probabilities:
        """Return what the probabilities are the softmax of, or of several labels the sigmoid."""
        inside = np.clip(self.probabilities, _TINY, 1 - _TINY)
        odds = np.log1p(-inside) if self.is_multi_label else 0.0
        found: Probabilities = np.log(inside) - odds
        return found

    def values(self) -> Values:
        """Return, for each label, what words can add to."""
        values = log_odds(self.probabilities, are_sets=self.is_multi_label)
        return Values(self.labels, values, self.probabilities)

    def top(self, k: int | None, threshold: float) -> list[list[Labelled]]:
        """Return up to `k` labels of each with their probabilities, the best first."""
        best = np.argsort(-self.probabilities, kind="stable")  # (N, C)
        values = [_value(label) for label in self.labels]
        return [
            [(values[place], float(row[place])) for place in places if row[place] >= threshold]
            for row, places in zip(self.probabilities, best[:, :k], strict=True)
        ]

    def figures(self, rows: Sequence[LabelledRow]) -> dict[str, Any]:
        """Return accuracy, F1 of several kinds, calibration error, and a table of labels.

        Of pairs with two labels, F1 is that of the last one in sorted order, such as "1" or "yes".

        Raises:
            CorpusError: a row has not one label, where answers have one.
            EvaluationError: no row has a label.
        """
        right = [row.labels for row in rows]
        if self._counts_any_of(rows):
            return label_figures(right, [[label] for label in self.most_probable()], 1)
        if not self.is_multi_label:
            check_single(rows)
        scores = multi_label_scores(right, self.label_sets())
        found = {"pairs" if self.of_pairs else "texts": len(rows), **scores.figures()}
        if not self.is_multi_label:
            found["calibration_error"] = expected_calibration_error(
                self.probabilities.max(1), self._are_right(rows)
            )
        table = _table(scores.per_label)
        if self.of_pairs and len(self.labels) == 2:
            found["f1"] = table.get(self.labels[1], {"f1": 0.0})["f1"]
        return {**found, "labels": table}

    def tallies(self, rows: Sequence[LabelledRow]) -> dict[str, Tallies]:
        """Return what each row adds to the accuracy."""
        return {"accuracy": share_tallies(self._are_right(rows))}

    def findings(
        self, rows: Sequence[LabelledRow], beside: Mapping[str, Answers] | None = None
    ) -> dict[str, Any]:
        """Return errors and reliability; of one label a row, also which labels are confused.

        Of an ensemble they hold the figures of its network, too.
        """
        if self._counts_any_of(rows):
            return {}
        decisions = self._decisions(rows)
        found = _errors(rows, decisions, ("text_a", "text_b") if self.of_pairs else ("text",))
        if self.is_multi_label:
            found |= reliability(*self._of_every_label(rows))
        else:
            found |= reliability(self.probabilities.max(1), _are_right(decisions))
            found |= confusion(
                [each.right[0] for each in decisions],
                [each.given[0] for each in decisions],
                self.labels,
            )
        if self.network is not None:
            found["network"] = self.network.figures(rows)
        return found

    def shown(self, rows: Sequence[LabelledRow]) -> list[ShownRow]:
        """Return rows with right and given labels, as a person reads them."""
        right = [", ".join(sorted(row.labels)) for row in rows]
        given = [", ".join(sorted(labels)) for labels in self.label_sets()]
        return shown_rows([row.text for row in rows], right, given)

    def degenerate(self, rows: Sequence[LabelledRow]) -> str | None:
        """Return a sentence where all rows get the same labels."""
        given = self.label_sets()
        shown = ", ".join(f"'{label}'" for label in given[0]) if given else ""
        right = [tuple(sorted(row.labels)) for row in rows]
        noun = "pairs" if self.of_pairs else "texts"
        return one_answer(right, given, noun, shown or translated("no label"))

    def label_sets(self) -> list[tuple[str, ...]]:
        """Return all labels of each answer."""
        if self.is_multi_label:
            return self.above_half()
        return [(label,) for label in self.most_probable()]

    def _are_right(self, rows: Sequence[LabelledRow]) -> list[bool]:
        given = self.label_sets()
        return [set(own) == set(row.labels) for own, row in zip(given, rows, strict=True)]

    def _counts_any_of(self, rows: Sequence[LabelledRow]) -> bool:
        """Whether rows have several labels, any of which is right."""
        return (
            self.counts_any
            and not self.is_multi_label
            and any(len(row.labels) != 1 for row in rows)
        )

    def _decisions(self, rows: Sequence[LabelledRow]) -> list[_Decision]:
        """Return right and given labels of each row, with the probability of the answer."""
        if not self.is_multi_label:
            given, highest = self.most_probable(), self.probabilities.max(1).tolist()
            return [
                _Decision(row.labels, (label,), probability)
                for row, label, probability in zip(rows, given, highest, strict=True)
            ]
        wrong = np.abs(self.probabilities - _gold(rows, self.labels))  # (N, C)
        worst = wrong.max(1).tolist()
        return [
            _Decision(tuple(sorted(row.labels)), given, probability if probability >= 0.5 else None)
            for row, given, probability in zip(rows, self.above_half(), worst, strict=True)
        ]

    def _of_every_label(self, rows: Sequence[LabelledRow]) -> tuple[ArrayLike, ArrayLike]:
        """Return confidence and whether it is right, (N * C,), for each label of each text."""
        says_yes = self.probabilities > 0.5
        sure = np.where(says_yes, self.probabilities, 1 - self.probabilities)
        return sure.ravel(), (says_yes == _gold(rows, self.labels)).ravel()


def label_records(rows: Sequence[Sequence[Labelled]]) -> list[dict[str, Any]]:
    """Return the labels of each text as JSON has them."""
    return [
        {"labels": [{"label": label, "probability": round(share, 6)} for label, share in row]}
        for row in rows
    ]


def shown_labels(record: Mapping[str, Any]) -> str:
    """Return the labels of a record as text for people."""
    return "  ".join(f"{each['label']} {each['probability']:.4f}" for each in record["labels"])


def count_labels(rows: Sequence[LabelledRow]) -> dict[str, int]:
    """Return how often each label is right, sorted by its value.

    Raises:
        CorpusError: there are fewer than two labels.
    """
    counts = Counter(label for row in rows for label in row.labels)
    if len(counts) < 2:
        raise CorpusError(message("errors.rows.few_labels", number=len(counts)))
    return {label: counts[label] for label in ordered_labels(counts)}


def check_labels(rows: Sequence[LabelledRow], labels: Sequence[str]) -> None:
    """Check that a model has all labels of the rows.

    Raises:
        CorpusError: it lacks one.
    """
    known = set(labels)
    for row in rows:
        if unknown := set(row.labels) - known:
            known_by = {"place": row.place, "label": min(unknown)}
            raise CorpusError(message("errors.rows.unknown_label", **known_by))


def label_doubts(rows: Sequence[LabelledRow], labels: Sequence[str]) -> list[str]:
    """Return a sentence where rows have labels that a model does not know."""
    known = set(labels)
    unknown = [row for row in rows if not known.issuperset(row.labels)]
    if not unknown:
        return []
    strange = sorted({label for row in unknown for label in row.labels} - known)
    shown = ", ".join(f"'{label[:40]}'" for label in strange[:3])
    named = {"shown": shown + (", ..." if strange[3:] else ""), "label": labels[0][:40]}
    numbers = {"number": len(unknown), "of": len(rows), "others": len(labels) - 1}
    return [message("terminal.doubt.labels", **named, **numbers)]


def check_single(rows: Sequence[LabelledRow]) -> None:
    """Check that each row has one label.

    Raises:
        CorpusError: one has none, or several.
    """
    for row in rows:
        if len(row.labels) != 1:
            raise CorpusError(
                f"{row.place}: {len(row.labels)} labels, and the rows learned from have one."
            )


def label_temperature(
    labels: Sequence[str], logits: NDArray[np.float64], rows: Sequence[LabelledRow]
) -> float:
    """Return the temperature by which logits (N, C) fit held-out rows.

    Guo et al. 2017, 4.2; the answers stay the same.

    Raises:
        CorpusError: a row has not one label, or none has a label that is known.
    """
    check_single(rows)
    places = {label: place for place, label in enumerate(labels)}
    gold = np.array([places.get(row.labels[0], -1) for row in rows])
    if not (gold >= 0).any():
        raise CorpusError(
            "No row to calibrate by has a label that was learned; give rows with such labels."
        )
    return fit_temperature(logits[gold >= 0], gold[gold >= 0])


def _value(label: str) -> LabelValue:
    return Label.read(label).value


def _table(per_label: Sequence[Any]) -> dict[str, dict[str, float]]:
    return {
        row.label: {name: value for name, value in row._asdict().items() if name != "label"}
        for row in per_label
    }


def _gold(rows: Sequence[Any], labels: Sequence[str]) -> Any:
    """Return which labels are right, (N, C)."""
    return np.array([[label in row.labels for label in labels] for row in rows])


def _are_right(decisions: Sequence[_Decision]) -> list[bool]:
    return [each.right == each.given for each in decisions]


def _errors(
    rows: Sequence[Any], decisions: Sequence[_Decision], fields: Sequence[str]
) -> dict[str, Any]:
    """Return the errors with the highest probabilities."""
    wrong = [place for place, right in enumerate(_are_right(decisions)) if not right]
    wrong.sort(key=lambda place: -(decisions[place].probability or 0.0))
    return {
        "num_errors": len(wrong),
        "errors": [_error(rows[place], decisions[place], fields) for place in wrong[:MOST_ERRORS]],
    }


def _error(row: Any, decision: _Decision, fields: Sequence[str]) -> dict[str, Any]:
    return {
        **{name: excerpt(getattr(row, name)) for name in fields},
        "right": ", ".join(decision.right),
        "given": ", ".join(decision.given),
        "probability": decision.probability,
        "place": row.place,
    }
