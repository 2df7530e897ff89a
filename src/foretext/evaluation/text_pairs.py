"""Pairs of texts against the cosines of their embeddings, without any learning.

For scores, correlations as in STS-B; for two labels how well cosines rank the pairs, and what the
best threshold gives. That threshold is chosen on the same rows, as in the evaluators of
sentence-transformers, so that accuracy and F1 are upper bounds; average precision and the area
under the curve need none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from foretext.artifact import load_embedder
from foretext.base.errors import EvaluationError
from foretext.data.rows import LabelledPair, PairsConfig, found_pairs_config, read_pairs
from foretext.evaluation.figures import Evaluation, Measure
from foretext.kinds import PAIRS
from foretext.messages import message
from foretext.metrics import pearson, spearman
from foretext.metrics.ranking import (
    area_under_curve,
    average_precision,
    best_accuracy,
    best_f1,
)
from foretext.vectors.empty_texts import empty_doubt

__all__ = ["Embedder", "evaluate_text_pairs", "measure_of_pairs", "rows_of_pairs"]


class Embedder(Protocol):
    """What turns texts into vectors: a language model, a sentence encoder, word vectors."""

    def embed(self, texts: Sequence[str], /) -> NDArray[np.float32]:
        """Return one vector a text, (N, D)."""
        ...


def evaluate_text_pairs(model: Embedder, path: str | Path, config: PairsConfig) -> Evaluation:
    """Compare the cosines of pairs with their scores or labels.

    Args:
        model: that embeds the texts.
        path: of a file of pairs.
        config: which columns hold what; `foretext.data.rows.found_pairs_config` finds them.

    Raises:
        CorpusError: the file cannot be read, or a row is wrong.
        EvaluationError: there are fewer than two pairs, or other than two labels.
    """
    rows = read_pairs(path, config)
    if len(rows) < 2:
        raise EvaluationError(message("files.rows.one_pair", path=path))
    cosines, num_empty = _cosines(model, rows)
    figures: dict[str, Any] = {"kind": "text pairs", **_judged(path, rows, cosines)}
    if num_empty == len(rows):
        raise EvaluationError(
            f"{path}: all {num_empty:,} pairs have a text without a word that the model knows, so "
            "that there is nothing to compare; give pairs in the language and writing of the model."
        )
    figures |= {"pairs": len(rows), "without_vector": num_empty}
    if doubt := empty_doubt(num_empty, len(rows), "pairs"):
        figures["warning"] = message("terminal.doubt.cosine", doubt=doubt)
    return Evaluation(Path(path), figures | {"columns": [str(name) for name in config.columns]})


def measure_of_pairs(run: Path, options: Mapping[str, Any]) -> Measure:
    """Return what measures an embedder on pairs; see `foretext.kinds.Kind.evaluate`."""
    model, rows = load_embedder(run), rows_of_pairs(options)
    return lambda path: evaluate_text_pairs(model, path, rows or found_pairs_config(path)).as_dict()


def rows_of_pairs(options: Mapping[str, Any]) -> PairsConfig | None:
    """Return which columns of pairs hold what, None where no option names one."""
    columns = {name: options[name] for name in PAIRS if name in options}
    if not columns:
        return None
    chosen: dict[str, Any] = {
        name: int(value) if value.isdecimal() else value for name, value in columns.items()
    }
    return PairsConfig.checked(chosen, "rows")


def _cosines(model: Embedder, rows: Sequence[LabelledPair]) -> tuple[NDArray[np.float64], int]:
    """Return the cosine of each pair, and how many pairs have a text without a vector: 0 there."""
    texts = list(dict.fromkeys(text for row in rows for text in (row.text_a, row.text_b)))
    vectors = model.embed(texts).astype(np.float64)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit = vectors / np.where(lengths, lengths, 1.0)
    places = {text: place for place, text in enumerate(texts)}
    firsts = unit[[places[row.text_a] for row in rows]]
    seconds = unit[[places[row.text_b] for row in rows]]
    is_empty = ~(firsts.any(axis=1) & seconds.any(axis=1))
    cosines: NDArray[np.float64] = np.einsum("nd,nd->n", firsts, seconds)
    return cosines, int(is_empty.sum())


def _judged(
    path: str | Path, rows: Sequence[LabelledPair], cosines: NDArray[np.float64]
) -> dict[str, Any]:
    if rows[0].score is not None:
        gold = [row.score or 0.0 for row in rows]
        return {
            "spearman": _number(spearman(gold, cosines)),
            "pearson": _number(pearson(gold, cosines)),
        }
    labels = sorted({label for row in rows for label in row.labels})
    if len(labels) != 2:
        raise EvaluationError(
            f"{path} has {len(labels)} labels, and a cosine can tell two apart; give pairs with "
            "two labels or with scores (--score), or learn the labels with `foretext finetune`."
        )
    is_positive = np.array([row.label == labels[1] for row in rows])
    accuracy, f1 = best_accuracy(is_positive, cosines), best_f1(is_positive, cosines)
    return {
        "positive_label": labels[1],
        "average_precision": average_precision(is_positive, cosines),
        "area_under_curve": area_under_curve(is_positive, cosines),
        "best_accuracy": accuracy.value,
        "best_accuracy_threshold": accuracy.threshold,
        "best_f1": f1.value,
        "best_f1_threshold": f1.threshold,
        "best_f1_precision": f1.precision,
        "best_f1_recall": f1.recall,
        "thresholds": "chosen on these rows",
        "majority": max(is_positive.mean(), 1 - is_positive.mean()),
    }


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
