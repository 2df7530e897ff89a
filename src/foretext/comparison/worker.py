"""What a comparison asks of the process that trains, and what it gets back.

    Prepare  -> PrepareReply       tokenizers and ids that pretrainings share
    Pretrain -> PretrainReply      a run folder of a pretraining
    Finetune -> FinetuneReply      a run folder of a fine-tuning, measured on the held-out rows
    Answer   -> AnswerReply        answers of such a run to a file of rows

A job may be asked for again: one that has ended gives the reply that it gave, and one that was
killed goes on from its checkpoint. So a comparison that resumes asks for its jobs in the same order
as at first. A candidate that cannot be learned is a `JobFailed`, after which the worker takes the
next job.

What goes over the pipes between a comparison and its worker process, a JSON line each:

    Setup              once, to the process: where modules are found, which ones are trusted
    a job              to the process
    Done               back: the reply
    Failed             back: the job gave none
    Stopped            back: a signal, or the end of its input; the process ends
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from typing import Annotated, Any, Literal, TypeAlias, overload

from pydantic import Field

from foretext.base.errors import ForetextError, OutputError
from foretext.base.parsing import parse_json

__all__ = [
    "Answer",
    "AnswerReply",
    "Cause",
    "Done",
    "Failed",
    "Finetune",
    "FinetuneReply",
    "Job",
    "JobFailed",
    "Message",
    "Prepare",
    "PrepareReply",
    "Pretrain",
    "PretrainReply",
    "Reply",
    "Sections",
    "Setup",
    "Stopped",
    "Worker",
    "encoded",
    "read_job",
    "read_message",
    "read_setup",
]

Sections: TypeAlias = Mapping[str, Mapping[str, Any]]
Number = Annotated[float, Field(allow_inf_nan=False)]
Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Milliseconds = Seconds
Count = Annotated[int, Field(ge=0)]
Cause = Literal["refused", "short", "defect", "memory", "died", "late"]


@dataclass(frozen=True)
class Prepare:
    """Make what several pretrainings share, and decide how much of the corpus all of them read.

    Attributes:
        recipes: names or TOML files, with settings over theirs, by section.
        corpus: files, folders or globs.
        out: the shared folder.
        budget: seconds, about; a corpus that takes longer is cut.
        quiet: show no progress; None: show it on a terminal.
    """

    recipes: tuple[tuple[str, Sections], ...]
    corpus: tuple[str, ...]
    out: str
    budget: float | None = None
    quiet: bool | None = None
    kind: Literal["prepare"] = "prepare"


@dataclass(frozen=True)
class Pretrain:
    """Pretrain a candidate.

    Attributes:
        recipe: a name or a TOML file.
        corpus: files, folders or globs.
        out: the run's folder, new or left by a killed process.
        settings: over those of the recipe, by section.
        budget: seconds from the moment at which the job begins; None: as its settings say.
        shared: folder of counts, tokenizers and ids that candidates share; None: nothing is shared.
        text_bytes: how much of the corpus is read, from its beginning; None: what the budget has
            time for.
        quiet: show no progress; None: show it on a terminal.
    """

    recipe: str
    corpus: tuple[str, ...]
    out: str
    settings: Sections = field(default_factory=dict)
    budget: float | None = None
    shared: str | None = None
    text_bytes: int | None = None
    quiet: bool | None = None
    kind: Literal["pretrain"] = "pretrain"


@dataclass(frozen=True)
class Finetune:
    """Learn a task on a base, measured on held-out rows; the test rows stay unseen.

    Attributes:
        task: a name of `foretext list`, or ``module:Class``.
        base: a name, a path, or `foretext.comparison.candidate.BASELINE`.
        beside: paths of frozen bases, where `base` is the name of what learns on them.
        train: file of rows to learn from.
        valid: file of rows to choose by.
        out: the run's folder, new or left by a killed process.
        settings: of the fine-tuning, by section.
        budget: seconds from the moment at which the job begins; what learns at once needs none.
        seed: counted from 0, over the seed of the settings.
        quiet: show no progress; None: show it on a terminal.
        holds_out: whether weights are chosen by rows of `train`, as `foretext finetune` holds them
            out where it gets no others; those of `valid` are then answered at the end alone.
        answers: folder for the answers to `valid`, where `holds_out`; None: they are not kept.
        is_kept: whether the folder of the run stays once the job has ended.
        unlabelled: file of texts without labels; None: there are none.
        bases: folder of what was pretrained on the texts for several jobs; None: for this alone.
    """

    task: str
    base: str
    train: str
    valid: str
    out: str
    settings: Sections = field(default_factory=dict)
    budget: float | None = None
    seed: int = 0
    quiet: bool | None = None
    holds_out: bool = False
    answers: str | None = None
    is_kept: bool = True
    beside: tuple[str, ...] = ()
    unlabelled: str | None = None
    bases: str | None = None
    kind: Literal["finetune"] = "finetune"


@dataclass(frozen=True)
class Answer:
    """Answer a file of rows by a run of `Finetune`, and measure how long that takes.

    Attributes:
        run: its folder.
        task: that it learned.
        rows: file of rows with their right answers.
        train: file of the rows that it learned from; a baseline learns from them again.
        reading: settings of how both are read, the section `[rows]`.
        out: folder of the answers; `foretext.comparison.answers` reads it.
        quiet: show no progress; None: show it on a terminal.
    """

    run: str
    task: str
    rows: str
    train: str
    out: str
    reading: Mapping[str, Any] = field(default_factory=dict)
    quiet: bool | None = None
    kind: Literal["answer"] = "answer"


Job = Prepare | Pretrain | Finetune | Answer


@dataclass(frozen=True)
class PrepareReply:
    """What pretrainings share.

    Attributes:
        seconds: that it took.
        text_bytes: how much of the corpus is read, from its beginning; None: all.
        text_rate: the same as a share.
    """

    seconds: Seconds
    text_bytes: Count | None
    text_rate: float
    kind: Literal["prepared"] = "prepared"


@dataclass(frozen=True)
class PretrainReply:
    """What came of a pretraining.

    Attributes:
        seconds: that it took, with those before it was killed and resumed.
        shared_seconds: of these, what was made for other candidates too.
        memory_bytes: the most that the process held; 0: the system does not say.
        disk_bytes: of the run's folder.
        parameters: of the model.
        curve: seconds since the job began, and the loss: held out where it was measured.
        text_rate: share of the corpus that was read.
    """

    seconds: Seconds
    shared_seconds: Seconds
    memory_bytes: Count
    disk_bytes: Count
    parameters: Count
    curve: list[tuple[Number, Number]]
    text_rate: float = 1.0
    kind: Literal["pretrained"] = "pretrained"


@dataclass(frozen=True)
class FinetuneReply:
    """What came of a fine-tuning.

    Attributes:
        seconds: that it took, with those before it was killed and resumed.
        memory_bytes: the most that the process held; 0: the system does not say.
        disk_bytes: of the run's folder.
        parameters: of the model.
        judged_by: the figure by which models are compared; higher is better.
        score: of the held-out rows.
        figures: of the held-out rows, all that are numbers.
        curve: seconds since the job began, and the score of the held-out rows, where the training
            measured it.
        warnings: sentences for a person.
        row_seconds: of an answer to a held-out row, where many are answered at once.
        passes: over the rows to learn from; None: it learned from all at once.
    """

    seconds: Seconds
    memory_bytes: Count
    disk_bytes: Count
    parameters: Count
    judged_by: str
    score: Number
    figures: dict[str, Number]
    curve: list[tuple[Number, Number]]
    warnings: list[str]
    row_seconds: Seconds = 0.0
    passes: Seconds | None = None
    kind: Literal["finetuned"] = "finetuned"


@dataclass(frozen=True)
class AnswerReply:
    """What answering a file of rows gave.

    Attributes:
        seconds: of the whole job.
        judged_by: the figure by which models are compared; higher is better.
        score: of the rows.
        figures: of the rows, all that are numbers.
        milliseconds_per_row: of one row at a time, the median: what a user waits for.
        milliseconds_in_batches: of a row where many are answered at once.
        memory_bytes: the most that the process held; 0: the system does not say.
    """

    seconds: Seconds
    judged_by: str
    score: Number
    figures: dict[str, Number]
    milliseconds_per_row: Milliseconds
    milliseconds_in_batches: Milliseconds
    memory_bytes: Count
    kind: Literal["answered"] = "answered"


Reply = PrepareReply | PretrainReply | FinetuneReply | AnswerReply


class JobFailed(ForetextError):  # noqa: N818  an event, not an error of the user
    """A job that gave no reply: its candidate is a row with this sentence.

    Attributes:
        cause: "refused": the user can correct it, such as a setting; "short": nothing can be
            learned in its budget; "memory"; "died": its process was ended by the system; "late":
            it was stopped at the limit; "defect": of foretext.
        seconds: that it took.
    """

    def __init__(self, sentence: str, cause: Cause, seconds: float) -> None:
        super().__init__(sentence)
        self.cause = cause
        self.seconds = seconds


class Worker(AbstractContextManager["Worker"], ABC):
    """Does one job after another; leaving its context ends it."""

    def start(self) -> None:
        """Get ready for the first job while the caller does something else; it may be left out."""
        return

    @overload
    def run(self, job: Prepare, *, limit: float | None = None) -> PrepareReply: ...
    @overload
    def run(self, job: Pretrain, *, limit: float | None = None) -> PretrainReply: ...
    @overload
    def run(self, job: Finetune, *, limit: float | None = None) -> FinetuneReply: ...
    @overload
    def run(self, job: Answer, *, limit: float | None = None) -> AnswerReply: ...
    @abstractmethod
    def run(self, job: Job, *, limit: float | None = None) -> Reply:
        """Do a job, and return what came of it.

        Args:
            job: to do, or to do again.
            limit: seconds after which it is stopped; None: it ends by itself.

        Raises:
            JobFailed: it gave no reply; the worker takes the next job.
            Interrupted: a signal asked for the end; what was learned is kept for the same job.
        """


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
