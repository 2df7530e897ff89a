"""Tokens of sentences to one tag each."""
