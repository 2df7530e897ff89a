"""The route of searching: in a served index, or in texts that come with the request."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from fastapi import APIRouter, Request
from pydantic import Field
from starlette.concurrency import run_in_threadpool

from foretext.search.search_index import By
from foretext.search.text_search import TextVectors, search_texts
from foretext.serving.abilities.embed import EmbedOptions
from foretext.serving.abilities.search import SearchOptions
from foretext.serving.body import Body, FiniteJson, Reply
from foretext.serving.service import Service

__all__ = ["router"]

router = APIRouter(tags=["search"], default_response_class=FiniteJson)


class SearchBody(Body):
    """A query, and texts to search in where it is not a served index that is searched."""

    query: str = Field(examples=["the king and the queen"])
    """What to search for."""

    k: int = Field(default=10, ge=1, le=1000)
    """Passages to find."""

    by: Literal["vectors", "words", "both"] = "vectors"
    """By the cosine of vectors, by BM25, or by the ranks of both; "words" needs no model."""

    texts: list[str] | None = Field(default=None, examples=[None])
    """Passages to search in; null: those of a served index."""


class PlaceRecord(Reply):
    """Where a passage stands."""

    source: str
    """The name of its file; "texts" of texts that came with the request."""

    lines: tuple[int, int] | None = None
    """The first and the last line, from 1."""

    rows: tuple[int, int] | None = None
    """The first and the last row of a table, or the number of a text, from 1."""

    characters: tuple[int, int]
    """The first character in its file or row, and the one after the last."""


class HitRecord(PlaceRecord):
    """A passage that was found."""

    score: float
    cosine: float | None
    bm25: float | None
    text: str
    others: list[PlaceRecord]
    """Further places of the same text."""


class SearchAnswer(Reply):
    """What was found, the best first."""

    query: str
    results: list[HitRecord]
    notes: list[str]
    """What there is to say of the query, such as that no word of it is known."""


@router.post("/search", response_model=SearchAnswer)
async def search(body: SearchBody, request: Request) -> FiniteJson:
    """Return the passages that answer a query."""
    if body.texts is not None:
        return FiniteJson(await _in_texts(body, body.texts, request))
    answered = await Service.of(request).answer(
        request, "search", [body.query], SearchOptions(body.k, body.by), model=body.model
    )
    return FiniteJson(answered.answers[0])


async def _in_texts(body: SearchBody, texts: list[str], request: Request) -> dict[str, Any]:
    by: By = body.by
    vectors = None if by == "words" else await _vectors(body, texts, request)
    found = await run_in_threadpool(search_texts, body.query, texts, body.k, by=by, vectors=vectors)
    return found.as_dict()


async def _vectors(body: SearchBody, texts: list[str], request: Request) -> TextVectors:
    answered = await Service.of(request).answer(
        request, "embed", [body.query, *texts], EmbedOptions(), model=body.model
    )
    query, *others = answered.answers
    return TextVectors(query, np.array(others, np.float32).reshape(len(others), len(query)))
