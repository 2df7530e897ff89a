"""Word vectors against files of human judgements: word pairs, and analogy questions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from foretext.errors import EvaluationError
from foretext.parsing import read_bytes
from foretext.vectors.analogy_scores import AnalogyResult
from foretext.vectors.word_pairs import WordPairResult
from foretext.vectors.word_vectors import WordVectors

__all__ = ["VectorEvaluation", "evaluate_vectors"]


@dataclass(frozen=True)
class VectorEvaluation:
    """The figures of one file, to print or to keep."""

    path: Path
    figures: dict[str, Any]

    def as_dict(self) -> dict[str, Any]:
        """Return everything, as JSON takes it."""
        return dict(self.figures)

    def rows(self) -> list[tuple[str, str]]:
        """Return the most important figures as pairs of name and value."""
        numbers = [item for item in self.figures.items() if isinstance(item[1], float | int)]
        shown = numbers + list(self.figures.get("sections", {}).items())
        return [(name.replace("_", " "), _shown(value)) for name, value in shown]


def evaluate_vectors(
    vectors: WordVectors, paths: Sequence[str | Path], *, restrict_vocab: int = 300_000
) -> list[VectorEvaluation]:
    """Score vectors on each file; a file with a line that begins with ``:`` holds analogies.

    Raises:
        EvaluationError: a file cannot be read, a line in it is wrong, or none of it is known.
    """
    evaluations = []
    for path in map(Path, paths):
        if _holds_analogies(path):
            found = vectors.evaluate_word_analogies(path, restrict_vocab=restrict_vocab)
            figures = _of_analogies(found)
        else:
            figures = _of_pairs(vectors.evaluate_word_pairs(path))
        evaluations.append(VectorEvaluation(path, figures))
    return evaluations


def _of_pairs(result: WordPairResult) -> dict[str, Any]:
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


def _of_analogies(result: AnalogyResult) -> dict[str, Any]:
    return {
        "kind": "analogies",
        "accuracy": _number(result.accuracy),
        "semantic": _number(result.semantic.accuracy),
        "syntactic": _number(result.syntactic.accuracy),
        "questions": result.total.num_asked,
        "out_of_vocabulary": result.total.num_skipped,
        "sections": {score.name: _number(score.accuracy) for score in result.sections},
    }


def _holds_analogies(path: Path) -> bool:
    content = read_bytes(path, EvaluationError)
    return content.startswith(b":") or b"\n:" in content


def _number(value: float) -> float | None:
    return round(float(value), 6) if math.isfinite(value) else None


def _shown(value: float | int | None) -> str:
    if value is None:
        return "-"
    return f"{value:.4f}" if isinstance(value, float) else f"{value:,}"
