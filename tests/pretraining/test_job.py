"""Which run goes on when torchrun starts all processes again."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import foretext as ft
from foretext.base.errors import CorpusError, ForetextError, OutputError, VectorFileError
from foretext.pretraining.job import goes_on_after_restart, keep_job, run_folder
from foretext.progress import MetricsLog
from foretext.recipe import Recipe
from foretext.run_folder import RunFolder
from foretext.vectors.word2vec import Word2Vec
from foretext.vectors.word_vectors import WordVectors

JOB = {
    "TORCHELASTIC_RUN_ID": "a",
    "TORCHELASTIC_RESTART_COUNT": "1",
    "MASTER_ADDR": "first",
    "MASTER_PORT": "40001",
}

HOLD = """
import sys, time
from foretext.pretraining.job import run_folder
from foretext.progress import MetricsLog
with run_folder(sys.argv[1], overwrite=False, resume=False) as run:
    run.recipe.write_text("")
    (run.path / "held").touch()
    time.sleep(60)
"""


@pytest.fixture(params=["a", "none"])
def run(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> RunFolder:
    """A run that a job with this id began, and was started again for."""
    for name, value in {**JOB, "TORCHELASTIC_RUN_ID": request.param}.items():
        monkeypatch.setenv(name, value)
    run = RunFolder(tmp_path)
    run.begin()
    keep_job(run)
    return run


def test_the_run_of_the_same_job_goes_on(run: RunFolder) -> None:
    assert goes_on_after_restart(run.path)
    assert not goes_on_after_restart(run.path / "another")
    assert not goes_on_after_restart(None)


@pytest.mark.parametrize(("name", "value"), [("TORCHELASTIC_RUN_ID", "b"), ("MASTER_PORT", "1")])
def test_other_runs_do_not(
    run: RunFolder, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    assert not goes_on_after_restart(run.path)


def test_a_machine_that_lost_no_process_counts_no_restart(
    run: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TORCHELASTIC_RESTART_COUNT", "0")
    is_named = os.environ["TORCHELASTIC_RUN_ID"] != "none"  # or another job may be the same
    assert goes_on_after_restart(run.path) == is_named


def test_without_torchrun_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TORCHELASTIC_RUN_ID", raising=False)
    run = RunFolder(tmp_path)
    run.begin()
    keep_job(run)
    assert not list(run.checkpoints.iterdir())


def test_two_runs_do_not_share_a_folder(tmp_path: Path) -> None:
    out = tmp_path / "run"
    with run_folder(out, overwrite=False, resume=False) as run:
        run.recipe.write_text("")
        for resume in (True, False):
            with (
                pytest.raises(OutputError, match="Another process is at work in"),
                run_folder(out, overwrite=not resume, resume=resume),
            ):
                pass
        seen = [path.name for path in tmp_path.iterdir() if not path.name.startswith(".")]
        assert seen == ["run"]  # Windows locks a hidden file beside it
        assert sorted(path.name for path in out.iterdir()) == ["checkpoints", "recipe.toml"]
    with run_folder(out, overwrite=False, resume=True):
        pass
    with run_folder(out, overwrite=True, resume=False):
        pass


def test_a_process_that_dies_lets_go(tmp_path: Path) -> None:
    out = tmp_path / "run"
    with subprocess.Popen([sys.executable, "-c", HOLD, str(out)]) as process:
        until = time.monotonic() + 60
        while not (out / "held").exists():
            assert time.monotonic() < until
            assert process.poll() is None
            time.sleep(0.05)
        with (
            pytest.raises(OutputError, match="wait for its end, or choose another folder"),
            run_folder(out, overwrite=True, resume=False),
        ):
            pass
        process.kill()
    with run_folder(out, overwrite=False, resume=True) as run:
        assert run.begun


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text.txt"
    path.write_text("the cat sees the dog and the dog sees the cat\n" * 40)
    return path


def records(run: Path) -> list[dict[str, Any]]:
    return MetricsLog(run / "metrics.jsonl").read()


def learn(text: Path, out: Path, seed: int = 1, epochs: int = 1, **options: Any) -> WordVectors:
    settings = (
        f"vectors.epochs={epochs}", f"vectors.seed={seed}", "vectors.vector_size=4",
        "vectors.workers=1", "vectors.sample=0", "tokenizer.min_count=1",
    )  # fmt: skip
    vectors = ft.pretrain(Recipe.load("word2vec", settings), text, out, **options)
    assert isinstance(vectors, WordVectors)
    return vectors


def weights(run: Path) -> list[list[float]]:
    kept: list[list[float]] = ft.load(run).vectors.tolist()
    return kept


class TestReplacement:
    def test_the_old_run_is_in_use_until_the_new_one_is_finished(
        self, text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        out = tmp_path / "run"
        before = learn(text, out).vectors.tolist()
        finish, seen = RunFolder.finish, []

        def watched(run: RunFolder, *arguments: Any) -> None:
            seen.append((run.path, weights(out)))
            finish(run, *arguments)

        monkeypatch.setattr(RunFolder, "finish", watched)
        after = learn(text, out, seed=2, overwrite=True).vectors.tolist()
        assert seen == [(out / "replacement", before)]
        assert weights(out) == after != before
        assert not {path.name for path in out.iterdir()} & {"replacement", "moving", "checkpoints"}
        assert str(out / "replacement") not in (out / "README.md").read_text()

    def test_a_run_that_fails_leaves_the_old_one(self, text: Path, tmp_path: Path) -> None:
        out = tmp_path / "run"
        before = learn(text, out).vectors.tolist()
        (tmp_path / "empty.txt").touch()
        with pytest.raises(CorpusError):
            learn(tmp_path / "empty.txt", out, overwrite=True)
        assert weights(out) == before
        assert not (out / "replacement").exists()

    def test_through_a_link(self, text: Path, tmp_path: Path) -> None:
        (tmp_path / "real").mkdir()
        out = tmp_path / "link"
        out.symlink_to(tmp_path / "real")
        learn(text, out)
        after = learn(text, out, seed=2, overwrite=True).vectors.tolist()
        with pytest.raises(CorpusError):
            learn(tmp_path / "absent.txt", out, seed=3, overwrite=True)
        assert weights(tmp_path / "real") == after
        assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "real", "text.txt"]

    def test_the_folder_that_one_stands_in(
        self, text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "here").mkdir()
        monkeypatch.chdir(tmp_path / "here")
        learn(text, Path())
        after = learn(text, Path(), seed=2, overwrite=True).vectors.tolist()
        assert weights(tmp_path / "here") == after

    def test_an_interrupted_replacement_is_resumed(
        self, text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        out = tmp_path / "run"
        before = learn(text, out).vectors.tolist()
        after = learn(text, tmp_path / "other", seed=2).vectors.tolist()
        with monkeypatch.context() as patched:
            patched.setattr(WordVectors, "save", disk_is_full)
            with pytest.raises(OutputError):
                learn(text, out, seed=2, overwrite=True)
        assert weights(out) == before
        learn(text, out, seed=2, resume=True)
        assert weights(out) == after


def disk_is_full(*_: object, **__: object) -> None:
    raise OutputError("The disk is full.")


class TestFullDisk:
    def test_a_training_that_is_done_is_not_done_again(
        self, text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        out = tmp_path / "run"
        with monkeypatch.context() as patched:
            patched.setattr(WordVectors, "save", disk_is_full)
            with pytest.raises(OutputError, match="The disk is full"):
                learn(text, out)
        assert list((out / "checkpoints").glob("step-*"))
        with pytest.raises(VectorFileError, match="an unfinished run; finish it with --resume"):
            ft.load(out)
        with monkeypatch.context() as patched:
            patched.setattr(Word2Vec, "learn", None)
            resumed = learn(text, out, resume=True)
        assert resumed.vectors.tolist() == learn(text, tmp_path / "other").vectors.tolist()

    def test_a_record_that_cannot_be_written_costs_nothing(
        self, text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        out, append, count = tmp_path / "run", MetricsLog.append, 0

        def third_fails(log: MetricsLog, record: dict[str, Any]) -> None:
            nonlocal count
            count += 1
            if count == 3:
                raise OutputError("The disk is full.")
            append(log, record)

        monkeypatch.setattr(MetricsLog, "append", third_fails)
        with pytest.raises(OutputError, match="What was learned is kept; go on with --resume"):
            learn(text, out, epochs=6)
        resumed = learn(text, out, epochs=6, resume=True)
        whole = learn(text, tmp_path / "whole", epochs=6)
        assert resumed.vectors.tolist() == whole.vectors.tolist()
        losses = [[record["loss"] for record in records(run)] for run in (out, tmp_path / "whole")]
        assert losses[0] == losses[1]
        assert len(losses[0]) > 3

    @pytest.mark.skipif(not hasattr(os, "posix_fallocate"), reason="no room can be reserved")
    def test_it_is_noticed_before_the_first_step(
        self, text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def full(*_: object) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(os, "posix_fallocate", full)
        with pytest.raises(OutputError, match=r"needs [\d,]+ bytes for a checkpoint, and"):
            learn(text, tmp_path / "run")


class TestFirstSteps:
    @pytest.mark.parametrize(
        "left",
        [(), ("checkpoints/",), ("plan.json", "train.log", "checkpoints/"), (".x.partial/",)],
    )
    def test_what_died_at_its_first_steps_is_begun_again(
        self, text: Path, tmp_path: Path, left: tuple[str, ...]
    ) -> None:
        out = tmp_path / "run"
        out.mkdir()
        for name in left:
            (out / name).mkdir() if name.endswith("/") else (out / name).touch()
        learn(text, out)
        assert not (out / "plan.json").exists()

    def test_files_of_others_are_refused(self, text: Path, tmp_path: Path) -> None:
        out = tmp_path / "run"
        (out / "checkpoints").mkdir(parents=True)
        (out / "checkpoints" / "mine").touch()
        for overwrite in (False, True):
            with pytest.raises(OutputError, match="a folder with other files in it"):
                learn(text, out, overwrite=overwrite)
        assert (out / "checkpoints" / "mine").exists()


def openers() -> dict[str, Any]:
    from foretext.language_model import LanguageModel
    from foretext.language_model.codec import Codec
    from foretext.tasks.model import TaskModel

    classes = (Codec, LanguageModel, TaskModel, ft.FastTextClassifier, ft.LinearClassifier)
    return {"load": ft.load, **{each.__name__: each.load for each in classes}}


@pytest.mark.parametrize("opener", openers().values(), ids=openers())
def test_an_unfinished_run_does_not_open(tmp_path: Path, opener: Any) -> None:
    """Not even at its last step, when all its files but the page are there."""
    (tmp_path / "recipe.toml").touch()
    (tmp_path / "config.json").write_text('{"kind": "autoencoder"}')
    (tmp_path / "checkpoints").mkdir()
    with pytest.raises(ForetextError, match="holds an unfinished run; finish it with --resume"):
        opener(tmp_path)
