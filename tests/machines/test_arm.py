"""Kernels on ARM: machine code for ARM, run by QEMU, computes what this machine's code computes.

``make arm`` puts an ARM Python into ``build/arm``; without it, or without QEMU, nothing is run.
Training runs here on a small text. Of each kernel the first call is recorded, compiled for ARM, and
made again there: `tests/machines/recorded_calls.py`, `tests/machines/on_arm.py`.
"""

from __future__ import annotations

import pickle
import random
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import foretext as ft
from foretext.corpus import Corpus
from foretext.tokenizers.subwords import learn_subwords
from tests.machines.recorded_calls import Call, arrays, recording, write_calls
from tools.arm import command, environment, missing

SCRIPT = Path(__file__).with_name("on_arm.py")
SECONDS = 600  # at most, on a busy machine
CHANGE = 1e-3  # of an array's largest change: more is no rounding
WORDS = ("cat", "dog", "horse", "cow", "sheep", "fox", "red", "blue", "green")
KERNELS = {
    "merges._count_pairs",
    "merges._queue_pairs",
    "merges._merge_while_room",
    "word2vec.train_slice",
    "fasttext.train_slice",
    "fasttext_classifier.train_documents",
}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("arm"),
    pytest.mark.skipif(missing() is not None, reason=missing() or ""),
]


def learn(folder: Path) -> None:
    draw = random.Random(0)
    texts = [" ".join(draw.choice(WORDS) for _ in range(8)) for _ in range(100)]
    corpus = folder / "corpus.txt"
    corpus.write_text("\n".join(texts), encoding="utf-8", newline="\n")
    learn_subwords("bpe", {"vocab_size": 290}, Corpus(corpus))
    shape: dict[str, Any] = {"vector_size": 24, "epochs": 1, "workers": 1, "min_count": 1}
    ft.Word2Vec(**shape).fit(texts)
    ft.FastText(**shape, bucket=500).fit(texts)
    labels = ["animal" if text.startswith(WORDS[:6]) else "colour" for text in texts]
    ft.FastTextClassifier(epochs=1, workers=1).fit(texts, labels)


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Call, Any]]:
    """Calls, and what ARM's machine, result and arguments were after each."""
    folder, made = tmp_path_factory.mktemp("arm"), []
    with recording(made, KERNELS):
        learn(folder)
    write_calls(made, folder)
    done = subprocess.run(
        [*command(), str(SCRIPT), str(folder)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        env=environment(),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    files = [folder / f"{number}.found" for number in range(len(made))]
    return [(call, pickle.loads(file.read_bytes())) for call, file in zip(made, files, strict=True)]


def test_every_kernel_was_called(calls: list[tuple[Call, Any]]) -> None:
    assert {call.name for call, _ in calls} == KERNELS
    assert {found[0] for _, found in calls} == {"aarch64"}


@pytest.mark.parametrize("name", sorted(KERNELS))
def test_arm_computes_the_same(calls: list[tuple[Call, Any]], name: str) -> None:
    for call, (_, result, arguments) in calls:
        if call.name == name:
            assert different(call, (result, arguments)) == 0


@pytest.mark.parametrize("name", sorted(KERNELS))
def test_two_swapped_lanes_are_found(calls: list[tuple[Call, Any]], name: str) -> None:
    """In each changed array, the two changed neighbours that differ most are swapped."""
    swapped = 0
    for call, (_, result, arguments) in calls:
        pairs = zip(arrays(pickle.loads(call.before)), arrays(arguments), strict=True)
        for before, there in pairs if call.name == name else ():
            changed = (there != before).ravel()
            apart = np.abs(np.diff(there.ravel().astype(float))) * changed[1:] * changed[:-1]
            if not apart.any():
                continue
            first = int(np.argmax(apart))
            both, kept = slice(first, first + 2), there.flat[first : first + 2]
            there.flat[both] = kept[::-1]
            assert different(call, (result, arguments)) == 2
            there.flat[both] = kept
            swapped += 1
    assert swapped


def different(call: Call, there: tuple[Any, Any]) -> int:
    """Return how many numbers differ on ARM by more than rounding.

    A change is often small beside the number itself, so that a wrong one would look like rounding:
    the limit is a thousandth of the largest change of the array.
    """
    before = arrays(pickle.loads(call.before))
    news = [None] * len(arrays(call.result))  # a result has no state before the call
    count = 0
    for old, here, found in zip(
        [*news, *before], arrays((call.result, call.after)), arrays(there), strict=True
    ):
        if here.dtype.kind != "f":
            count += int(np.sum(found != here))
            continue
        change = np.abs(here - (0 if old is None else old)).max(initial=0)
        count += int(np.sum(~np.isclose(found, here, rtol=1e-6, atol=CHANGE * change)))
    return count
