"""Byte-level BPE against the trainer of the tokenizers library: file to tokenizer.json."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from benchmarks.harness import (
    Figures,
    Row,
    median,
    paired,
    ratios,
    run_program,
    work_folder,
)
from benchmarks.inputs import enwiki_text

__all__ = ["PACKAGES", "rows"]

PACKAGES = ("foretext", "tokenizers", "numba", "numpy")
PROGRAM = "benchmarks.subwords_program"
NUM_BYTES = 100_000_000
WORK = "byte-level BPE, 32,000 tokens, 100 MB"


def rows() -> Iterator[Row]:
    """Wall time, CPU time and peak memory; the two must give the same tokenizer."""
    text = enwiki_text(NUM_BYTES)
    _learn("foretext", text)  # compiles
    ours, theirs = paired(
        lambda _: _learn("foretext", text), lambda _: _learn("tokenizers", text), pairs=3
    )
    for name, unit, must in (("wall", "s", 1), ("cpu", "s", 1), ("megabytes", "MB", 2)):
        yield Row(
            f"{WORK}: {name}",
            "tokenizers, train([file])",
            f"{median(ours, name):.1f} {unit}",
            f"{median(theirs, name):.1f} {unit}",
            *ratios(ours, theirs, name),
            must,
        )
    same = _model("foretext") == _model("tokenizers")
    yield Row("the same merges and ids", "", "yes" if same else "NO", "", None, None, None)


def _learn(program: str, text: Path) -> Figures:
    return run_program(PROGRAM, program, text, _output(program))


def _output(program: str) -> Path:
    return work_folder() / f"subwords-{program}.json"


def _model(program: str) -> object:
    return json.loads(_output(program).read_text(encoding="utf-8"))["model"]
