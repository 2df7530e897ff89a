"""Texts to labels: the linear classifier and networks."""
