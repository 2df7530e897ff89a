"""Texts to vectors, near those of texts that mean the same."""
