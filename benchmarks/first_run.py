"""What the first run on a machine costs more than the second: the compiler, in CPU seconds."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.harness import Row, work_folder
from benchmarks.inputs import enwiki_text

__all__ = ["PACKAGES", "rows"]

PACKAGES = ("foretext", "numba", "llvmlite")
NUM_BYTES = 1_000_000
COMMANDS = {
    "word2vec": ("pretrain", "word2vec"),
    "fastText": ("pretrain", "fasttext"),
    "GloVe": ("pretrain", "glove"),
    "BPE": ("tokenizer", "--kind", "bpe"),
    "BERT": ("pretrain", "bert", "--size", "tiny", "--set", "training.steps=20"),
}


def rows() -> Iterator[Row]:
    """Two runs of each kind on 1 MB of text, the first with an empty cache."""
    text = enwiki_text(NUM_BYTES)
    for name, command in COMMANDS.items():
        with tempfile.TemporaryDirectory(dir=work_folder()) as folder:
            first, second = (_cpu_seconds(command, text, Path(folder)) for _ in range(2))
        yield Row(
            f"{name} on 1 MB of text: CPU seconds",
            "the same, when nothing is compiled yet",
            f"{second:.1f} s",
            f"{first:.1f} s ({first - second:.1f} s more)",
        )


def _cpu_seconds(command: tuple[str, ...], text: Path, folder: Path) -> float:
    """The time of one command whose kernels are kept in `folder`."""
    out = folder / "out"
    shutil.rmtree(out, ignore_errors=True)
    before = _spent()
    subprocess.run(
        [sys.executable, "-P", "-m", "foretext", *command, str(text), "--output", str(out)],
        env=os.environ | {"NUMBA_CACHE_DIR": str(folder / "cache")},
        check=True,
        capture_output=True,
    )
    return _spent() - before


def _spent() -> float:
    """User and system time of all programs that were started and have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
