"""What one thread, or several, of this processor reach at most; figures as JSON.

``python -m benchmarks.peaks_program THREADS``

A peak is a maximum, so each is the best of many short trials: a trial of some milliseconds often
runs undisturbed on a busy machine. The middle trial stands beside it and shows the disturbance.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import cycle
from threading import Barrier
from typing import Any

import numpy as np
import torch

from benchmarks.peaks import MEGABYTE, SIZES, STRIDES
from foretext.kernels import doubles
from foretext.kernels.compile import kernel
from foretext.kernels.simd import (
    LANES,
    aligned_zeros,
    fma,
    inverse_root,
    load,
    prefetch,
    splat,
    store,
)
from foretext.nn.quantized_linear import has_int8, packed, quantized

Trial = Callable[[], Any]

ROUNDS = 200_000  # of a loop that holds everything in registers
NUM_ROWS = 10_000  # of a trial
NUM_PARTS = 16  # trials with rows of their own: all of them together do not fit a cache
AHEAD = 6  # rows between asking for one and reading it, as in word2vec
NOISE = 0.75  # exponent of a word's count in its chance to be drawn as noise
SIDE = 768  # of a square matrix product
LEAST_TRIALS, LEAST_SECONDS = 3, 0.1  # of each peak

doubles_load, doubles_fma, doubles_store = doubles.load, doubles.multiply_add, doubles.store


def main() -> None:
    threads = int(sys.argv[1])
    torch.set_num_threads(threads)
    print(
        json.dumps({name: measured(trials, work, threads) for name, work, trials in peaks(threads)})
    )


def measured(trials: list[Trial], work: float, threads: int) -> dict[str, float]:
    """The best and the middle rate of `trials`, which run at the same time.

    One thread is timed by its CPU time, several by the clock.
    """
    for trial in trials:
        trial()  # compiles, and takes memory
    seconds: list[float] = []
    ends = time.perf_counter() + LEAST_SECONDS
    with ThreadPoolExecutor(len(trials)) as pool:
        while len(seconds) < LEAST_TRIALS or time.perf_counter() < ends:
            seconds.append(alone(trials[0]) if threads == 1 else together(pool, trials))
    total = work * len(trials)
    return {"best": total / min(seconds), "middle": total / statistics.median(seconds)}


def alone(trial: Trial) -> float:
    """CPU time of this thread, which other programs change little."""
    began = time.thread_time()
    trial()
    return time.thread_time() - began


def together(pool: ThreadPoolExecutor, trials: list[Trial]) -> float:
    """From when all have begun until the last has ended."""
    barrier = Barrier(len(trials))

    def run(trial: Trial) -> tuple[float, float]:
        barrier.wait()
        began = time.perf_counter()
        trial()
        return began, time.perf_counter()

    spans = list(pool.map(run, trials))
    return max(end for _, end in spans) - min(began for began, _ in spans)


def peaks(threads: int) -> Iterator[tuple[str, float, list[Trial]]]:
    """Names, work of a trial, and a trial for each thread that is not a library's own."""
    values = [aligned_zeros(1, 16 * LANES) + np.float32(0.5) for _ in range(threads)]
    twice = [np.full(16 * doubles.WIDTH, 0.5) for _ in range(threads)]
    for chains, loop in ((6, multiply_adds_6), (12, multiply_adds_12)):
        work = 2 * chains * LANES * ROUNDS
        yield f"registers {chains}", work, [partial(loop, v, ROUNDS) for v in values]
    work = 2 * 6 * doubles.WIDTH * ROUNDS
    yield "doubles", work, [partial(double_multiply_adds, v, ROUNDS) for v in twice]
    yield "roots", 6 * LANES * ROUNDS, [partial(roots, v, ROUNDS) for v in values]
    exps = [np.linspace(-5, 5, 1 << 15) for _ in range(threads)]
    yield "exps", float(1 << 15), [partial(np.exp, v) for v in exps]
    yield from products()
    texts = [np.frombuffer(b"a lorem, ipsum dolor sit " * 20_000, np.uint8)] * threads
    classes = np.arange(256, dtype=np.uint8) % 5
    yield "look-ups", texts[0].size, [partial(look_up, t, classes) for t in texts]
    yield from memory(threads)


def products() -> Iterator[tuple[str, float, list[Trial]]]:
    """Square products of the libraries that networks use, in each number format."""
    left, right = (torch.rand(SIDE, SIDE) for _ in range(2))
    work = 2 * SIDE**3
    yield "products float32 mm", work, [lambda: torch.mm(left, right)]
    maps: list[tuple[str, Any, Any]] = [("float32", packed, left)]
    maps.append(("bfloat16", packed, left.bfloat16()))
    if has_int8(torch.device("cpu")):
        maps.append(("int8", quantized, left))
    for name, make, rows in maps:
        linear = make(torch.nn.Linear(SIDE, SIDE, dtype=rows.dtype)).eval()
        yield f"products {name}", work, [inference(linear, rows)]


def inference(linear: Any, rows: torch.Tensor) -> Trial:
    """A product with weights that were laid out before, as encoders and generation have it."""
    with_rows: Trial = torch.inference_mode()(lambda: linear(rows))
    return with_rows


def memory(threads: int) -> Iterator[tuple[str, float, list[Trial]]]:
    """Reading in order; rows moved that are drawn as noise words are."""
    rng = np.random.default_rng(0)
    for megabytes in SIZES:
        num = int(megabytes * MEGABYTE)
        arrays = [aligned_zeros(1, num // 4) for _ in range(threads)]
        for array in arrays:
            array[:] = 0.5  # or all of it would be one page of zeros, which stays in the cache
        times = max(1, (4 << 20) // num)
        work = times * num
        yield f"reading {megabytes:g}", work, [partial(read, a, times) for a in arrays]
        for stride in STRIDES:
            rows = zipf_rows(rng, num // 4 // stride)
            trials = [in_parts(array, rows, stride) for array in arrays]
            yield f"rows drawn {stride} {megabytes:g}", NUM_ROWS, trials


def in_parts(array: np.ndarray, rows: np.ndarray, stride: int) -> Trial:
    """Trial by trial other rows of the same matrix."""
    parts = cycle(rows)
    return lambda: move_rows(array, next(parts), stride)


def zipf_rows(rng: np.random.Generator, total: int) -> np.ndarray:
    """Rows drawn as noise words are, whose counts follow Zipf's law; frequent ones come first."""
    chances = np.arange(1, total + 1, dtype=np.float64) ** -NOISE
    return rng.choice(total, (NUM_PARTS, NUM_ROWS), p=chances / chances.sum())


@kernel(_nrt=False)
def multiply_adds_6(values: Any, rounds: int) -> None:
    """Six chains: twelve registers of AVX2, in which nothing has to leave them."""
    a, b = splat(np.float32(0.999)), splat(np.float32(0.001))
    s0, s1, s2 = load(values, 0), load(values, 16), load(values, 32)
    s3, s4, s5 = load(values, 48), load(values, 64), load(values, 80)
    for _ in range(rounds):
        s0, s1, s2 = fma(s0, a, b), fma(s1, a, b), fma(s2, a, b)
        s3, s4, s5 = fma(s3, a, b), fma(s4, a, b), fma(s5, a, b)
    store(values, 0, s0 + s1 + s2 + s3 + s4 + s5)


@kernel(_nrt=False)
def multiply_adds_12(values: Any, rounds: int) -> None:
    """Twelve chains, which AVX-512 needs: two additions a cycle, each four cycles long."""
    a, b = splat(np.float32(0.999)), splat(np.float32(0.001))
    s0, s1, s2 = load(values, 0), load(values, 16), load(values, 32)
    s3, s4, s5 = load(values, 48), load(values, 64), load(values, 80)
    t0, t1, t2 = load(values, 96), load(values, 112), load(values, 128)
    t3, t4, t5 = load(values, 144), load(values, 160), load(values, 176)
    for _ in range(rounds):
        s0, s1, s2 = fma(s0, a, b), fma(s1, a, b), fma(s2, a, b)
        s3, s4, s5 = fma(s3, a, b), fma(s4, a, b), fma(s5, a, b)
        t0, t1, t2 = fma(t0, a, b), fma(t1, a, b), fma(t2, a, b)
        t3, t4, t5 = fma(t3, a, b), fma(t4, a, b), fma(t5, a, b)
    store(values, 0, s0 + s1 + s2 + s3 + s4 + s5 + t0 + t1 + t2 + t3 + t4 + t5)


@kernel(_nrt=False)
def double_multiply_adds(values: Any, rounds: int) -> None:
    """Six chains of eight float64."""
    a, b = doubles_load(values, 0), doubles_load(values, 8)
    s0, s1, s2 = doubles_load(values, 16), doubles_load(values, 24), doubles_load(values, 32)
    s3, s4, s5 = doubles_load(values, 40), doubles_load(values, 48), doubles_load(values, 56)
    for _ in range(rounds):
        s0, s1, s2 = doubles_fma(s0, a, b), doubles_fma(s1, a, b), doubles_fma(s2, a, b)
        s3, s4, s5 = doubles_fma(s3, a, b), doubles_fma(s4, a, b), doubles_fma(s5, a, b)
    doubles_store(values, 64, s0)
    doubles_store(values, 72, s1)
    doubles_store(values, 80, s2)
    doubles_store(values, 88, s3)
    doubles_store(values, 96, s4)
    doubles_store(values, 104, s5)


@kernel(_nrt=False)
def roots(values: Any, rounds: int) -> None:
    """Six chains of sixteen inverse roots."""
    s0, s1, s2 = load(values, 0), load(values, 16), load(values, 32)
    s3, s4, s5 = load(values, 48), load(values, 64), load(values, 80)
    for _ in range(rounds):
        s0, s1, s2 = inverse_root(s0), inverse_root(s1), inverse_root(s2)
        s3, s4, s5 = inverse_root(s3), inverse_root(s4), inverse_root(s5)
    store(values, 0, s0 + s1 + s2 + s3 + s4 + s5)


@kernel(_nrt=False)
def look_up(text: Any, classes: Any) -> Any:
    """The class of each byte, added up: the least that cutting a text into words does."""
    total = 0
    for at in range(text.size):
        total += classes[text[at]]
    return total


@kernel(_nrt=False)
def read(values: Any, times: int) -> Any:
    """Add up all values, so many times."""
    s0, s1, s2, s3 = load(values, 0), load(values, 16), load(values, 32), load(values, 48)
    for _ in range(times):
        for d in range(0, values.size - 63, 64):
            s0 = s0 + load(values, d)
            s1 = s1 + load(values, d + 16)
            s2 = s2 + load(values, d + 32)
            s3 = s3 + load(values, d + 48)
    store(values, 0, s0 + s1 + s2 + s3)


@kernel(_nrt=False)
def move_rows(values: Any, rows: Any, stride: int) -> None:
    """Read rows and write them back; those that come next are asked for meanwhile."""
    step = splat(np.float32(0.0))
    for e in range(rows.size):
        if e + AHEAD < rows.size:
            for d in range(0, stride, LANES):
                prefetch(values, rows[e + AHEAD] * stride + d)
        for d in range(0, stride, LANES):
            store(values, rows[e] * stride + d, load(values, rows[e] * stride + d) + step)


if __name__ == "__main__":
    main()
