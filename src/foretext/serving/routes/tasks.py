"""Routes of what has learned a task: tags, answers, translations, explanations."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, cast

from fastapi import APIRouter, Request
from pydantic import Field, model_validator

from foretext.serving.abilities.answer import AnswerOptions
from foretext.serving.abilities.explain import ExplainOptions
from foretext.serving.abilities.translate import Translate, TranslateOptions
from foretext.serving.body import Body, FiniteJson, Reply
from foretext.serving.service import Service
from foretext.tasks.explanation import Method

__all__ = ["router"]

router = APIRouter(tags=["tasks"], default_response_class=FiniteJson)

MOST_WRITTEN = 8192  # tokens of all beams of a text
USUAL_LENGTH = 256  # of an output, where a request says nothing

Texts = Annotated[list[str], Field(min_length=1)]
Few = Annotated[int, Field(ge=1, le=100)]


class TagBody(Body):
    """Texts to tag."""

    inputs: str | Texts = Field(examples=["the king lives in a castle"])
    """A text, or several."""


class Span(Reply):
    """An entity: the characters from `start` up to `end` of the text."""

    start: int
    end: int
    label: str
    text: str
    probability: float | None


class Tagged(Reply):
    """A text with its entities, or, by a model whose tags are no entities, with all its tags."""

    text: str
    spans: list[Span] = Field(default=[])
    tags: list[tuple[str, str]] = Field(default=[])
    """Tokens, each with its tag."""


@router.post("/tag", response_model=Tagged | list[Tagged])
async def tag(body: TagBody, request: Request) -> FiniteJson:
    """Return the entities of a text with their places; of several texts a list of that."""
    texts = [body.inputs] if isinstance(body.inputs, str) else body.inputs
    answered = await Service.of(request).answer(request, "tag", texts, model=body.model)
    return FiniteJson(answered.answers[0] if isinstance(body.inputs, str) else answered.answers)


class AnswerBody(Body):
    """A question, and where its answer may stand."""

    question: str = Field(examples=["who is in the castle?"])
    """The question."""

    passage: str = Field(examples=["the king is in the castle"])
    """A text of any length."""

    k: Few | None = None
    """Answers, the best first; null: the one that the model chooses, or none."""


class Found(Reply):
    """An answer: the characters from `start` up to `end` of the passage; "": there is none."""

    text: str
    start: int | None
    end: int | None
    probability: float | None


class AnswerRecord(Reply):
    """A question with its answers."""

    question: str
    context: str
    """The passage."""

    answers: list[Found]


@router.post("/answer", response_model=AnswerRecord)
async def answer(body: AnswerBody, request: Request) -> FiniteJson:
    """Return the answer to a question as it stands in the passage."""
    pair, options = (body.question, body.passage), AnswerOptions(body.k)
    answered = await Service.of(request).answer(
        request, "answer", [pair], options, model=body.model
    )
    return FiniteJson(answered.answers[0])


class TranslateBody(Body):
    """Texts to translate, to shorten, or whatever the model has learned."""

    inputs: str | Texts = Field(examples=["the ship in the harbour"])
    """A text, or several."""

    k: Few = 1
    """Outputs of each text, the best first."""

    num_beams: Few | None = None
    """Hypotheses of the beam search; null: as the model does it."""

    max_new_tokens: int | None = Field(default=None, ge=1, le=1024)
    """Tokens of an output, at most; null: as the model does it."""

    alignment: bool = False
    """Whether to say which words of the text each word of the best output looks at."""

    @model_validator(mode="after")
    def _ends(self) -> TranslateBody:
        beams, length = max(self.num_beams or 1, self.k), self.max_new_tokens or USUAL_LENGTH
        if beams * length > MOST_WRITTEN:
            raise ValueError(
                f"{beams} beams of {length:,} tokens; together they may have {MOST_WRITTEN:,}"
            )
        return self


class Output(Reply):
    """What a text became."""

    text: str
    score: float | None
    """Log-probability of its tokens, normalised by its length."""

    ended: bool
    """False: it was stopped at the most tokens that an output may have."""


class AlignmentRecord(Reply):
    """Weights of cross-attention, by the layer that points most clearly."""

    source_tokens: list[str]
    target_tokens: list[str]
    weights: list[list[float | None]]
    """A row for each target token, with a weight for each source token."""

    layer: int


class Translation(Reply):
    """A text with what it became."""

    source: str
    outputs: list[Output]
    alignment: AlignmentRecord | None = None
    """Of the best output, where it was asked for."""


@router.post("/translate", response_model=Translation | list[Translation])
async def translate(body: TranslateBody, request: Request) -> FiniteJson:
    """Return what a text becomes; of several texts a list of that."""
    service, texts = Service.of(request), body.inputs
    options = TranslateOptions(body.k, body.num_beams, body.max_new_tokens)
    sources = [texts] if isinstance(texts, str) else texts
    records = await _translated(sources, options, body.model, request)
    if body.alignment:
        pairs = [
            (source, record["outputs"][0]["text"])
            for source, record in zip(sources, records, strict=True)
        ]
        aligned = await service.answer(request, "alignment", pairs, model=body.model)
        records = [
            {**record, "alignment": each}
            for record, each in zip(records, aligned.answers, strict=True)
        ]
    return FiniteJson(records[0] if isinstance(texts, str) else records)


async def _translated(
    sources: list[str], options: TranslateOptions, model: str | None, request: Request
) -> list[dict[str, Any]]:
    """Return the record of each text; what takes long is done text by text, in turns."""
    service = Service.of(request)
    ability = cast(Translate, service.models.find(model, "translate").ability("translate"))
    if not ability.is_long(options):
        answered = await service.answer(request, "translate", sources, options, model=model)
        return answered.answers
    records = []
    for source in sources:
        work = partial(ability.records, [source], options)
        records += await service.write(request, "translate", work, model=model)
    return records


class ExplainBody(Body):
    """An input whose answer is to be explained."""

    inputs: str | Texts = Field(examples=["the ship in the harbour"])
    """A text; or, of a model that reads pairs, the texts of one pair."""

    label: str | None = None
    """The label to explain; null: the most probable one."""

    method: Method = "auto"
    """How weights are found: "linear" of linear models, "occlusion" or "gradient" of others."""


class ExplainedWord(Reply):
    """A word, or in a long text some neighbouring words: characters `start` up to `end`."""

    text: str
    start: int
    end: int
    weight: float | None
    """Above 0: it speaks for the label."""

    field: str | None = None
    """Which text it is in, where an input has several."""


class ExplainAnswer(Reply):
    """What decided on an answer."""

    label: str | None
    probability: float | None
    value: float | None
    """What the weights explain: the log of the label's odds, or a score."""

    base: float | None
    """The same of an input without any word."""

    method: str
    predictions: int
    """How many inputs the model answered for it."""

    words: list[ExplainedWord]


@router.post("/explain", response_model=ExplainAnswer)
async def explain(body: ExplainBody, request: Request) -> FiniteJson:
    """Return the words of an input that decided on its label or score, with their weights."""
    texts = (body.inputs,) if isinstance(body.inputs, str) else tuple(body.inputs)
    answered = await Service.of(request).answer(
        request, "explain", [texts], ExplainOptions(body.label, body.method), model=body.model
    )
    return FiniteJson(answered.answers[0])
