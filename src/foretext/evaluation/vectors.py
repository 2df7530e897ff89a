"""Word vectors against files of people's judgements: word pairs, and analogy questions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from foretext.errors import EvaluationError
from foretext.parsing import read_bytes
from foretext.vectors.analogy_scores import AnalogyResult
from foretext.vectors.word_pairs import WordPairResult
from foretext.vectors.word_vectors import WordVectors

__all__ = ["VectorEvaluation", "evaluate_vectors"]


class VectorEvaluation:
    """The scores on one file, to print or to keep."""

    def __init__(self, path: Path, result: WordPairResult | AnalogyResult) -> None:
        self.path = path
        self.result = result

    def as_dict(self) -> dict[str, Any]:
        """Return everything, as JSON takes it."""
        result = self.result
        if isinstance(result, WordPairResult):
            return {
                "kind": "word pairs",
                "spearman": _number(result.spearman),
                "pearson": _number(result.pearson),
                "pairs": result.num_pairs,
                "composed_of_ngrams": result.num_composed,
                "out_of_vocabulary": result.num_skipped,
                "unknown_words": list(result.unknown_words),
                "composed_words": list(result.composed_words),
            }
        return {
            "kind": "analogies",
            "accuracy": _number(result.accuracy),
            "semantic": _number(result.semantic.accuracy),
            "syntactic": _number(result.syntactic.accuracy),
            "questions": result.total.num_asked,
            "out_of_vocabulary": result.total.num_skipped,
            "sections": {score.name: _number(score.accuracy) for score in result.sections},
        }

    def rows(self) -> list[tuple[str, str]]:
        """Return the figures worth a glance, as pairs of name and value."""
        figures = self.as_dict()
        shown = [(name, value) for name, value in figures.items() if isinstance(value, float | int)]
        shown += list(figures.get("sections", {}).items())
        return [(name.replace("_", " "), _shown(value)) for name, value in shown]


def evaluate_vectors(
    vectors: WordVectors, paths: Sequence[str | Path], *, restrict_vocab: int = 300_000
) -> list[VectorEvaluation]:
    """Score vectors on each file; a file of analogies is one with a line that begins with ``:``.

    Raises:
        EvaluationError: a file cannot be read, a line in it is wrong, or none of it is known.
    """
    evaluations = []
    for path in map(Path, paths):
        if _holds_analogies(path):
            result: Any = vectors.evaluate_word_analogies(path, restrict_vocab=restrict_vocab)
        else:
            result = vectors.evaluate_word_pairs(path)
        evaluations.append(VectorEvaluation(path, result))
    return evaluations


def _holds_analogies(path: Path) -> bool:
    content = read_bytes(path, EvaluationError)
    return content.startswith(b":") or b"\n:" in content


def _number(value: float) -> float | None:
    return round(float(value), 6) if math.isfinite(value) else None


def _shown(value: float | int | None) -> str:
    if value is None:
        return "-"
    return f"{value:.4f}" if isinstance(value, float) else f"{value:,}"
