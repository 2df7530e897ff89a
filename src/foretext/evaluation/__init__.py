"""How good is what was learned: files of questions in, figures out."""

from foretext.evaluation.vectors import evaluate_vectors

__all__ = ["evaluate_vectors"]
