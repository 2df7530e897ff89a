"""Other people's model folders."""
