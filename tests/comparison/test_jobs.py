"""Jobs, done in this process with small models."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import foretext as ft
from foretext.base.errors import SettingError
from foretext.base.parsing import read_toml
from foretext.comparison import jobs
from foretext.comparison.answers import KeptAnswers
from foretext.comparison.candidate import BASELINE
from foretext.comparison.jobs import do_job
from foretext.comparison.local_worker import LocalWorker
from foretext.comparison.rows import read_rows
from foretext.comparison.worker import Answer, Finetune, JobFailed, Pretrain
from foretext.pretraining.shared import shared_parts
from foretext.run_folder import RunFolder
from tests.task_files import TaskFiles, small_settings, write_task_files

VECTORS = {"tokenizer": {"min_count": 1}, "vectors": {"epochs": 1, "vector_size": 8, "workers": 1}}
BERT = {
    "backbone": {"num_layers": 1, "dim": 16, "num_heads": 2, "max_length": 32},
    "training": {"steps": 4, "batch_examples": 8, "valid_steps": 2},
    "tokenizer": {"vocab_size": 120},
}


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


def test_a_job_that_has_ended_gives_its_reply_again(
    files: TaskFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = finetuning(files, "linear", tmp_path / "seed-0")
    reply = do_job(job)
    monkeypatch.setattr(jobs, "run_finetuning", None)  # nothing is learned
    assert do_job(job) == reply


def test_a_run_that_was_finished_is_not_learned_again(
    files: TaskFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = finetuning(files, "linear", tmp_path / "seed-0")
    reply = do_job(job)
    (tmp_path / "seed-0.json").unlink()  # killed before the reply was written
    monkeypatch.setattr(jobs, "run_finetuning", None)
    assert do_job(job).figures == reply.figures


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


def test_a_baseline_is_learned_again_to_answer(files: TaskFiles, tmp_path: Path) -> None:
    train, rows = str(files.train("tagging")), str(files.test("tagging"))
    job = Finetune("tagging", BASELINE, train, rows, str(tmp_path / "seed-0"))
    reply = do_job(job)
    assert reply.judged_by == "f1"
    asked = Answer(str(tmp_path / "seed-0"), "tagging", rows, train, str(tmp_path / "answers"))
    answered = do_job(asked)
    assert answered.figures == reply.figures
    assert len(KeptAnswers.load(tmp_path / "answers").shown) == 18


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
        patch.setattr(
            "foretext.tasks.tagging.network.Tagger.baseline", classmethod(lambda *_: None)
        )
        with pytest.raises(SettingError, match="'tagging' has no baseline"):
            do_job(job)


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
