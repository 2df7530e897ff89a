"""Texts in the order of their relevance to a query, in the forms of two families of clients.

text-embeddings-inference has `texts` and gets a list; Cohere has `documents` and `top_n`, and gets
`results`. Either form is read at every route.
"""

from __future__ import annotations

import uuid
from typing import Annotated, Any

from fastapi import APIRouter, Body, Request
from pydantic import BaseModel, Discriminator, Field, Tag
from starlette.responses import Response

from foretext.serving.abilities.rerank import RerankOptions
from foretext.serving.fitting import Texts
from foretext.serving.routes.tei import CutBody
from foretext.serving.service import Service
from foretext.serving.text_request import Answered, ask, json_reply

__all__ = ["TextsBody", "rank_texts", "router"]

router = APIRouter(tags=["rerank"])


class TextsBody(CutBody):
    """A query, and texts to put in order, as text-embeddings-inference has it."""

    query: str = Field(examples=["who is in the castle"])
    """What the texts should be relevant to."""

    texts: list[str] = Field(examples=[["the king is in the castle", "the ship left"]])
    """The texts to put in order."""

    raw_scores: bool = False
    """Logits of a matcher of labels in place of its probabilities."""

    return_text: bool = False
    """Whether each answer has its text."""

    top_n: int | None = Field(default=None, ge=1)
    """Answers, at most, as LiteLLM asks; null: all."""


class Document(BaseModel):
    """A text with more around it, which is not read."""

    text: str


class DocumentsBody(CutBody):
    """A query, and documents to put in order, as Cohere has it."""

    query: str = Field(examples=["who is in the castle"])
    """What the texts should be relevant to."""

    documents: list[str | Document] = Field(examples=[["the king is in the castle"]])
    """The texts to put in order."""

    top_n: int | None = Field(default=None, ge=1)
    """Results, at most; null: all."""

    return_documents: bool | None = None
    """Whether each result has its text."""


class Rank(BaseModel):
    """A text by its place in the request."""

    index: int
    score: float
    text: str | None = None


class Result(BaseModel):
    """A document by its place in the request."""

    index: int
    relevance_score: float
    document: Document | None = None


class Results(BaseModel):
    """Documents in the order of their relevance."""

    id: str
    model: str
    results: list[Result]
    usage: dict[str, int]


def _form(body: Any) -> str:
    """Return which of the two forms a body has."""
    return "documents" if isinstance(body, dict) and "documents" in body else "texts"


Either = Annotated[
    Annotated[TextsBody, Tag("texts")] | Annotated[DocumentsBody, Tag("documents")],
    Discriminator(_form),
    Body(),
]


@router.post("/rerank", response_model=list[Rank] | Results)
@router.post("/v1/rerank", response_model=list[Rank] | Results)
@router.post("/v2/rerank", response_model=list[Rank] | Results)
async def rerank(body: Either, request: Request) -> Response:
    """Return texts in the order of their relevance to a query, the most relevant first."""
    if isinstance(body, TextsBody):
        return await rank_texts(body, request)
    texts = [each if isinstance(each, str) else each.text for each in body.documents]
    answered = await _scores(body, texts, RerankOptions(), request)
    results = []
    for place in _ranking(answered.answers)[: body.top_n]:
        result: dict[str, Any] = {"index": place, "relevance_score": answered.answers[place]}
        if body.return_documents:
            result["document"] = {"text": texts[place]}
        results.append(result)
    found = {
        "id": uuid.uuid4().hex,
        "model": answered.model,
        "results": results,
        "usage": {"total_tokens": int(answered.headers["x-compute-tokens"])},
    }
    return json_reply(found, answered.headers)


async def rank_texts(body: TextsBody, request: Request) -> Response:
    """Return places in the request with scores, the most relevant first."""
    answered = await _scores(body, body.texts, RerankOptions(body.raw_scores), request)
    ranks = []
    for place in _ranking(answered.answers)[: body.top_n]:
        rank: dict[str, Any] = {"index": place, "score": answered.answers[place]}
        if body.return_text:
            rank["text"] = body.texts[place]
        ranks.append(rank)
    return json_reply(ranks, answered.headers)


async def _scores(
    body: TextsBody | DocumentsBody, texts: list[str], options: RerankOptions, request: Request
) -> Answered:
    model = Service.of(request).models.find(body.model, "rerank")
    wanted: dict[str, Any] = {"model": model.name, "cutting": body.cutting}
    if "embed" not in model.abilities:
        pairs = [(body.query, text) for text in texts]
        return await ask(request, "rerank", pairs, options, **wanted)
    apart = [(text,) for text in [body.query, *texts]] if texts else []
    return await ask(request, "rerank", apart, options, as_items=_joined, **wanted)


def _joined(inputs: list[Texts]) -> list[Texts]:
    """Return pairs of the first text and each other one, which a model of vectors reads apart."""
    (query,), *others = inputs
    return [(query, text) for (text,) in others]


def _ranking(scores: list[float]) -> list[int]:
    """Return places by their scores, the highest first; of equal ones the earlier."""
    return sorted(range(len(scores)), key=lambda place: -scores[place])
