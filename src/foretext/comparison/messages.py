"""What goes over the pipes between a comparison and its worker process, a JSON line each.

Setup              once, to the process: where modules are found, which ones are trusted
a job              to the process
Done               back: the reply
Failed             back: the job gave none
Stopped            back: a signal, or the end of its input; the process ends
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Annotated, Any, Literal

from pydantic import Field

from foretext.base.errors import OutputError
from foretext.base.parsing import parse_json
from foretext.comparison.worker import Answer, Cause, Finetune, Job, Prepare, Pretrain, Reply

__all__ = [
    "Done",
    "Failed",
    "Message",
    "Setup",
    "Stopped",
    "encoded",
    "read_job",
    "read_message",
    "read_setup",
]

_AnyJob = Annotated[Prepare | Pretrain | Finetune | Answer, Field(discriminator="kind")]


@dataclass(frozen=True)
class Setup:
    """What the process has in common with the one that starts it.

    Attributes:
        folder: which it locks as long as it lives.
        modules: folders in which Python looks for them.
        trusted: modules that a folder may name.
    """

    folder: str
    modules: list[str] = field(default_factory=list)
    trusted: list[str] = field(default_factory=list)
    kind: Literal["setup"] = "setup"


@dataclass(frozen=True)
class Done:
    """A job has ended well."""

    reply: Annotated[Reply, Field(discriminator="kind")]
    kind: Literal["done"] = "done"


@dataclass(frozen=True)
class Failed:
    """A job gave no reply."""

    sentence: str
    cause: Cause
    kind: Literal["failed"] = "failed"


@dataclass(frozen=True)
class Stopped:
    """The process ends; what was learned is kept."""

    sentence: str
    kind: Literal["stopped"] = "stopped"


Message = Done | Failed | Stopped


def encoded(message: Setup | Job | Message) -> bytes:
    """Return a line."""
    return json.dumps(asdict(message), ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def read_setup(line: bytes) -> Setup:
    """Read the first line that a process gets.

    Raises:
        OutputError: it is something else.
    """
    setup: Setup = _read(line, Setup)
    return setup


def read_job(line: bytes) -> Job:
    """Read a line that a process gets.

    Raises:
        OutputError: it is something else.
    """
    job: Job = _read(line, _AnyJob)
    return job


def read_message(line: bytes) -> Message:
    """Read a line that a process sends.

    Raises:
        OutputError: it is something else.
    """
    message: Message = _read(line, Annotated[Message, Field(discriminator="kind")])
    return message


def _read(line: bytes, kind: Any) -> Any:
    return parse_json(line, "what a process of the comparison says", OutputError, kind)
