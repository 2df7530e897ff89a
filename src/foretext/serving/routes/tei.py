"""The routes of text-embeddings-inference, as its clients know them.

github.com/huggingface/text-embeddings-inference, `router/src/http`. What differs: a list of any
length is answered; a text of any length is, too, and a header says that it was too long; places
of tokens count characters, not bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field, ValidationError, WrapValidator
from pydantic_core import PydanticCustomError
from starlette.responses import Response

from foretext.serving.abilities.decode import DecodeOptions
from foretext.serving.abilities.embed import EmbedOptions
from foretext.serving.abilities.predict import PredictOptions
from foretext.serving.abilities.tokenize import TokenizeOptions
from foretext.serving.errors import BadRequest, CannotServe
from foretext.serving.fitting import Cutting
from foretext.serving.routes.remote_tokenizer import prompt_tokens
from foretext.serving.service import Service
from foretext.serving.text_request import (
    Answered,
    ask,
    decoded_texts,
    json_reply,
    prompted,
    single_texts,
    vectors_reply,
)

__all__ = [
    "CutBody",
    "EmbedAllBody",
    "EmbedBody",
    "SimilarityBody",
    "SimilarityInputs",
    "TeiBody",
    "embeddings",
    "predictions_of",
    "router",
    "similarities",
]

router = APIRouter(tags=["text-embeddings-inference"])

TokenId = Annotated[int, Field(ge=0)]


@router.post("/embed", response_model=list[list[float]])
async def embed(body: EmbedBody, request: Request) -> Response:
    """Return a vector of each text."""
    return vectors_reply(await embeddings(body, request))


async def embeddings(body: EmbedBody, request: Request) -> Answered:
    """Return the vector of each text, (D,)."""
    texts = await decoded_texts(body.inputs, request, body.model, "embed")
    return await ask(
        request,
        "embed",
        prompted(texts, body.prompt_name, request, body.model, "embed"),
        EmbedOptions(body.normalize, body.dimensions),
        model=body.model,
        cutting=body.cutting,
        as_items=single_texts,
    )


@router.post("/embed_all", response_model=list[list[list[float]]])
async def embed_all(body: EmbedAllBody, request: Request) -> Response:
    """Return a vector of each token of each text, special tokens too."""
    texts = await decoded_texts(body.inputs, request, body.model, "states")
    cutting = body.cutting
    if cutting.truncate is None:  # states have no mean over windows
        cutting = Cutting(True, cutting.direction)
    answered = await ask(
        request,
        "states",
        prompted(texts, body.prompt_name, request, body.model, "states"),
        None,
        model=body.model,
        cutting=cutting,
        as_items=single_texts,
    )
    return vectors_reply(answered)


@router.post("/embed_sparse", responses={422: {"description": "Always."}})
async def embed_sparse(request: Request) -> Response:
    """Refuse: sparse vectors need a model of the kind SPLADE, which foretext does not have."""
    raise CannotServe(
        "No model of foretext gives sparse vectors; ask /embed for dense ones, or /search with "
        '"by": "words" for BM25.'
    )


@router.post("/similarity", response_model=list[float])
async def similarity(body: SimilarityBody, request: Request) -> Response:
    """Return the cosine of each text with the first one."""
    answered = await similarities(body, request)
    return json_reply(answered.answers, answered.headers)


async def similarities(body: SimilarityBody, request: Request) -> Answered:
    """Return the cosine of each text with the first one, (N,)."""
    if not body.inputs.sentences:
        raise BadRequest("inputs.sentences is empty; give one text at least.")
    parameters = body.parameters
    texts = [body.inputs.source_sentence, *body.inputs.sentences]
    name = None if parameters is None else parameters.prompt_name
    answered = await ask(
        request,
        "embed",
        prompted(texts, name, request, body.model, "embed"),
        EmbedOptions(normalize=True),
        model=body.model,
        cutting=Cutting() if parameters is None else parameters.cutting,
        as_items=single_texts,
    )
    units = np.stack(answered.answers)
    return answered._replace(answers=(units[1:] @ units[0]).tolist())


class _Prediction(BaseModel):
    """A label, and how probable it is."""

    score: float
    label: str


@router.post("/predict", response_model=list[_Prediction] | list[list[_Prediction]])
async def predict(body: _PredictBody, request: Request) -> Response:
    """Return all labels of an input, the most probable first; of a batch, a list of that.

    A task without labels answers with the record of ``foretext predict --json``.
    """
    answered = await ask(
        request,
        "predict",
        _inputs_of_task(body.inputs),
        PredictOptions(all_labels=True, raw=body.raw_scores),
        model=body.model,
        cutting=body.cutting,
    )
    answers = [predictions_of(record) for record in answered.answers]
    is_batch = isinstance(body.inputs, list) and not isinstance(body.inputs[0], str)
    return json_reply(answers if is_batch else answers[0], answered.headers)


def _inputs_of_task(inputs: str | list[str] | list[list[str]]) -> list[tuple[str, ...]]:
    if isinstance(inputs, str):
        return [(inputs,)]
    if not inputs:
        return []
    if isinstance(inputs[0], str):
        if len(inputs) > 2:
            raise CannotServe(
                f"inputs is a list of {len(inputs)} texts, and two are a pair; a batch of texts is "
                '[["a text"], ["another text"]].'
            )
        return [tuple(map(str, inputs))]
    return [tuple(texts) for texts in inputs]


class SimpleToken(BaseModel):
    """A token: the characters from `start` up to `stop`; null of a special one."""

    id: int
    text: str
    special: bool
    start: int | None
    stop: int | None


class PromptTokens(BaseModel):
    """The ids of a prompt, in the form of vLLM."""

    count: int
    tokens: list[int]


@router.post("/tokenize", response_model=list[list[SimpleToken]] | PromptTokens)
async def tokenize(body: _TokenizeBody, request: Request) -> Response:
    """Return the tokens of each text."""
    if body.prompt is not None:
        special = body.add_special_tokens
        return json_reply(await prompt_tokens(body.prompt, request, body.model, special=special))
    texts = [body.inputs] if isinstance(body.inputs, str) else body.inputs
    inputs = prompted(texts, body.prompt_name, request, body.model, "tokenize")
    if not inputs:
        raise BadRequest("inputs is empty; give one text at least.")
    answered = await Service.of(request).answer(
        request,
        "tokenize",
        single_texts(inputs),
        TokenizeOptions(body.add_special_tokens),
        model=body.model,
    )
    return json_reply([[token._asdict() for token in tokens] for tokens in answered.answers])


@router.post("/decode", response_model=list[str])
async def decode(body: _DecodeBody, request: Request) -> Response:
    """Return the text that each row of ids stands for."""
    if not body.ids:
        raise BadRequest("ids is empty; give one at least.")
    rows = [tuple([ids] if isinstance(ids, int) else ids) for ids in body.ids]
    if isinstance(body.ids[0], int):
        rows = [tuple(index for row in rows for index in row)]
    answered = await Service.of(request).answer(
        request, "decode", rows, DecodeOptions(body.skip_special_tokens), model=body.model
    )
    return json_reply(answered.answers)


def _in_words(sentence: str) -> WrapValidator:
    """Return what refuses a value of several possible forms with one sentence for all of them."""

    def validate(value: Any, check: Any) -> Any:
        try:
            return check(value)
        except ValidationError:
            raise PydanticCustomError("form", "{sentence}", {"sentence": sentence}) from None

    return WrapValidator(validate)


Inputs = Annotated[
    str | list[TokenId] | list[str | list[TokenId]],
    _in_words("give a text, ids of its tokens, or a list of such"),
]
TaskInputs = Annotated[
    str | list[str] | list[list[str]],
    _in_words('give a text, a pair ["a", "b"], or a batch [["a"], ["b"]]'),
]
TextInputs = Annotated[str | list[str], _in_words("give a text, or a list of texts")]
IdRows = Annotated[
    list[TokenId] | list[list[TokenId]], _in_words("give ids of tokens, or a list of such lists")
]


class TeiBody(BaseModel):
    """What every request may have."""

    model_config = ConfigDict(strict=True, allow_inf_nan=False, use_attribute_docstrings=True)

    model: str | None = Field(default=None, examples=[None])
    """Name of the model; null: the first one that can do it."""


class CutBody(TeiBody):
    """What becomes of inputs that are longer than the model reads at once."""

    truncate: bool | None = None
    """true: they are cut; false: they are refused; null: as the model does it in Python, which
    averages vectors over windows."""

    truncation_direction: Literal["right", "left", "Right", "Left"] = "right"
    """The end that is cut off; text-embeddings-inference to 1.8 takes capitals alone."""

    @property
    def cutting(self) -> Cutting:
        """The two as one."""
        is_left = self.truncation_direction.lower() == "left"
        return Cutting(self.truncate, "left" if is_left else "right")


class EmbedAllBody(CutBody):
    """Texts, or ids of tokens."""

    inputs: Inputs = Field(examples=[["the king lives in a castle"]])
    """A text, or several; a row of ids stands for the text that they are decoded to."""

    prompt_name: str | None = None
    """Name of a text of the model that is put before each input."""


class EmbedBody(CutBody):
    """Texts to turn into vectors."""

    inputs: Inputs = Field(examples=[["the king lives in a castle"]])
    """A text, or several; a row of ids stands for the text that they are decoded to."""

    prompt_name: str | None = None
    """Name of a text of the model that is put before each input."""

    normalize: bool = True
    """Whether vectors get length 1."""

    dimensions: int | None = Field(default=None, ge=1)
    """Numbers of a vector that are kept, the first ones; null: all."""


class SimilarityInputs(BaseModel):
    """A text, and those to compare with it."""

    model_config = TeiBody.model_config

    source_sentence: str = Field(examples=["the king lives in a castle"])
    sentences: list[str] = Field(examples=[["the queen lives in a castle"]])


class SimilarityParameters(CutBody):
    """How the texts are read."""

    prompt_name: str | None = None


class SimilarityBody(TeiBody):
    """A text, and those to compare with it."""

    inputs: SimilarityInputs
    """The texts."""

    parameters: SimilarityParameters | None = None
    """How they are read."""


class _PredictBody(CutBody):
    """Inputs of a task."""

    inputs: TaskInputs = Field(examples=["the ship left the harbour"])
    """A text; ``["a", "b"]`` is one pair of texts; ``[["a"], ["b"]]`` is a batch."""

    raw_scores: bool = False
    """Logits in place of probabilities."""


class _TokenizeBody(TeiBody):
    """Texts to take apart."""

    inputs: TextInputs = Field(default=[], examples=["the king lives in a castle"])
    """A text, or several."""

    prompt: str | None = Field(default=None, examples=[None])
    """In place of `inputs`: a text whose ids alone are returned, as vLLM's clients ask it."""

    add_special_tokens: bool = True
    """Whether tokens such as [CLS] are put around each text."""

    prompt_name: str | None = None
    """Name of a text of the model that is put before each input."""


class _DecodeBody(TeiBody):
    """Ids to put together."""

    ids: IdRows = Field(examples=[[1, 2, 3]])
    """Ids of a text, or of several."""

    skip_special_tokens: bool = True
    """Whether tokens such as [CLS] are left out."""


def predictions_of(record: Mapping[str, Any]) -> Any:
    """Return labels, or a single score, as its clients know them; any other record as it is."""
    if "labels" in record:
        return [
            {"score": each.get("logit", each.get("probability")), "label": str(each["label"])}
            for each in record["labels"]
        ]
    return [{"score": record["score"], "label": "score"}] if "score" in record else record
