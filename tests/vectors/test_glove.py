"""GloVe as a person uses it: it learns, alike for any number of workers, and goes on to the bit."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import foretext as ft
from foretext.base.errors import CorpusError, OutputError, SettingError
from foretext.vectors.glove_weights import GloveWeights
from foretext.vectors.tiles import HeldOutCells
from tests.processes import run_here, started, wait_for_records
from tests.vectors.texts import share_in_topic, write_topics

SMALL: dict[str, Any] = {
    "vector_size": 24,
    "min_count": 1,
    "x_max": 10.0,
    "epochs": 15,
    "workers": 1,
    "valid_rate": 0.1,
}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_topics(tmp_path_factory.mktemp("corpus") / "topics.txt")


def test_it_learns(corpus: Path) -> None:
    estimator = ft.GloVe(**SMALL)
    assert share_in_topic(estimator.fit(corpus).vectors_) > 0.9
    first, last = estimator.history[0], estimator.history[-1]
    assert last["epoch"] == 15
    assert last["loss"] < first["loss"] / 10
    assert last["valid_loss"] < first["valid_loss"] / 10


@pytest.mark.parametrize("workers", [2, 5])
def test_the_number_of_workers_changes_no_bit(corpus: Path, workers: int) -> None:
    one, many = ft.GloVe(**SMALL), ft.GloVe(**SMALL | {"workers": workers})
    learned = [each.fit(corpus).vectors_.vectors for each in (one, many)]
    np.testing.assert_array_equal(*learned)
    assert [record["loss"] for record in one.history] == [r["loss"] for r in many.history]
    assert [record["valid_loss"] for record in one.history] == [
        record["valid_loss"] for record in many.history
    ]


def test_memory_changes_no_bit(corpus: Path) -> None:
    little = ft.GloVe(**SMALL, memory="20kB").fit(corpus).vectors_
    np.testing.assert_array_equal(little.vectors, ft.GloVe(**SMALL).fit(corpus).vectors_.vectors)


def test_seeds_differ(corpus: Path) -> None:
    first, second = (
        ft.GloVe(**SMALL).fit(corpus).vectors_,
        ft.GloVe(**SMALL, seed=2).fit(corpus).vectors_,
    )
    assert not np.allclose(first.vectors, second.vectors)


def test_a_run_keeps_the_counts_for_another_training(corpus: Path, tmp_path: Path) -> None:
    ft.GloVe(**SMALL, window=5).fit(corpus, out=tmp_path / "first")
    kept = tmp_path / "first" / "cooccurrence"
    assert kept.is_dir()
    assert not (tmp_path / "first" / "tiles").exists()
    again = SMALL | {"window": 5, "exponent": 0.5}
    reused = ft.GloVe(**again, cooccurrence=str(kept)).fit(corpus, out=tmp_path / "second").vectors_
    assert not (tmp_path / "second" / "cooccurrence").exists()
    np.testing.assert_array_equal(reused.vectors, ft.GloVe(**again).fit(corpus).vectors_.vectors)
    with pytest.raises(SettingError, match=r"no counts of this text .* and window = 6"):
        ft.GloVe(**again | {"window": 6}, cooccurrence=str(kept)).fit(corpus)
    with pytest.raises(OutputError, match="holds no co-occurrence counts"):
        ft.GloVe(**again, cooccurrence=str(tmp_path / "first")).fit(corpus)


def test_a_budget_ends_the_training(corpus: Path) -> None:
    settings = {name: value for name, value in SMALL.items() if name != "epochs"}
    estimator = ft.GloVe(**settings, budget_seconds=4.0)
    estimator.fit(corpus)
    assert 0 < estimator.history[-1]["time"] < 4.0
    assert "kept_epoch" in estimator.history[-1]  # a small text is learned long before


def test_training_goes_on_from_vectors(corpus: Path, tmp_path: Path) -> None:
    base = ft.GloVe(**SMALL).fit(corpus, out=tmp_path / "base").vectors_
    still = SMALL | {"epochs": 1, "alpha": 1e-12}
    for start in (tmp_path / "base", base):
        moved = ft.GloVe(**still).fit(corpus, base=start).vectors_
        for word in ("ship", "barn", "the"):
            np.testing.assert_allclose(moved[word], base[word], atol=1e-5)
    with pytest.raises(CorpusError, match="have 24 dimensions, but vector_size is 30"):
        ft.GloVe(**SMALL | {"vector_size": 30}).fit(corpus, base=base)


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ({"memory": "much"}, r"\[vectors\] memory = 'much': write a size like 512MB or 2GB"),
        ({"min_alpha": 1e-3}, "min_alpha: GloVe has no such setting"),
        ({"patience": 2}, "patience: GloVe has no such setting"),
        ({"negative": 5}, "negative: GloVe has no such setting"),
        ({"x_max": 0.0}, r"x_max = 0\.0"),
        ({"by_distance": False, "window": 1}, "by_distance = false would have no effect with win"),
        ({"x_max": 5.0, "exponent": 0.0}, "x_max would have no effect with exponent = 0"),
        ({"epochs": 2, "budget_seconds": 1.0}, "epochs would have no effect under a budget"),
    ],
)
def test_settings_that_will_not_do(setting: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SettingError, match=sentence):
        ft.GloVe(**setting).fit(["the ship", "the sea"])


def test_texts_that_will_not_do(tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("one one one\n")
    with pytest.raises(CorpusError, match="fewer than two words"):
        ft.GloVe(min_count=1).fit(text)
    text.write_text("one\ntwo\none\ntwo\n")
    with pytest.raises(CorpusError, match="No two words stand within 15 words of each other"):
        ft.GloVe(min_count=1).fit(text)


def test_a_loss_that_is_no_number_is_an_error(corpus: Path) -> None:
    with pytest.raises(SettingError, match=r"no longer a number after .* than alpha = 1e\+30"):
        ft.GloVe(**SMALL | {"alpha": 1e30}).fit(corpus)


@pytest.mark.parametrize("more", [{}, {"budget_seconds": 1.0}])
def test_the_held_out_loss_is_measured_once_for_the_same_weights(
    corpus: Path, monkeypatch: pytest.MonkeyPatch, more: dict[str, Any]
) -> None:
    measured: list[bytes] = []
    measure = GloveWeights.loss

    def noting(weights: GloveWeights, cells: HeldOutCells) -> float:
        measured.append(weights.words.tobytes())
        return measure(weights, cells)

    monkeypatch.setattr(GloveWeights, "loss", noting)
    settings = {name: value for name, value in SMALL.items() if not more or name != "epochs"}
    ft.GloVe(**settings, **more).fit(corpus)
    assert len(measured) > 2
    assert len({*measured}) == len(measured)


SETTINGS = ["epochs=250", "vector_size=64", "checkpoint_seconds=0.02", "x_max=10"]


def command(corpus: Path, run: Path, workers: int, *more: str) -> list[str]:
    given = [*(f"vectors.{setting}" for setting in SETTINGS), f"vectors.workers={workers}"]
    settings = [part for setting in given for part in ("--set", setting)]
    verb = [sys.executable, "-m", "foretext", "pretrain", "glove", str(corpus)]
    return [*verb, "--output", str(run), "--no-report", "--quiet", *settings, *more]


@pytest.fixture(scope="module")
def unbroken(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = tmp_path_factory.mktemp("unbroken") / "run"
    run_here(command(corpus, run, 1))
    return run


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_resumed_equals_unbroken(
    corpus: Path, unbroken: Path, tmp_path: Path, number: signal.Signals
) -> None:
    run = tmp_path / "run"
    with started(command(corpus, run, 1), stderr=subprocess.PIPE, text=True) as process:
        wait_for_records(process, run, 2)
        os.kill(process.pid, number)
        _, words = process.communicate(timeout=60)
    assert number is signal.SIGKILL or "go on with --resume" in words
    assert not (run / "config.json").exists()
    run_here(command(corpus, run, 2, "--resume"))
    np.testing.assert_array_equal(ft.load(unbroken).vectors, ft.load(run).vectors)
    losses = [
        [json.loads(line)["loss"] for line in (folder / "metrics.jsonl").read_text().splitlines()]
        for folder in (unbroken, run)
    ]
    assert len(losses[0]) == 50
    assert losses[0] == losses[1]
