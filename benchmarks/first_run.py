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
    "BERT": ("pretrain", "bert"),
}
SETTINGS = {
    "BERT": {
        "tokenizer.vocab_size": 4_000,
        "backbone.num_layers": 2,
        "backbone.dim": 128,
        "backbone.num_heads": 2,
        "training.steps": 20,
    }
}


def rows() -> Iterator[Row]:
    """Two runs of each kind on 1 MB of text, the first with an empty cache."""
    text = enwiki_text(NUM_BYTES)
    for name, command in COMMANDS.items():
        with tempfile.TemporaryDirectory(dir=work_folder()) as folder:
            given = [*command, *_settings(name)]
            first, second = (_cpu_seconds(given, text, Path(folder)) for _ in range(2))
        yield Row(
            f"{name} on 1 MB of text: CPU seconds",
            "the same, when nothing is compiled yet",
            f"{second:.1f} s",
            f"{first:.1f} s ({first - second:.1f} s more)",
        )


def _settings(name: str) -> list[str]:
    given = SETTINGS.get(name, {}).items()
    return [word for path, value in given for word in ("--set", f"{path}={value}")]


def _cpu_seconds(command: list[str], text: Path, folder: Path) -> float:
    """The time of one command whose kernels are kept in `folder`."""
    out = folder / "out"
    shutil.rmtree(out, ignore_errors=True)
    before = _spent()
    done = subprocess.run(
        [sys.executable, "-P", "-m", "foretext", *command, str(text), "--output", str(out)],
        env=os.environ | {"NUMBA_CACHE_DIR": str(folder / "cache")},
        check=False,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        sys.exit(f"foretext {' '.join(command)} failed:\n{done.stderr}")
    return _spent() - before


def _spent() -> float:
    """User and system time of all programs that were started and have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
