"""Two processes under torchrun, stopped on the way and resumed, find the losses that one finds."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import torch
import torch.distributed as dist

from foretext.base.errors import Interrupted, SettingError
from foretext.data.token_file import Tokens
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.training import processes
from foretext.training.processes import Processes, Totals, agreed_name, told_of_lost_processes
from tests.networks import encode
from tests.sequence_networks import tokenizer_of
from tests.training.two_processes import LENGTH, MATERIALS, ONE_ROW, TIED, train

FIGURES = ("loss", "masked_lm_loss", "next_sentence_loss", "gradient_norm", "valid_loss")
BEST = {"sharding": "optimizer", "keep": "best", "patience": 2}

GLOO = "[gloo/transport/tcp/pair.cc:537] Read error [127.0.0.1]:15499: Connection reset by peer."

SIZE = 3
PROGRAM = """
import torch
from foretext.training.processes import Processes

processes = Processes(torch.device("cpu"))
assert processes.texts(str(processes.rank)) == ["0", "1"]
"""

TOTALS_PROGRAM = """
import json, sys
from pathlib import Path
import torch
import torch.distributed as dist
from foretext.training.processes import Processes
from foretext.training.processes import Totals

STEPS = [
    [{"a": 1, "b": 2}, {"a": 10, "b": 20}],
    [{"b": 1 << 60}, {"c": 5, "b": 3}],  # one has a name that the other has never seen
    [{}, {}],
    [{"d": 1}, {"e": 2}],
    [{"c": 7}, {"a": 8}],
]
processes = Processes(torch.device("cpu"))


def refuse(*given, **named):
    raise AssertionError("a pickle is sent")


for name in dir(dist):
    if "_object" in name:
        setattr(dist, name, refuse)
totals = Totals(processes)
found = [list(totals.of(step[processes.rank]).items()) for step in STEPS]
Path(sys.argv[1], f"{processes.rank}.json").write_text(json.dumps(found))
"""


@pytest.fixture(scope="module")
def trained(
    wordpiece: SubwordTokenizer,
    bert_tokens: Tokens,
    animal_text: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    """The folder that two processes wrote to: what the quick tests compare."""
    folder = tmp_path_factory.mktemp("processes")
    shutil.copytree(bert_tokens.train.folder.parent, folder / "tokens")
    wordpiece.save(folder / "tokenizer.json")
    bart = tokenizer_of("text_infilling", animal_text)
    encode(animal_text, bart, folder / "bart" / "tokens")
    bart.save(folder / "bart" / "tokenizer.json")
    train_two(folder, "few")
    return folder


@pytest.fixture(scope="module")
def trained_more(trained: Path) -> Path:
    """The same folder, with all the other runs."""
    train_two(trained, "more")
    return trained


def train_two(folder: Path, which: str) -> None:
    """Let two processes learn a group of runs."""
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    script = Path(__file__).with_name("two_processes.py")
    root = str(Path(__file__).parents[2])
    subprocess.run(
        [*command, str(script), str(folder), which],
        check=True,
        timeout=900,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": root, "OMP_NUM_THREADS": "1"},
    )


def weights(folder: Path, run: str, process: str = "0-of-2") -> np.ndarray:
    return np.load(folder / run / f"weights-{process}.npy")


def figures(folder: Path, run: str, size: int = 2) -> list[dict[str, float]]:
    """The records of a run, without those of time."""
    history = json.loads((folder / run / f"history-{size}.json").read_text())
    return [
        {name: record[name] for name in ("step", *FIGURES) if name in record} for record in history
    ]


def assert_alike(ours: list[dict[str, float]], theirs: list[dict[str, float]], rel: float) -> None:
    assert len(ours) == len(theirs)
    for one, two in zip(ours, theirs, strict=True):
        assert one == pytest.approx(two, rel=rel)


def test_two_processes_are_as_one(trained: Path) -> None:
    train(trained, "alone")
    assert_alike(figures(trained, "summed"), figures(trained, "alone", 1), 2e-5)
    assert_alike(figures(trained, "shared"), figures(trained, "alone", 1), 2e-5)
    alone = weights(trained, "alone", "0-of-1")
    assert alone == pytest.approx(weights(trained, "shared"), abs=1e-5)


@pytest.mark.parametrize(
    ("run", "whole"), [("bf16-optimizer", "bf16-none"), ("bf16-full", "bf16-none")]
)
@pytest.mark.slow
def test_sharing_changes_nothing_in_bfloat16(trained_more: Path, run: str, whole: str) -> None:
    assert_alike(figures(trained_more, run), figures(trained_more, whole), 1e-6)
    assert weights(trained_more, run) == pytest.approx(weights(trained_more, whole), abs=1e-6)


def test_a_shared_optimizer_changes_nothing(trained: Path) -> None:
    assert_alike(figures(trained, "shared"), figures(trained, "summed"), 1e-6)
    assert weights(trained, "shared") == pytest.approx(weights(trained, "summed"), abs=1e-6)


def ends_with_all_weights(trained: Path, run: str) -> bool:
    return np.array_equal(weights(trained, run, "0-of-2"), weights(trained, run, "1-of-2"))


def test_every_process_ends_with_all_weights(trained: Path) -> None:
    for run in ("shared", "full", "full_best"):
        assert ends_with_all_weights(trained, run)


@pytest.mark.slow
def test_every_process_ends_with_all_weights_of_other_runs(trained_more: Path) -> None:
    for run in ("best", "bf16-optimizer", "bf16-full"):
        assert ends_with_all_weights(trained_more, run)


def test_slices_resume_in_the_same_bits(trained: Path) -> None:
    assert figures(trained, "stopped") == figures(trained, "shared")
    assert np.array_equal(weights(trained, "stopped"), weights(trained, "shared"))


def test_shared_weights_change_nothing(trained: Path) -> None:
    """In micro-batches, of which the processes have different numbers, and computed twice."""
    assert_alike(figures(trained, "full"), figures(trained, "summed"), 1e-5)
    assert weights(trained, "full") == pytest.approx(weights(trained, "summed"), abs=1e-6)


@pytest.mark.slow
def test_shared_weights_keep_the_best_ones(trained_more: Path) -> None:
    assert_alike(figures(trained_more, "full_best"), figures(trained_more, "best"), 1e-5)
    best = weights(trained_more, "best")
    assert weights(trained_more, "full_best") == pytest.approx(best, abs=1e-6)


@pytest.mark.slow
def test_a_process_without_rows_learns_what_the_other_learns(trained_more: Path) -> None:
    trained = trained_more
    history = train(trained, "idle-alone", **ONE_ROW)
    for run in ("idle-none", "idle-full"):
        assert_alike(figures(trained, run), figures(trained, "idle-alone", 1), 2e-5)
        alone = weights(trained, "idle-alone", "0-of-1")
        assert weights(trained, run, "1-of-2") == pytest.approx(alone, abs=1e-5)
        found = json.loads((trained / run / "history-2.json").read_text())
        assert found[-1]["tokens"] == history[-1]["tokens"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["bart", "gpt"])
def test_other_models_share_weights(trained_more: Path, kind: str) -> None:
    trained = trained_more
    assert_alike(figures(trained, f"{kind}-full"), figures(trained, f"{kind}-whole"), 1e-5)
    whole = weights(trained, f"{kind}-whole")
    assert weights(trained, f"{kind}-full") == pytest.approx(whole, abs=2e-6)
    assert np.array_equal(
        weights(trained, f"{kind}-full", "1-of-2"), weights(trained, f"{kind}-full")
    )


@pytest.mark.slow
@pytest.mark.parametrize("kind", MATERIALS)
def test_other_models_learn_in_two_processes_as_in_one(trained_more: Path, kind: str) -> None:
    trained = trained_more
    train(trained, f"{kind}-alone", **TIED)
    assert_alike(figures(trained, f"{kind}-whole"), figures(trained, f"{kind}-alone", 1), 2e-4)
    alone = weights(trained, f"{kind}-alone", "0-of-1")
    assert weights(trained, f"{kind}-whole") == pytest.approx(alone, abs=1e-4)
    assert figures(trained, f"{kind}-stopped") == figures(trained, f"{kind}-whole")
    resumed = weights(trained, f"{kind}-stopped")
    assert np.array_equal(resumed, weights(trained, f"{kind}-whole"))
    assert np.array_equal(resumed, weights(trained, f"{kind}-stopped", "1-of-2"))


def test_the_best_weights_come_back(trained: Path) -> None:
    """Also those of one process that goes on where two stopped."""
    train(trained, "alone-best", **BEST)
    train(trained, "left", resumes=True, **BEST)
    alone = weights(trained, "alone-best", "0-of-1")
    assert figures(trained, "full_best")[-1]["step"] == LENGTH["steps"]
    assert_alike(figures(trained, "left", 1), figures(trained, "full_best"), 2e-5)
    assert weights(trained, "full_best") == pytest.approx(alone, abs=1e-5)
    assert weights(trained, "left", "0-of-1") == pytest.approx(alone, abs=1e-5)
    assert np.abs(alone - weights(trained, "shared")).max() > 1e-3  # those are the last


@pytest.mark.slow
def test_the_best_weights_come_back_in_the_same_bits(trained_more: Path) -> None:
    train(trained_more, "left_best", resumes=True, **BEST)
    left = weights(trained_more, "left_best", "0-of-1")
    assert np.array_equal(left, weights(trained_more, "best"))


def test_processes_that_do_not_meet_are_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise dist.DistNetworkError("connection refused\nand more")

    for name, value in {"WORLD_SIZE": "2", "MASTER_ADDR": "there", "MASTER_PORT": "29500"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(processes, "rendezvous", refuse)
    with pytest.raises(SettingError, match=r"meet at there:29500 \(connection refused\); check"):
        processes.Processes(torch.device("cpu"))


@dataclass
class OneOf(Processes):
    rank: int
    size: int


@pytest.mark.parametrize("error", [RuntimeError(GLOO), dist.DistBackendError("NCCL error")])
def test_it_is_one_sentence(error: RuntimeError) -> None:
    with (
        pytest.raises(Interrupted, match=r"Process 1 of 4 lost the connection .* --resume"),
        told_of_lost_processes(OneOf(1, 4)),
    ):
        raise error


@pytest.mark.parametrize(("text", "size"), [("a shape does not fit", 4), (GLOO, 1)])
def test_other_errors_stay_what_they_are(text: str, size: int) -> None:
    with pytest.raises(RuntimeError, match=r"fit|reset"), told_of_lost_processes(OneOf(0, size)):
        raise RuntimeError(text)


def met(store: dist.Store) -> set[str]:
    """Start all processes, the first one last; returns the names that they agree on."""
    with ThreadPoolExecutor(SIZE) as threads:
        names = threads.map(lambda rank: agreed_name(store, rank, SIZE, 60), reversed(range(SIZE)))
        return set(names)


def test_each_start_has_a_name_of_its_own() -> None:
    store = dist.HashStore()
    first, second = met(store), met(store)
    assert len(first) == len(second) == 1
    assert first != second


def test_those_that_died_while_they_asked_hold_nobody_up() -> None:
    store = dist.HashStore()
    store.set("foretext/asks/1", "of a process that is gone")
    assert len(met(store)) == 1


def test_processes_that_do_not_come_are_counted() -> None:
    with pytest.raises(RuntimeError, match="2 of 3 have not come"):
        agreed_name(dist.HashStore(), 0, SIZE, 0.0)


@pytest.mark.slow
def test_machines_with_different_numbers_of_restarts_meet() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    common = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
    root = str(Path(__file__).parents[2] / "src")
    started = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM],
            env={
                **os.environ,
                **common,
                "PYTHONPATH": root,
                "RANK": str(rank),
                "TORCHELASTIC_RESTART_COUNT": str(rank),
            },
        )
        for rank in range(2)
    ]
    try:
        assert [process.wait(timeout=300) for process in started] == [0, 0]
    finally:
        for process in started:
            process.kill()
            process.wait()


@pytest.mark.slow
def test_names_of_all_processes_are_added_up(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(TOTALS_PROGRAM)
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    subprocess.run(
        [*command, str(program), str(tmp_path)],
        check=True,
        timeout=300,
        capture_output=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    first, second = (json.loads((tmp_path / f"{rank}.json").read_text()) for rank in range(2))
    expected = [
        {"a": 11, "b": 22},
        {"a": 0, "b": (1 << 60) + 3, "c": 5},
        {"a": 0, "b": 0, "c": 0},
        {"a": 0, "b": 0, "c": 0, "d": 1, "e": 2},
        {"a": 8, "b": 0, "c": 7, "d": 0, "e": 0},
    ]
    assert [dict(each) for each in first] == [dict(each) for each in second] == expected
    assert [each[0][0] for each in first if each] == ["a", "b", "a", "d", "c"]  # own names first


def test_one_process_has_all() -> None:
    totals = Totals(Processes(torch.device("cpu"), alone=True))
    assert list(totals.of({"b": 2, "a": 1}).items()) == [("b", 2), ("a", 1)]
