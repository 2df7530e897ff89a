"""Several processes learn word vectors: as well as one, in the same bits, whatever dies."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import foretext as ft
from foretext.base.errors import OutputError, SettingError
from foretext.progress.checkpoint import Checkpoints
from foretext.progress.run_context import RunContext
from foretext.vectors.hogwild import train_hogwild
from foretext.vectors.replicas.averaging import Replica, shares_of_changes
from foretext.vectors.replicas.local_group import LocalProcesses, LocalReplicaGroup, SharedWeights
from foretext.vectors.replicas.plan import ReplicaPlan
from foretext.vectors.replicas.tiers import ROUNDS
from foretext.vectors.replicas.training import Replicas
from tests.processes import started, wait_for_records
from tests.vectors.replicas.models import Text, learner, trained
from tests.vectors.texts import share_in_topic, write_topics


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("word2vec", {}),
        ("word2vec", {"model": "cbow", "alpha": 0.2}),
        ("word2vec", {"loss": "hs", "processes": 3}),
        ("word2vec", {"loss": "hs", "workers": 4}),
        ("fasttext", {"bucket": 500}),
    ],
)
def test_every_kind_learns(text: Text, tmp_path: Path, name: str, settings: dict[str, Any]) -> None:
    model = trained(text, tmp_path, name, **settings)
    assert share_in_topic(model.vectors()) > 0.9
    alone = trained(text, tmp_path, name, **{**settings, "processes": 1})
    assert model.held_out_loss() < 1.05 * alone.held_out_loss()


def test_one_process_is_the_training_of_before(text: Text, tmp_path: Path) -> None:
    model = trained(text, tmp_path, processes=1)
    before = learner(text, processes=1)
    train_hogwild(before, before.config, RunContext(tmp_path))
    for name, array in before.arrays().items():
        np.testing.assert_array_equal(model.arrays()[name], array)


@pytest.mark.slow
def test_the_same_number_of_processes_gives_the_same_bits(text: Text, tmp_path: Path) -> None:
    first, second, third = (
        trained(text, tmp_path, epochs=2, processes=processes) for processes in (2, 2, 3)
    )
    np.testing.assert_array_equal(first.vectors().vectors, second.vectors().vectors)
    assert not np.array_equal(first.vectors().vectors, third.vectors().vectors)


def test_a_cycle_is_that_of_a_twin_in_numpy(text: Text, tmp_path: Path) -> None:
    """Copies that learn one after another here, and are merged by numpy, matrix by matrix."""
    model = learner(text)
    start = {name: array.copy() for name, array in model.arrays().items()}
    with LocalReplicaGroup(model) as group:
        replicas = Replicas(model, group, RunContext(tmp_path))
        replicas.compile()
        learned = replicas.learn(0, 0, (0.05, 0.04), 7)
    ours = {name: array.copy() for name, array in model.arrays().items()}

    weights = SharedWeights(start, 2)
    parts = [Replica(learner(text), weights, number) for number in range(2)]
    words = 0
    for name, array in start.items():
        weights.averaged[name][:] = weights.merged[name][:] = array
    for part in parts:
        part.begin()
    for number in range(ROUNDS):
        words += sum(part.learn(0, number, [0.05, 0.04], 7).words for part in parts)
        for name, rows in model.rows().items():
            first, last = rows.due(number, 0, 1)
            shape = (-1, rows.stride)
            merged = weights.merged[name].reshape(shape)[first:last]
            copies = [part.own[name].reshape(shape)[first:last] for part in parts]
            shares = shares_of_changes(parts[0].meetings[name][first:last], 0.05, 2)
            merged += shares[:, None] * (np.stack(copies) - merged).sum(axis=0)
            for copy in copies:
                copy[...] = merged
    assert words == learned.words
    for name, array in ours.items():
        np.testing.assert_allclose(array, weights.merged[name], atol=1e-5)
        assert np.abs(array - start[name]).max() > 0.01


@pytest.mark.slow
def test_a_process_that_dies_changes_no_bit(
    text: Text, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unbroken = trained(text, tmp_path, epochs=2)
    ask, notes = LocalProcesses.ask, []
    deaths: list[tuple[Any, ...]] = [("learn", 0, 3), ("keep",), ("merge", 20)]

    def killing(self: Any, name: str, *arguments: Any) -> list[Any]:
        if deaths and (name, *arguments)[: len(deaths[0])] == deaths[0]:
            deaths.pop(0)
            self._processes[1].kill()
        return ask(self, name, *arguments)

    monkeypatch.setattr(LocalProcesses, "ask", killing)
    model = learner(text, epochs=2)
    model.train(RunContext(tmp_path, note=notes.append))
    assert len(notes) == 3
    assert all("process 1 of the training ended (code -9)" in note for note in notes)
    np.testing.assert_array_equal(model.vectors().vectors, unbroken.vectors().vectors)


@pytest.mark.slow
def test_processes_that_always_die_leave_what_was_learned(
    text: Text, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = LocalProcesses.ask

    def killing(self: Any, name: str, *arguments: Any) -> list[Any]:
        if name == "merge" and arguments[0] == 3 and len(list(tmp_path.glob("step-*"))):
            self._processes[0].kill()
        return ask(self, name, *arguments)

    monkeypatch.setattr(LocalProcesses, "ask", killing)
    context = RunContext(tmp_path, checkpoints=Checkpoints(tmp_path))
    with pytest.raises(OutputError, match=r"ended 3 times.* go on with --resume"):
        learner(text, checkpoint_seconds=0.0).train(context)
    monkeypatch.setattr(LocalProcesses, "ask", ask)
    context = RunContext(tmp_path, checkpoints=Checkpoints(tmp_path), resume=True)
    model = learner(text)
    model.train(context)
    np.testing.assert_array_equal(
        model.vectors().vectors, trained(text, tmp_path / "unbroken").vectors().vectors
    )


def test_a_text_that_is_gone_is_one_sentence(text: Text, tmp_path: Path) -> None:
    model = learner(text)
    plan = ReplicaPlan.of(model).model_copy(update={"text": str(tmp_path / "gone")})
    with pytest.raises(ft.ForetextError, match=r"gone.* is missing"):
        plan.built()


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"processes": 0}, "greater than or equal to 1"),
        ({"processes": 1, "sync_words": 1000}, "sync_words would have no effect with one process"),
    ],
)
def test_settings_that_do_not_hold_are_refused(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SettingError, match=sentence):
        ft.Word2Vec(**settings).fit(["the ship", "the sea"])


def command(corpus: Path, run: Path, *more: str) -> list[str]:
    settings = ("vectors.workers=1", "vectors.processes=2", "vectors.epochs=20",
                "vectors.vector_size=24", "vectors.checkpoint_seconds=0",
                "tokenizer.min_count=1")  # fmt: skip
    chosen = [part for setting in settings for part in ("--set", setting)]
    verb = [sys.executable, "-m", "foretext", "pretrain", "word2vec", str(corpus)]
    return [*verb, "--output", str(run), "--no-report", *chosen, *more]


def killed(corpus: Path, run: Path, number: signal.Signals) -> None:
    """Start a run, and send the signal once a few records are there."""
    with started(command(corpus, run), stderr=subprocess.PIPE, text=True) as process:
        wait_for_records(process, run, 5, seconds=300.0)
        if number is signal.SIGINT:
            os.killpg(process.pid, number)  # to all processes, as a terminal sends it
        else:
            os.kill(process.pid, number)
        process.communicate(timeout=60)  # ends when no process has its standard error any more
    assert not (run / "config.json").exists()


@pytest.mark.slow
def test_resumed_equals_unbroken(tmp_path: Path) -> None:
    corpus = write_topics(tmp_path / "topics.txt", documents=200)
    unbroken, run = tmp_path / "unbroken", tmp_path / "run"
    subprocess.run(command(corpus, unbroken), check=True, capture_output=True)
    for number in (signal.SIGKILL, signal.SIGINT):
        killed(corpus, run, number)
        subprocess.run(command(corpus, run, "--resume"), check=True, capture_output=True)
        np.testing.assert_array_equal(ft.load(unbroken).vectors, ft.load(run).vectors)
        losses = [
            [json.loads(line)["loss"] for line in _lines(folder)] for folder in (unbroken, run)
        ]
        assert losses[0] == losses[1]
        shutil.rmtree(run)


def _lines(run: Path) -> list[str]:
    return (run / "metrics.jsonl").read_text().splitlines()
