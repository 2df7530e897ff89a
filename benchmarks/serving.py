"""A server under load: throughput beside Python's, times of answers, ten times its capacity."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from benchmarks.harness import Figures, Row, median, paired, ratios, run_program, work_folder
from benchmarks.language_models import make_model
from benchmarks.serving_infinity import INFINITY, infinity_server

__all__ = ["PACKAGES", "rows"]

PACKAGES = ("foretext", "fastapi", "uvicorn", "torch", "numpy")
PROGRAM, LOAD = "benchmarks.serving_program", "benchmarks.serving_load"
SECONDS = 10.0  # of a row but for that of too much load
OVERLOAD = float(os.environ.get("FORETEXT_OVERLOAD_SECONDS", "60"))
STEADY_RATE = 100.0  # requests a second
TIMES_CAPACITY = 10


def rows() -> Iterator[Row]:
    """Throughput of a network; times of static vectors; what ten times the capacity does.

    ``FORETEXT_SERVING`` names those to measure, with a blank in between.
    """
    make_model("minilm")
    if not (work_folder() / "static").exists():
        run_program(PROGRAM, "vectors", "static")
    for kind in ("network", "static"):
        run_program(PROGRAM, "prepare", kind)
    chosen = os.environ.get("FORETEXT_SERVING", " ".join(PARTS)).split()
    for name in chosen:
        yield from PARTS[name]()


def _throughput() -> Iterator[Row]:
    """Texts a second of 64 clients, beside one call of Python with the same texts."""
    served, offline = paired(
        lambda _: _loaded("network", "closed"), partial(run_program, PROGRAM, "offline", "network")
    )
    for figures in served:
        figures["per_text"] = 1 / figures["texts_per_second"]
    for figures in offline:
        figures["per_text"] = 1 / figures["per_second"]
    yield Row(
        "64 clients, 8 paragraphs a request, 6 × 384: texts a second",
        "one call of embed",
        f"{median(served, 'texts_per_second'):.0f} texts/s",
        f"{median(offline, 'per_second'):.0f} texts/s",
        *ratios(served, offline, "per_text"),
        0.9,
    )
    for name in ("server", "clients"):
        yield Row(
            f"the same: processor time a text, {name}",
            "one call of embed",
            f"{median(served, f'{name}_ms_per_text'):.1f} ms",
            f"{median(offline, 'ms_per_text'):.1f} ms",
        )
    yield _right(served)


def _infinity() -> Iterator[Row]:
    """Texts a second of 64 clients of either server, in turns."""
    if INFINITY is None:
        return
    run_program(PROGRAM, "sentences", "network")
    ours, theirs = paired(lambda _: _loaded("network", "closed", form="openai"), _of_infinity)
    for figures in (*ours, *theirs):
        figures["per_text"] = 1 / figures["texts_per_second"]
    yield Row(
        "64 clients of /v1/embeddings, 8 paragraphs a request, 6 × 384: texts a second",
        "infinity",
        f"{median(ours, 'texts_per_second'):.0f} texts/s",
        f"{median(theirs, 'texts_per_second'):.0f} texts/s",
        *ratios(ours, theirs, "per_text"),
    )
    yield Row(
        "the same: processor time a text",
        "infinity",
        f"{median(ours, 'server_ms_per_text'):.1f} ms",
        f"{median(theirs, 'server_ms_per_text'):.1f} ms",
    )
    yield _right([*ours, *theirs])


def _of_infinity(_: int) -> Figures:
    with infinity_server(work_folder() / "sentences", "network") as port:
        return run_program(LOAD, "closed", port, "network", 0, SECONDS, "openai")


def _times() -> Iterator[Row]:
    """Times of answers with static vectors, at a fixed rate."""
    runs = [_loaded("static", "steady", STEADY_RATE) for _ in range(3)]
    work = f"static vectors, a paragraph a request, {STEADY_RATE:.0f} requests/s"
    for name, must in (("p50_ms", "2 ms"), ("p99_ms", "10 ms")):
        yield Row(f"{work}: {name[:3]}", f"at most {must}", f"{median(runs, name):.2f} ms", "")
    yield _right(runs)


def _overload() -> Iterator[Row]:
    """Ten times what 64 clients got."""
    capacity = _loaded("network", "closed")["requests_per_second"]
    run = _loaded("network", "overload", TIMES_CAPACITY * capacity, OVERLOAD)
    work = f"{TIMES_CAPACITY} × capacity for {OVERLOAD:.0f} s"
    counts = ", ".join(f"{number:,} × {status}" for status, number in run["statuses"].items())
    yield Row(f"{work}: answers", "only 200 and 429", counts, "")
    yield Row(f"{work}: 429 without Retry-After", "0", str(run["without_retry"]), "")
    yield Row(f"{work}: memory", "+ 5 % at most", f"{run['memory_growth']:+.1%}", "")
    yield Row(
        f"{work}: a newcomer is answered again after",
        "1 s at most",
        f"{run['recovery_seconds']:.2f} s",
        "",
    )
    yield _right([run])


def _right(runs: list[Figures]) -> Row:
    answers = sum(run["statuses"].get("200", 0) for run in runs)
    wrong = sum(run["num_wrong"] for run in runs)
    return Row("answers that differ from the Python call", "0", f"{wrong} of {answers:,}", "")


PARTS = {
    "throughput": _throughput,
    "infinity": _infinity,
    "times": _times,
    "overload": _overload,
}


def _loaded(
    kind: str, mode: str, rate: float = 0.0, seconds: float = SECONDS, form: str = "tei"
) -> Figures:
    with _server(kind) as port:
        return run_program(LOAD, mode, port, kind, rate, seconds, form)


@contextmanager
def _server(kind: str) -> Iterator[int]:
    """The port of a server that runs within."""
    command = [sys.executable, "-m", PROGRAM, "serve", kind]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, text=True, **pipes) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        yield json.loads(process.stdout.readline())["port"]
        process.stdin.close()
