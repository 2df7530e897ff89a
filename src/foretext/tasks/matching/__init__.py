"""Pairs of texts to a label or a score."""
