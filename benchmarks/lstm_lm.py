"""An LSTM language model of the Penn Treebank against the plain loop over `nn.LSTM`, same size.

Two layers of width 256, 10,000 words, 32 lanes of 32 words. Steps are compared on the same batches;
then how soon ours comes to the perplexity that the loop reaches in a given time, with the same
schedule, dropout and tied weights. Time is processor time over the threads.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from benchmarks.harness import Row, median, paired, ratios, run_program, work_folder

__all__ = ["PACKAGES", "rows"]

PACKAGES = ("foretext", "torch", "numba", "numpy")
PROGRAM = "benchmarks.lstm_lm_program"
PEERS = {
    "tuned": "nn.LSTM, full softmax, bf16 if native, fused AdamW",
    "plain": "nn.LSTM, full softmax, fp32, AdamW",
}
MUSTS = {"tuned": 1.5, "plain": 2.0}
SECONDS = 40  # that the loop trains
SHARES = (4, 3, 2.5, 2, 1.5, 1.2, 1)  # of its time, as one over these
PAIRS = 3
MUST = 1.5


def rows() -> Iterator[Row]:
    """Words a second of real steps, then the time to a perplexity."""
    run_program(PROGRAM, "prepare", work_folder())
    run_program(PROGRAM, "step", "foretext", work_folder(), 0)  # compiles
    for side, must in MUSTS.items():
        ours, theirs = paired(
            partial(run_program, PROGRAM, "step", "foretext", work_folder()),
            partial(run_program, PROGRAM, "step", side, work_folder()),
        )
        yield Row(
            "a step, words a second",
            PEERS[side],
            f"{median(ours, 'words_per_second'):,.0f}",
            f"{median(theirs, 'words_per_second'):,.0f}",
            *ratios(ours, theirs, "seconds"),
            must,
        )
    yield _time_to_perplexity()


def _time_to_perplexity() -> Row:
    """The shortest of our trainings that ends at the loop's perplexity or below it."""
    seeds = range(1, PAIRS + 1)
    peers = [_trained("tuned", SECONDS, seed) for seed in seeds]
    found = [_first(peer["perplexity"], seed) for peer, seed in zip(peers, seeds, strict=True)]
    faster = sorted(SECONDS / each["seconds"] for each in found)
    return Row(
        f"seconds to the perplexity, {median(found, 'perplexity'):.0f} against "
        f"{median(peers, 'perplexity'):.0f}",
        PEERS["tuned"],
        f"{median(found, 'seconds'):.1f} s",
        f"{SECONDS} s",
        faster[len(faster) // 2],
        (faster[0], faster[-1]),
        MUST,
    )


def _first(perplexity: float, seed: int) -> dict[str, Any]:
    for share in SHARES:
        found = _trained("foretext", SECONDS / share, seed)
        if found["perplexity"] <= perplexity:
            return found
    raise SystemExit(f"foretext does not come to a perplexity of {perplexity:.1f} in {SECONDS} s.")


def _trained(side: str, seconds: float, seed: int) -> dict[str, Any]:
    return run_program(PROGRAM, "train", side, work_folder(), seed, seconds)
