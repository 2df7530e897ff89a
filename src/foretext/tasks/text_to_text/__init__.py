"""Texts to texts, such as translations."""
