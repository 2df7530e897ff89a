"""Routes of words and of tokens: neighbours, analogies, maps, filled masks, attention."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Request
from pydantic import Field, model_validator

from foretext.serving.abilities.analogy import AnalogyOptions
from foretext.serving.abilities.attention import AttentionOptions
from foretext.serving.abilities.fill import FillOptions
from foretext.serving.abilities.map import MapOptions
from foretext.serving.abilities.neighbors import NeighborsOptions
from foretext.serving.body import Body, FiniteJson, Reply
from foretext.serving.service import Service

__all__ = ["router"]

router = APIRouter(tags=["words and tokens"], default_response_class=FiniteJson)

MOST_POINTS = 2000  # of a map

Answers = Annotated[int, Field(ge=1, le=1000)]
Texts = Annotated[list[str], Field(min_length=1)]


class NeighborsBody(Body):
    """Words, or of document vectors names of documents and texts."""

    words: Texts = Field(examples=[["ship", "wave"]])
    """What to look around."""

    k: Answers = 10
    """Neighbours of each."""


@router.post("/neighbors", response_model=dict[str, dict[str, float]])
async def neighbors(body: NeighborsBody, request: Request) -> FiniteJson:
    """Return the nearest words of each word with their cosines, the nearest first."""
    answered = await Service.of(request).answer(
        request, "neighbors", body.words, NeighborsOptions(body.k), model=body.model
    )
    return FiniteJson(dict(zip(body.words, answered.answers, strict=True)))


class AnalogyBody(Body):
    """Three words: a is to b as c is to what?"""

    a: str = Field(examples=["man"])
    """Such as man."""

    b: str = Field(examples=["woman"])
    """Such as woman."""

    c: str = Field(examples=["son"])
    """Such as son."""

    k: Answers = 5
    """Answers."""


@router.post("/analogy", response_model=dict[str, float])
async def analogy(body: AnalogyBody, request: Request) -> FiniteJson:
    """Return the words nearest to b - a + c with their cosines, the nearest first."""
    answered = await Service.of(request).answer(
        request, "analogy", [(body.a, body.b, body.c)], AnalogyOptions(body.k), model=body.model
    )
    return FiniteJson(answered.answers[0])


class MapBody(Body):
    """Words to show as points of a plane."""

    words: Texts = Field(examples=[["ship", "wave", "judge", "jury"]])
    """The words."""

    neighbors: int = Field(default=0, ge=0, le=100)
    """Neighbours that are shown beside each word."""

    @model_validator(mode="after")
    def _fits(self) -> MapBody:
        points = len(self.words) * (1 + self.neighbors)
        if points > MOST_POINTS:
            raise ValueError(f"{points:,} points, and a map has {MOST_POINTS:,} at most")
        return self


class Point(Reply):
    """A word and its place."""

    word: str
    x: float
    y: float
    given: bool
    """False: a neighbour of a word that was given."""


class MapAnswer(Reply):
    """Each word once: those that were given, then their neighbours."""

    points: list[Point]


@router.post("/map", response_model=MapAnswer)
async def word_map(body: MapBody, request: Request) -> FiniteJson:
    """Return places of words: the two principal components of their vectors of length 1."""
    answered = await Service.of(request).answer(
        request, "map", [tuple(body.words)], MapOptions(body.neighbors), model=body.model
    )
    return FiniteJson({"points": [point._asdict() for point in answered.answers[0]]})


class FillBody(Body):
    """Texts with masks."""

    inputs: str | Texts = Field(examples=["the ship in the [MASK]"])
    """A text with [MASK] in it, or several."""

    k: Answers = 5
    """Tokens for each mask."""


class Filling(Reply):
    """A token at a mask."""

    token: str
    probability: float | None
    text: str
    """The whole text with this token."""


Masks = list[list[Filling]]


@router.post("/fill", response_model=Masks | list[Masks])
async def fill(body: FillBody, request: Request) -> FiniteJson:
    """Return the likeliest tokens of each mask of a text; of several texts a list of that."""
    texts = [body.inputs] if isinstance(body.inputs, str) else body.inputs
    answered = await Service.of(request).answer(
        request, "fill", texts, FillOptions(body.k), model=body.model
    )
    return FiniteJson(answered.answers[0] if isinstance(body.inputs, str) else answered.answers)


class AttentionBody(Body):
    """A text, or two that are read in one row."""

    inputs: str = Field(examples=["the ship in the harbour"])
    """The text."""

    second: str | None = None
    """A text behind it."""

    layer: int | None = Field(default=None, ge=1)
    """The layer to show, from 1; null: all of them."""


class AttentionAnswer(Reply):
    """Tokens, and how much each of them takes from each other."""

    tokens: list[str]
    """T tokens, special ones among them."""

    layers: list[list[list[list[float | None]]]]
    """By layer and head, T rows of T weights; a row sums to 1."""


@router.post("/attention", response_model=AttentionAnswer)
async def attention(body: AttentionBody, request: Request) -> FiniteJson:
    """Return the attention weights of a text, by layer and head."""
    texts = (body.inputs,) if body.second is None else (body.inputs, body.second)
    answered = await Service.of(request).answer(
        request, "attention", [texts], AttentionOptions(body.layer), model=body.model
    )
    maps: dict[str, Any] = answered.answers[0]
    return FiniteJson(maps)
