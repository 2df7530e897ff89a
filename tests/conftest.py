"""Shared fixtures: where the public data sets are, and quiet, reproducible runs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of public data sets named by FORETEXT_DATA; tests that ask for it skip without."""
    folder = Path(os.environ.get("FORETEXT_DATA", ""))
    if not os.environ.get("FORETEXT_DATA") or not folder.is_dir():
        pytest.skip("FORETEXT_DATA names no folder of data sets")
    return folder
