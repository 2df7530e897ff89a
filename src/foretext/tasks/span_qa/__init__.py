"""Questions to a span of a passage."""
