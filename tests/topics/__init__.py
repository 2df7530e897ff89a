"""Topics: a kind of run."""
