"""What to learn from a text in a given time: vocabulary, size, rows and rates."""
