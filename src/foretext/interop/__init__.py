"""Model folders of `transformers` and `sentence-transformers`, read and written."""
