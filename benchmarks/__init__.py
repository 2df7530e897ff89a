"""Ratios against peers, measured as docs/benchmarks.md says: ``python -m benchmarks [NAME...]``."""
