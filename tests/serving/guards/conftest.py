"""Word vectors are enough to test what stands before the routes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.serving.conftest import Server
from tests.serving.models import word_vectors


@pytest.fixture
def guarded(serve: Callable[..., Server]) -> Callable[..., Server]:
    """Start a server of word vectors with settings: ``guarded(max_requests=2)``."""

    def start(**settings: Any) -> Server:
        return serve({"words": word_vectors()}, **settings)

    return start
