"""Why a request is refused: the status, and the sentence in the form that the client reads.

    ForetextError
    └── ServingError
        ├── BadRequest         400  a body that is not what the route takes
        ├── Unauthorized       401  no key, or a wrong one
        ├── Forbidden          403  a page or name of another site
        ├── UnknownModel       404  no model of this name
        ├── TooLarge           413  a body over the limit
        ├── WrongType          415  a body that is no JSON by its header and by itself
        ├── CannotServe        422  the model does not do this, or an input cannot be computed
        ├── Failed             424  the model failed on the request; the log says how
        ├── Full               429  more requests or tokens than are taken on at once
        ├── Broken             500  a defect of the server, which its log describes
        ├── Loading            503  the models are not open yet
        ├── Stopping           503  the server is being stopped
        ├── Unhealthy          503  the server computes no more
        └── TooSlow            503  the answer did not begin in time

Routes below ``/v1/`` answer as OpenAI's server does, with 400 for 422, all others as
text-embeddings-inference.
"""

from __future__ import annotations

import math
import traceback
from collections.abc import Mapping
from typing import Any, ClassVar

from foretext.base.errors import ForetextError
from foretext.base.terminal import say
from foretext.serving.settings import ServingConfig

__all__ = [
    "BadRequest",
    "Broken",
    "CannotServe",
    "Failed",
    "Forbidden",
    "Full",
    "Loading",
    "ServingError",
    "Stopping",
    "TooLarge",
    "TooSlow",
    "Unauthorized",
    "Unhealthy",
    "UnknownModel",
    "WrongType",
    "error_body",
    "error_headers",
    "say_defect",
    "status_at",
    "status_of",
]


class ServingError(ForetextError):
    """A request that is refused."""

    status: ClassVar[int] = 422
    kind: ClassVar[str] = "Validation"  # `error_type` of text-embeddings-inference
    openai_type: ClassVar[str] = "invalid_request_error"
    code: ClassVar[str | None] = None  # of OpenAI
    retry_after: float | None = None  # seconds


class BadRequest(ServingError):  # noqa: N818  the names of statuses
    """A body that is not what the route takes."""

    status = 400


class Unauthorized(ServingError):  # noqa: N818
    """No key, or a wrong one."""

    status = 401
    kind = "Unauthorized"
    code = "invalid_api_key"


class Forbidden(ServingError):  # noqa: N818
    """A page or name of another site."""

    status = 403
    kind = "Forbidden"
    openai_type = "permission_error"
    code = "forbidden"


class UnknownModel(ServingError):  # noqa: N818
    """No model of this name."""

    status = 404
    kind = "Validation"
    code = "model_not_found"


class TooLarge(ServingError):  # noqa: N818
    """A body over the limit."""

    status = 413


class WrongType(ServingError):  # noqa: N818
    """A body that is not JSON, by its header and by itself."""

    status = 415


class CannotServe(ServingError):  # noqa: N818
    """The model does not do this, or an input cannot be computed."""


class Failed(ServingError):  # noqa: N818
    """The model failed on the request; the log says how."""

    status = 424
    kind = "Backend"
    openai_type = "server_error"


class Full(ServingError):  # noqa: N818
    """More requests or tokens than are taken on at once.

    Args:
        message: which limit.
        retry_after: seconds after which there is likely room.
    """

    status = 429
    kind = "Overloaded"
    openai_type = "rate_limit_error"
    code = "rate_limit_exceeded"

    def __init__(self, message: str, retry_after: float) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Broken(ServingError):  # noqa: N818
    """A defect of the server, which its log describes."""

    status = 500
    kind = "Backend"
    openai_type = "server_error"
    code = "defect"


class Loading(ServingError):  # noqa: N818
    """The models are not open yet."""

    status = 503
    kind = "Unhealthy"
    openai_type = "server_error"
    code = "loading"
    retry_after = 1.0


class Stopping(ServingError):  # noqa: N818
    """The server is being stopped."""

    status = 503
    kind = "Unhealthy"
    openai_type = "server_error"
    code = "stopping"
    retry_after = 5.0


class Unhealthy(ServingError):  # noqa: N818
    """The server computes no more."""

    status = 503
    kind = "Unhealthy"
    openai_type = "server_error"
    code = "unhealthy"


class TooSlow(ServingError):  # noqa: N818
    """The answer did not begin in time."""

    status = 503
    kind = "Overloaded"
    openai_type = "server_error"
    code = "timeout"
    retry_after = 1.0


def status_of(error: ForetextError, path: str = "") -> int:
    """Return the status of an error at the route `path`: its own, or that of a wrong input."""
    return status_at(error.status if isinstance(error, ServingError) else ServingError.status, path)


def status_at(status: int, path: str) -> int:
    """Return the status that stands for `status` at the route `path`.

    OpenAI's server knows no 422: whatever is wrong with a request is 400 there.
    """
    return BadRequest.status if status == 422 and path.startswith("/v1/") else status


def error_body(path: str, error: ForetextError) -> dict[str, Any]:
    """Return what a client reads of an error at the route `path`."""
    known = error if isinstance(error, ServingError) else ServingError(str(error))
    if path.startswith("/v1/"):
        facts = {"message": str(error), "type": known.openai_type, "param": None}
        # Clients of text-embeddings-inference read the sentence on the outer level, as pymilvus.
        return {"error": {**facts, "code": known.code}, "message": str(error)}
    return {"error": str(error), "error_type": known.kind}


def error_headers(error: ForetextError) -> Mapping[str, str]:
    """Return whether, and when, it makes sense to ask again; OpenAI's client obeys each of these.

    It would ask again after every 5xx, too, and a defect would meet the same request twice more.
    """
    if not isinstance(error, ServingError) or error.retry_after is None:
        return {"x-should-retry": "false"}
    seconds = error.retry_after
    return {
        "retry-after": str(math.ceil(seconds)),
        "retry-after-ms": str(round(seconds * 1000)),
        "x-should-retry": "true",
    }


def say_defect(defect: BaseException, where: str, settings: ServingConfig) -> None:
    """Write a defect to standard error; its message may hold a client's text.

    Args:
        defect: what was raised.
        where: for the reader, such as "request 3f2a".
        settings: say whether texts are logged.
    """
    places = "".join(traceback.format_tb(defect.__traceback__))
    said = f": {defect}" if settings.log_texts else ""
    say(f"{places}{type(defect).__name__}{said} ({where})", error=True)
