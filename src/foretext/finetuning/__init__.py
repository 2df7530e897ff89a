"""Learning a task from labelled rows: one road for networks, linear models and fastText."""
