"""The routes, a file for each family; each has a `router`."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from fastapi import APIRouter

__all__ = ["routers"]

# The first router that has a route answers it.
FAMILIES = (
    "tei",
    "root",
    "rerank",
    "openai",
    "remote_tokenizer",
    "words",
    "tasks",
    "searching",
    "label_studio",
    "operations",
    "pages",
)


def routers() -> Iterator[APIRouter]:
    """Yield the router of each family."""
    for family in FAMILIES:
        module = import_module(f"{__name__}.{family}")
        yield module.router
    yield import_module(f"{__name__}.openai").unprefixed
