"""Jobs, done in this process with small models."""

from __future__ import annotations

import json
import os
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import foretext as ft
from foretext.base.errors import OutputError, SettingError
from foretext.base.parsing import read_toml
from foretext.comparison import jobs
from foretext.comparison.answers import KeptAnswers
from foretext.comparison.candidate import BASELINE
from foretext.comparison.jobs import KeptJob, RunCurve, do_job
from foretext.comparison.local_worker import LocalWorker
from foretext.comparison.rows import read_rows
from foretext.comparison.worker import (
    Answer,
    AnswerReply,
    Finetune,
    FinetuneReply,
    Job,
    JobFailed,
    Pretrain,
    PretrainReply,
    Reply,
)
from foretext.pretraining.shared import shared_parts
from foretext.run_folder import RunFolder
from tests.task_files import TaskFiles, small_settings, write_task_files

VECTORS = {"tokenizer": {"min_count": 1}, "vectors": {"epochs": 1, "vector_size": 8, "workers": 1}}
BERT = {
    "backbone": {"num_layers": 1, "dim": 16, "num_heads": 2, "max_length": 32},
    "training": {"steps": 4, "batch_examples": 8, "valid_steps": 2},
    "tokenizer": {"vocab_size": 120},
}

FINETUNED = FinetuneReply(2.5, 3, 4, 5, "f1", 0.5, {"f1": 0.5}, [(1.0, 0.25)], ["a warning"])


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> TaskFiles:
    return write_task_files(tmp_path_factory.mktemp("rows"))


def finetuning(files: TaskFiles, base: str, out: Path, **chosen: object) -> Finetune:
    train, valid = (str(find("classification")) for find in (files.train, files.test))
    job = Finetune("classification", base, train, valid, str(out), quiet=True)
    return replace(job, **chosen)  # type: ignore[arg-type]


def test_vectors_are_learned_and_a_task_on_them(
    files: TaskFiles, animal_text: Path, tmp_path: Path
) -> None:
    asked = Pretrain("word2vec", (str(animal_text),), str(tmp_path / "base"), VECTORS, quiet=True)
    base = do_job(asked)
    vectors = ft.load(tmp_path / "base", ft.WordVectors)
    assert base.parameters == vectors.vectors.size
    assert base.curve
    assert all(0 < at <= base.seconds for at, _ in base.curve)
    settings = small_settings("textcnn") | {"backbone": {"name": "textcnn", "num_maps": 4}}
    reply = do_job(
        finetuning(files, str(tmp_path / "base"), tmp_path / "seed-0", settings=settings)
    )
    run = RunFolder(tmp_path / "seed-0")
    assert reply.score == run.facts()["valid"]["accuracy"] == reply.figures[reply.judged_by]
    assert run.facts()["test"] is None
    assert run.facts()["baseline"] is None
    assert reply.parameters == ft.load(tmp_path / "seed-0").num_parameters
    assert reply.disk_bytes > 4 * reply.parameters
    assert [at for at, _ in reply.curve] == sorted(at for at, _ in reply.curve)


@pytest.mark.slow
def test_tokenizer_and_ids_are_shared(animal_text: Path, tmp_path: Path) -> None:
    shared = str(tmp_path / "shared")
    asked = Pretrain(
        "bert", (str(animal_text),), str(tmp_path / "a"), BERT, shared=shared, quiet=True
    )
    first = do_job(asked)
    second = do_job(replace(asked, out=str(tmp_path / "b")))
    assert first.shared_seconds > 0
    assert second.shared_seconds == 0
    assert not any(part.made for part in shared_parts(RunFolder(tmp_path / "b")))
    assert second.parameters == first.parameters


@pytest.mark.slow
def test_seeds_count_from_that_of_the_settings(files: TaskFiles, tmp_path: Path) -> None:
    settings = {"training": {"steps": 1, "seed": 7}, "backbone": {"num_maps": 4}}
    do_job(finetuning(files, "textcnn", tmp_path / "a", settings=settings))
    do_job(finetuning(files, "textcnn", tmp_path / "b", settings=settings, seed=2))
    do_job(finetuning(files, "linear", tmp_path / "c", seed=2, budget=5.0))  # has none
    seeds = [
        read_toml(tmp_path / name / "recipe.toml", SettingError)["training"]["seed"]
        for name in ("a", "b")
    ]
    assert seeds == [7, 9]


@pytest.mark.parametrize(("own", "seed", "expected"), [(0, 3, 3), (7, 2, 9), (7, 0, 7)])
def test_what_learns_at_once_has_the_seed_of_its_job(
    files: TaskFiles, tmp_path: Path, own: int, seed: int, expected: int
) -> None:
    settings = {"embeddings": {"seed": own, "words": True}}
    do_job(finetuning(files, "embeddings", tmp_path / "run", settings=settings, seed=seed))
    kept = read_toml(tmp_path / "run" / "recipe.toml", SettingError)
    assert kept["embeddings"]["seed"] == expected


def test_a_job_that_has_ended_gives_its_reply_again(
    files: TaskFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = finetuning(files, "linear", tmp_path / "seed-0")
    reply = do_job(job)
    monkeypatch.setattr(jobs, "run_finetuning", None)  # nothing is learned
    assert do_job(job) == reply


@pytest.mark.slow
def test_a_run_that_was_finished_is_not_learned_again(
    files: TaskFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = finetuning(files, "linear", tmp_path / "seed-0")
    reply = do_job(job)
    (tmp_path / "seed-0.json").unlink()  # killed before the reply was written
    monkeypatch.setattr(jobs, "run_finetuning", None)
    assert do_job(job).figures == reply.figures


@pytest.mark.slow
def test_a_model_answers_rows(files: TaskFiles, tmp_path: Path) -> None:
    do_job(finetuning(files, "linear", tmp_path / "seed-0"))
    rows, train = (str(find("classification")) for find in (files.test, files.train))
    out = tmp_path / "answers"
    reply = do_job(Answer(str(tmp_path / "seed-0"), "classification", rows, train, str(out)))
    kept = KeptAnswers.load(out)
    model = ft.load(tmp_path / "seed-0")
    assert reply.score == kept.score == model.evaluate(rows)["accuracy"]
    assert kept.num_rows == 18
    assert reply.milliseconds_per_row > 0
    assert reply.milliseconds_in_batches > 0


@pytest.mark.slow
def test_a_baseline_is_learned_again_to_answer(files: TaskFiles, tmp_path: Path) -> None:
    train, rows = str(files.train("tagging")), str(files.test("tagging"))
    job = Finetune("tagging", BASELINE, train, rows, str(tmp_path / "seed-0"))
    reply = do_job(job)
    assert reply.judged_by == "f1"
    asked = Answer(str(tmp_path / "seed-0"), "tagging", rows, train, str(tmp_path / "answers"))
    answered = do_job(asked)
    assert answered.figures == reply.figures
    assert len(KeptAnswers.load(tmp_path / "answers").shown) == 18


@pytest.mark.slow
def test_rows_are_read_as_they_were_written(tmp_path: Path) -> None:
    given = [{"text_a": f"a {n}", "text_b": f"a {n % 7}", "score": n / 7} for n in range(60)]
    rows = read_rows("matching", {"train": given}, {"score": "score"})
    files = {part: str(path) for part, path in rows.write(tmp_path / "rows").items()}
    job = Finetune("matching", BASELINE, files["train"], files["valid"], str(tmp_path / "seed-0"))
    reply = do_job(replace(job, settings={"rows": rows.settings}))
    assert reply.judged_by == "spearman"
    asked = Answer(job.out, "matching", files["valid"], files["train"], str(tmp_path / "answers"))
    assert do_job(replace(asked, reading=rows.settings)).figures == reply.figures


def test_a_task_without_a_baseline_says_so(files: TaskFiles, tmp_path: Path) -> None:
    train, rows = str(files.train("tagging")), str(files.test("tagging"))
    job = Finetune("tagging", BASELINE, train, rows, str(tmp_path / "seed-0"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("foretext.tasks.tagging.task.Tagging.baseline", lambda *_: None)
        with pytest.raises(SettingError, match="'tagging' has no baseline"):
            do_job(job)


@pytest.mark.slow
def test_a_candidate_that_cannot_be_learned_fails_with_its_sentence(
    files: TaskFiles, tmp_path: Path
) -> None:
    with LocalWorker() as worker:
        with pytest.raises(JobFailed, match="there is no such run") as failure:
            worker.run(finetuning(files, "nothing", tmp_path / "seed-0"))
        assert failure.value.cause == "refused"
        with pytest.raises(JobFailed, match="mask_rat: there is no such setting"):
            worker.run(
                Pretrain("bert", ("a",), str(tmp_path / "base"), {"objective": {"mask_rat": 1}})
            )


def test_a_lack_of_memory_is_told_from_a_defect(
    files: TaskFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried 8 bytes.")

    monkeypatch.setattr(jobs, "run_finetuning", fail)
    with pytest.raises(
        JobFailed, match=r"^The memory does not suffice \(.* 8 bytes\); "
    ) as failure:
        LocalWorker().run(finetuning(files, "linear", tmp_path / "seed-0"))
    assert failure.value.cause == "memory"


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
    with pytest.raises(SettingError, match="seed-0 began with base = 'lstm', not 'gru'; resume"):
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


def write_records(folder: Path, records: list[dict[str, Any]], at: float | None = None) -> None:
    """Write records as a training does, the last one at a moment of the system's clock."""
    path = folder / "metrics.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    if at is not None:
        os.utime(path, (at, at))


def test_seconds_before_the_first_step_count(tmp_path: Path) -> None:
    curve = RunCurve.begun(tmp_path)
    records = [{"time": 1.0, "loss": 3.0}, {"time": 4.0, "loss": 2.0}]
    write_records(tmp_path, records, at=curve._began_at + 10.0)  # six of preparation
    points = curve.points(["loss"])
    assert [value for _, value in points] == [3.0, 2.0]
    assert [seconds for seconds, _ in points] == pytest.approx([7.0, 10.0], abs=0.01)


def test_what_is_held_out_counts_where_it_was_measured_more_than_once(tmp_path: Path) -> None:
    curve = RunCurve.begun(tmp_path)
    names = ["valid_loss", "loss"]
    first = {"time": 1.0, "loss": 3.0}
    write_records(tmp_path, [first, {"time": 2.0, "loss": 2.0, "valid_loss": 2.5}])
    assert [value for _, value in curve.points(names)] == [3.0, 2.0]
    both = {"valid_loss": 3.5}
    write_records(tmp_path, [first | both, {"time": 2.0, "loss": 2.0, "valid_loss": 2.5}])
    assert [value for _, value in curve.points(names)] == [3.5, 2.5]


def test_a_run_without_records_has_no_curve(tmp_path: Path) -> None:
    assert RunCurve.begun(tmp_path).points(["valid_accuracy"]) == []


def test_the_seconds_of_a_killed_process_count(tmp_path: Path) -> None:
    write_records(tmp_path, [{"time": 30.0, "loss": 3.0}])
    curve = RunCurve.begun(tmp_path)
    assert 30.0 <= curve.seconds < 60.0
    write_records(
        tmp_path,
        [{"time": 30.0, "loss": 3.0}, {"time": 35.0, "loss": 2.0}],
        at=time.time() + 7.0,  # two of preparation
    )
    assert [seconds for seconds, _ in curve.points(["loss"])] == pytest.approx([32, 37], abs=1)
