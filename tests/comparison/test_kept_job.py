"""What is written down of a job, so that it is done once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from foretext.base.errors import OutputError, SettingError
from foretext.comparison.kept_job import KeptJob
from foretext.comparison.worker import (
    Answer,
    AnswerReply,
    Finetune,
    FinetuneReply,
    Job,
    Pretrain,
    PretrainReply,
    Reply,
)

FINETUNED = FinetuneReply(2.5, 3, 4, 5, "f1", 0.5, {"f1": 0.5}, [(1.0, 0.25)], ["a warning"])


def pairs(folder: Path) -> list[tuple[Job, Reply]]:
    return [
        (
            Pretrain("bert", ("a", "b"), str(folder / "base"), {"training": {"steps": 3}}, 9.0),
            PretrainReply(1.5, 0.5, 3, 4, 5, [(0.5, 2.0)], 0.75),
        ),
        (
            Finetune("tagging", "lstm", "train", "valid", str(folder / "seed-0"), seed=2),
            FINETUNED,
        ),
        (
            Answer(str(folder), "tagging", "test", "train", str(folder / "answers")),
            AnswerReply(1.0, "f1", 0.5, {"f1": 0.5}, 2.0, 1.0, 3),
        ),
    ]


@pytest.mark.parametrize("place", range(3))
def test_a_job_and_its_reply_are_read_as_they_were(tmp_path: Path, place: int) -> None:
    job, reply = pairs(tmp_path)[place]
    assert KeptJob.begun(job) == KeptJob(job)
    KeptJob(job).ended(reply)
    assert KeptJob.begun(job) == KeptJob(job, reply)
    assert (tmp_path / f"{Path(job.out).name}.json").is_file()


def test_it_keeps_the_time_that_it_began_with(tmp_path: Path) -> None:
    job = Finetune("tagging", "lstm", "train", "valid", str(tmp_path / "seed-0"), budget=8.0)
    KeptJob.begun(job)
    again = KeptJob.begun(replace(job, budget=6.0, quiet=True)).job
    assert again == replace(job, quiet=True)


def test_another_job_in_its_place_is_refused_with_both_values(tmp_path: Path) -> None:
    job = Finetune("tagging", "lstm", "train", "valid", str(tmp_path / "seed-0"))
    KeptJob.begun(job)
    with pytest.raises(SettingError, match='seed-0 began with base = "lstm", not "gru"; resume'):
        KeptJob.begun(replace(job, base="gru"))


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{}",
        '{"job": {"kind": "erase"}}',
        '{"job": {"kind": "answer", "run": 3, "task": "", "rows": "", "train": "", "out": ""}}',
        '{"job": {"kind": "answer", "run": "", "task": "", "rows": "", "train": "", "out": ""}, '
        '"reply": {"kind": "prepared", "seconds": NaN, "text_bytes": null, "text_rate": 1.0}}',
    ],
)
def test_a_damaged_file_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "seed-0.json").write_text(content)
    with pytest.raises(OutputError, match=r"seed-0\.json is damaged"):
        KeptJob.begun(Finetune("tagging", "lstm", "train", "valid", str(tmp_path / "seed-0")))
