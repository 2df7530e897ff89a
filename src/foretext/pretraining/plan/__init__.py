"""What to learn from a text in a given time: vocabulary, size, rows and rates."""

from foretext.pretraining.plan.plan import Plan

__all__ = ["Plan"]
