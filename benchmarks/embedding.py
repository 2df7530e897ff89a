"""Paragraphs to vectors by an encoder of 6 × 384, beside sentence-transformers and runtimes."""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np

from benchmarks.embedding_program import NUM_PARAGRAPHS, encoder_folder
from benchmarks.harness import Figures, Row, median, ratios, run_program, work_folder
from benchmarks.language_models import make_model

__all__ = ["PACKAGES", "rows"]

PACKAGES = (
    "foretext",
    "sentence-transformers",
    "transformers",
    "torch",
    "onnxruntime",
    "openvino",
    "nncf",
    "numpy",
)
PROGRAM, EXPORT = "benchmarks.embedding_program", "benchmarks.embedding_runtimes"
OURS = {"auto": "foretext's default (bfloat16 where the processor has it)", "int8": "int8"}
PEERS = {
    "fp32": "sentence-transformers, fp32",
    "bf16": "sentence-transformers, bf16",
    "onnx-fp32": "ONNX Runtime, fp32",
    "onnx-int8": "ONNX Runtime, dynamic int8",
    "openvino-fp32": "OpenVINO, fp32",
    "openvino-auto": "OpenVINO, its default (bfloat16 where the processor has it)",
    "openvino-int8": "OpenVINO, int8 by NNCF",
}
MUST = {("auto", "fp32"): 3.5, ("auto", "bf16"): 1.5}
ROUNDS = 3


def rows() -> Iterator[Row]:
    """Paragraphs a second beside each peer; then the cosines of all with float32.

    In one thread the time is the processor's, which other programs do not change; else wall clock.
    """
    make_model("minilm")
    run_program(EXPORT, encoder_folder())
    found = _rounds()
    clock = "cpu" if os.environ.get("OMP_NUM_THREADS") == "1" else "wall"
    work = f"{NUM_PARAGRAPHS:,} paragraphs of enwiki, 40 to 800 characters, 6 × 384"
    for own, name in OURS.items():
        for precision, peer in PEERS.items():
            ours, theirs = found[f"foretext-{own}"], found[f"peer-{precision}"]
            yield Row(
                f"{work}, {name}; {clock} time",
                peer,
                _speed(ours, clock),
                _speed(theirs, clock),
                *ratios(ours, theirs, clock),
                MUST.get((own, precision)),
            )
    for program in found:
        cosines = _cosines(program)
        figure = f"{cosines.mean():.5f}, lowest {cosines.min():.5f}"
        yield Row(f"{program}: mean cosine with float32", "", figure, "")


def _rounds() -> dict[str, list[Figures]]:
    """Run all programs in turns, so that each has the same share of what disturbs the machine."""
    named = [("foretext", own) for own in OURS] + [("peer", precision) for precision in PEERS]
    found: dict[str, list[Figures]] = {f"{program}-{kind}": [] for program, kind in named}
    for number in range(1, ROUNDS + 1):
        for program, kind in named:
            found[f"{program}-{kind}"].append(run_program(PROGRAM, program, kind, number))
    return found


def _speed(found: list[Figures], clock: str) -> str:
    return f"{NUM_PARAGRAPHS / median(found, clock):.0f} paragraphs/s"


def _cosines(program: str) -> np.ndarray:
    vectors = [np.load(work_folder() / f"embedding-{side}.npy") for side in (program, "peer-fp32")]
    a, b = (each / np.linalg.norm(each, axis=1, keepdims=True) for each in vectors)
    cosines: np.ndarray = (a * b).sum(1)
    return cosines
