"""What goes over the pipes of a worker process."""

from __future__ import annotations

import pytest

from foretext.base.errors import OutputError
from foretext.comparison.worker import (
    Answer,
    AnswerReply,
    Done,
    Failed,
    Finetune,
    FinetuneReply,
    Job,
    Message,
    Prepare,
    PrepareReply,
    Pretrain,
    PretrainReply,
    Setup,
    Stopped,
    encoded,
    read_job,
    read_message,
    read_setup,
)

JOBS: list[Job] = [
    Prepare((("bert", {"training": {"steps": 3}}),), ("a",), "shared"),
    Pretrain("bert", ("a", "b"), "base", {"tokenizer": {"vocab_size": 9}}, text_bytes=4),
    Finetune("tagging", "ä\nb", "train", "valid", "seed-0", budget=2.5),
    Answer("run", "tagging", "test", "train", "out"),
]
MESSAGES: list[Message] = [
    Done(PrepareReply(1.0, None, 1.0)),
    Done(PretrainReply(1.0, 0.5, 3, 4, 5, [(0.5, 2.0)])),
    Done(FinetuneReply(1.0, 3, 4, 5, "f1", 0.5, {"f1": 0.5}, [], ["a warning"])),
    Done(AnswerReply(1.0, "f1", 0.5, {"f1": 0.5}, 2.0, 1.0, 3)),
    Failed("No such setting.", "refused"),
    Stopped("Saved."),
]


@pytest.mark.parametrize("job", JOBS, ids=lambda job: job.kind)
def test_a_job_is_one_line(job: Job) -> None:
    line = encoded(job)
    assert line.count(b"\n") == 1
    assert read_job(line) == job


@pytest.mark.parametrize("message", MESSAGES)
def test_a_message_is_one_line(message: Message) -> None:
    line = encoded(message)
    assert line.count(b"\n") == 1
    assert read_message(line) == message


def test_half_of_a_character_in_a_sentence_does_no_harm() -> None:
    assert read_message(encoded(Failed("x\udc80.", "refused"))) == Failed("x?.", "refused")


def test_the_setup_is_one_line() -> None:
    setup = Setup("folder", ["/a"], ["module"])
    assert read_setup(encoded(setup)) == setup


@pytest.mark.parametrize("line", [b"", b"a library prints\n", b'{"kind": "erase"}\n'])
def test_anything_else_is_refused(line: bytes) -> None:
    with pytest.raises(OutputError, match="what a process of the comparison says is damaged"):
        read_message(line)
