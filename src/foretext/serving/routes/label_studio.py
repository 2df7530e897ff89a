"""What Label Studio requests of an ML backend: labels and entities before a person decides.

Its address is ``http://HOST:PORT/label-studio``, or ``/models/NAME/label-studio`` of one model. The
requests are those of ``label_studio/ml/api_connector.py``, the answers those of
label-studio-ml-backend.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field

from foretext.data.rows.label_formats import LabelTask
from foretext.data.rows.label_formats.label_studio import results_of
from foretext.serving.abilities.predict import PredictOptions
from foretext.serving.body import FiniteJson, Reply
from foretext.serving.errors import BadRequest, CannotServe
from foretext.serving.label_config import ABILITY, Control, controls_of, no_label_in_common
from foretext.serving.routes.operations import health
from foretext.serving.served_model import ServedModel
from foretext.serving.service import Service

__all__ = ["router"]

router = APIRouter(tags=["Label Studio"], default_response_class=FiniteJson)


class _Lenient(BaseModel):
    """A body of which only some fields are read."""

    model_config = ConfigDict(extra="allow", use_attribute_docstrings=True)


class SetupBody(_Lenient):
    """A project that asks whether the model can answer it."""

    label_schema: str = Field(default="", alias="schema")
    """The project's labelling configuration; "": it has none yet."""


class LabelStudioTask(_Lenient):
    """A task of the project."""

    data: dict[str, Any]


class TasksBody(_Lenient):
    """Tasks that wait for predictions."""

    tasks: list[LabelStudioTask] = Field(
        examples=[[{"id": 1, "data": {"text": "the king lives in a castle"}}]]
    )
    """Tasks with their data."""

    label_config: str = Field(
        examples=['<View><Text name="text" value="$text"/></View>'],
    )
    """The project's labelling configuration."""


class Setup(Reply):
    """What a project keeps of the backend."""

    model_version: str


class Prediction(Reply):
    """The answer to a task."""

    result: list[dict[str, Any]]
    """Regions, under the names of the project's controls."""

    score: float | None
    """Probability of the least sure one."""

    model_version: str


class Predictions(Reply):
    """The answers to tasks, in their order."""

    results: list[Prediction]
    model_version: str


class Up(Reply):
    """That the server answers."""

    status: str
    model_class: str


class _Pair(NamedTuple):
    """A control, and the model that answers it."""

    control: Control
    model: ServedModel


@router.get("/label-studio/health", response_model=Up)
@router.get("/label-studio", response_model=Up)
async def backend_health(request: Request) -> dict[str, str]:
    """Answer as an ML backend of Label Studio that is up."""
    await health(request)
    return {"status": "UP", "model_class": "foretext"}


@router.get("/models/{name}/label-studio/health", response_model=Up)
@router.get("/models/{name}/label-studio", response_model=Up)
async def backend_health_of_model(name: str, request: Request) -> dict[str, str]:
    """Answer as a backend of one model."""
    Service.of(request).models.named(name)
    return await backend_health(request)


@router.post("/label-studio/setup", response_model=Setup)
async def setup(body: SetupBody, request: Request) -> dict[str, str]:
    """Say which model answers a project, or why none does."""
    return _setup(body, request, None)


@router.post("/models/{name}/label-studio/setup", response_model=Setup)
async def setup_of_model(name: str, body: SetupBody, request: Request) -> dict[str, str]:
    """Say whether one model answers a project."""
    return _setup(body, request, name)


@router.post("/label-studio/predict", response_model=Predictions)
async def predictions(body: TasksBody, request: Request) -> FiniteJson:
    """Return regions for each task, under the names of the project's controls."""
    return FiniteJson(await _predictions(body, request, None))


@router.post("/models/{name}/label-studio/predict", response_model=Predictions)
async def predictions_of_model(name: str, body: TasksBody, request: Request) -> FiniteJson:
    """Return regions of one model."""
    return FiniteJson(await _predictions(body, request, name))


def _setup(body: SetupBody, request: Request, name: str | None) -> dict[str, str]:
    models = Service.of(request).models
    controls = controls_of(body.label_schema, "schema") if body.label_schema.strip() else []
    if not controls:  # a new project, which shall get its labels later
        return {"model_version": models.named(name).name}
    return {"model_version": _version(_pairs(controls, request, name))}


async def _predictions(body: TasksBody, request: Request, name: str | None) -> dict[str, Any]:
    pairs = _pairs(controls_of(body.label_config), request, name)
    version = _version(pairs)
    found = [await _answered(pair, body.tasks, request) for pair in pairs]
    results = []
    for own in zip(*found, strict=True):  # the answers to one task
        scores = [task.probability for _, task in own if task.probability is not None]
        regions = [region for pair, task in own for region in _regions(pair.control, task)]
        for number, region in enumerate(regions):
            region["id"] = str(number)
        score = min(scores, default=None)
        results.append({"result": regions, "score": score, "model_version": version})
    return {"results": results, "model_version": version}


def _version(pairs: Sequence[_Pair]) -> str:
    return ", ".join(dict.fromkeys(pair.model.name for pair in pairs))


def _pairs(controls: Sequence[Control], request: Request, name: str | None) -> list[_Pair]:
    """Return the controls that models answer, one of each kind: with most labels in common.

    Raises:
        CannotServe: there is none, or none has a label of a model.
    """
    models = Service.of(request).models
    candidates = [models.named(name)] if name is not None else list(models)
    found: list[_Pair] = []
    refused: list[CannotServe] = []
    for ability in ABILITY.values():
        own = [control for control in controls if control.ability == ability]
        able = [each for each in candidates if ability in each.abilities and _is_single(each)]
        if not own or not able:
            continue
        labels = {model.name: frozenset(_labels(model)) for model in able}
        shared = {
            _Pair(control, model): control.shared(labels[model.name])
            for control in own
            for model in able
            if not control.is_without(labels[model.name])
        }
        if shared:  # the first of those that are equally good
            found.append(max(shared, key=lambda pair: shared[pair]))
        else:
            known = frozenset().union(*labels.values())
            refused.append(no_label_in_common(own[0], known, "/models/NAME/label-studio"))
    if found:
        return found
    if refused:
        raise refused[0]
    kinds = " or ".join(f"<{kind}> (which needs '{need}')" for kind, need in ABILITY.items())
    raise CannotServe(
        f'No model here answers this project: it needs {kinds} over a <Text> with value="$NAME", '
        "and a model that can do it; /info says what the models do."
    )


def _is_single(model: ServedModel) -> bool:
    """Whether a model reads one text, and no pair."""
    return len(model.model.fields) == 1


def _labels(model: ServedModel) -> list[str]:
    """Return the labels of a model, of entities without their letters."""
    names = list(map(str, model.model.label_names))
    if "tag" not in model.abilities or not model.model.finds_entities:
        return names
    return [name.partition("-")[2] for name in names if "-" in name]


async def _answered(
    pair: _Pair, tasks: Sequence[LabelStudioTask], request: Request
) -> list[tuple[_Pair, LabelTask]]:
    """Return the answers to tasks; a text that is empty gets none."""
    control, model = pair
    texts = [_text(task, control.field) for task in tasks]
    filled = [text for text in texts if text.strip()]
    of_tags = control.ability == "tag"
    items: list[Any] = list(filled) if of_tags else [(text,) for text in filled]
    options = None if of_tags else PredictOptions()
    records: list[Any] = []
    if items:
        answered = await Service.of(request).answer(
            request, control.ability, items, options, model=model.name
        )
        records = answered.answers
    given = iter(records)
    return [(pair, _task(text, next(given) if text.strip() else {}, control)) for text in texts]


def _text(task: LabelStudioTask, field: str) -> str:
    """Return the text of a task.

    Raises:
        BadRequest: it has none.
    """
    text = task.data.get(field)
    if text is not None and not isinstance(text, str):
        raise BadRequest(f"tasks: data['{field}'] is no text; the project shows it as ${field}.")
    if field not in task.data:
        raise BadRequest(f"tasks: data has no '{field}', which the project shows as ${field}.")
    return text or ""


def _task(text: str, record: dict[str, Any], control: Control) -> LabelTask:
    """Return an answer; labels that the control lacks are left out, since nobody could see them."""
    texts = {"text": text}
    if control.ability == "tag":
        spans = [each for each in record.get("spans", ()) if control.allows(each["label"])]
        chances = [each["probability"] for each in spans if each["probability"] is not None]
        offsets = [(each["start"], each["end"], each["label"]) for each in spans]
        return LabelTask(texts, spans=offsets, probability=min(chances, default=None))
    labels = [each for each in record.get("labels", ()) if control.allows(str(each["label"]))]
    labels = labels[:1] if control.is_single else labels
    chances = [each["probability"] for each in labels if each["probability"] is not None]
    names = tuple(str(each["label"]) for each in labels)
    return LabelTask(texts, labels=names, probability=min(chances, default=None))


def _regions(control: Control, task: LabelTask) -> list[dict[str, Any]]:
    return results_of(task, control.from_name, control.to_name)
