"""Shared fixtures: where the public data sets are, and quiet, reproducible runs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# Kernels compile at their first call, so a deadline an example would be a matter of luck; and a
# test run that draws other examples every time is not one that can be repeated.
settings.register_profile("foretext", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("foretext")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of public data sets named by FORETEXT_DATA; tests that ask for it skip without."""
    folder = Path(os.environ.get("FORETEXT_DATA", ""))
    if not os.environ.get("FORETEXT_DATA") or not folder.is_dir():
        pytest.skip("FORETEXT_DATA names no folder of data sets")
    return folder
