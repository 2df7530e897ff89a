"""The straight line from a person's text to what was learned from it."""
