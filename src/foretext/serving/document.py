"""``openapi.json``: every route with its fields, its answers, and how it refuses."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from foretext._version import __version__
from foretext.serving.errors import ServingError, status_at

__all__ = ["document"]

DESCRIPTION = """\
Models of foretext behind HTTP. Clients of OpenAI, Hugging Face and text-embeddings-inference talk \
to the same routes as to their own servers. GET /info says which models there are and what each of \
them can do. Every body may name its model; otherwise the first one that can do it answers.

A refusal is one sentence with its cause and a remedy. 429 and 503 say in Retry-After when to ask \
again."""

TAGS = {
    "text-embeddings-inference": "Vectors, labels, scores and tokens, as its clients ask.",
    "huggingface_hub": "What its InferenceClient asks: one address for every kind of model.",
    "rerank": "Texts by their relevance to a query, in two forms.",
    "OpenAI": "What OpenAI's client, LangChain and lm-eval ask.",
    "words and tokens": "Neighbours, analogies, maps of words; masks; attention.",
    "tasks": "What models have learned from rows: labels, tags, answers, translations.",
    "search": "Passages that answer a query.",
    "operations": "Health, facts and metrics, for those who run the server.",
}
OF_INPUTS = frozenset({400, 413, 415, 422})  # statuses of what a request brings
KEY = {"type": "http", "scheme": "bearer", "description": "Needed where the server has keys."}
WAITING = {
    "Retry-After": {
        "description": "Seconds after which to ask again.",
        "schema": {"type": "integer", "minimum": 0},
    }
}
_TEXT, _TEXT_OR_NULL = {"type": "string"}, {"type": ["string", "null"]}
ERRORS = {
    "Error": {
        "type": "object",
        "description": "Why a request is refused.",
        "properties": {"error": _TEXT, "error_type": _TEXT},
        "required": ["error", "error_type"],
    },
    "OpenAIError": {
        "type": "object",
        "description": "Why a request is refused, in OpenAI's form.",
        "properties": {
            "error": {
                "type": "object",
                "properties": {
                    "message": _TEXT,
                    "type": _TEXT,
                    "param": _TEXT_OR_NULL,
                    "code": _TEXT_OR_NULL,
                },
                "required": ["message", "type", "param", "code"],
            },
            "message": _TEXT,
        },
        "required": ["error", "message"],
    },
}


def document(app: FastAPI) -> dict[str, Any]:
    """Return the description of an application by OpenAPI 3.1."""
    found = get_openapi(
        title="foretext",
        version=__version__,
        description=DESCRIPTION,
        routes=app.routes,
        tags=[{"name": name, "description": text} for name, text in TAGS.items()],
    )
    for path, operations in found["paths"].items():
        for operation in operations.values():
            answers = operation["responses"]
            invalid = answers.pop("422", None)  # FastAPI's; it has none where nothing is read
            answers.update(_refusals(path, reads=invalid is not None))
    components = found.setdefault("components", {})
    schemas = components.setdefault("schemas", {})
    for name in ("HTTPValidationError", "ValidationError"):  # FastAPI's form, which is not ours
        schemas.pop(name, None)
    schemas.update(ERRORS)
    components["securitySchemes"] = {"key": KEY}
    found["security"] = [{}, {"key": []}]
    return found


def _refusals(path: str, *, reads: bool) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each status by which a route may refuse, and what the answer is then."""
    form = "OpenAIError" if path.startswith("/v1/") else "Error"
    reasons: dict[int, list[str]] = defaultdict(list)
    for error in ServingError.__subclasses__():
        assert error.__doc__ is not None
        reasons[status_at(error.status, path)].append(error.__doc__.partition("\n")[0])
    for status, sentences in sorted(reasons.items()):
        if not reads and status in OF_INPUTS:
            continue
        answer: dict[str, Any] = {
            "description": " ".join(sentences),
            "content": {"application/json": {"schema": {"$ref": f"#/components/schemas/{form}"}}},
        }
        if status in (429, 503):
            answer["headers"] = WAITING
        yield str(status), answer
