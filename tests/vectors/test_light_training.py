"""What a run of word vectors does not load, and how little memory is left for it to take."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from foretext.kernels.compiled.object_file import CAN_LOAD

HEAVY = ("numba", "llvmlite", "pyarrow", "pandas", "scipy", "sklearn", "torch")
MOST_MEGABYTES = 160  # of a run with 40 words; numba and LLVM alone take 110
PROGRAM = f"""
import json, re, sys
import foretext as ft

name, corpus = sys.argv[1:]
vectors = getattr(ft, name)(vector_size=20, min_count=1, epochs=1, workers=1).fit(corpus)
peak = re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())
loaded = [name for name in {HEAVY} if name in sys.modules]
print(json.dumps({{"loaded": loaded, "megabytes": int(peak[1]) / 1024}}))
"""


def trained(name: str, corpus: Path) -> dict[str, Any]:
    """What a fresh process that trained the class `name` found out about itself."""
    command = [sys.executable, "-c", PROGRAM, name, str(corpus)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures


@pytest.mark.quick_cases(1)
@pytest.mark.skipif(not CAN_LOAD, reason="machine code is kept on Linux, AMD64 only")
@pytest.mark.parametrize("name", ["Word2Vec", "FastText"])
def test_a_run_whose_kernels_are_kept_loads_no_compiler(name: str, tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("a ship sails the sea and a horse runs in a field .\n\n" * 200)
    trained(name, corpus)  # compiles what no earlier run has left
    figures = trained(name, corpus)
    assert figures["loaded"] == []
    assert figures["megabytes"] < MOST_MEGABYTES
