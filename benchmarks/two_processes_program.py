"""One side of the benchmark of two processes: a small BERT learns, by one thread in each process.

Started with a kind of sharding it starts itself again by torchrun, twice; "alone" is one process
with half of the rows. Prints the seconds that a token takes where two cores are at work.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.pretraining_program import ROWS, WARM, drawn_tokens, our_model

STEPS = 6
TOGETHER = "BENCHMARK_TOGETHER"  # is set in the processes that torchrun starts


def main() -> None:
    kind, seed = sys.argv[1], int(sys.argv[2])
    if kind != "alone" and TOGETHER not in os.environ:
        torchrun = ["torch.distributed.run", "--standalone", "--nproc-per-node=2"]
        command = [sys.executable, "-m", *torchrun, "-m", "benchmarks.two_processes_program"]
        os.environ |= {TOGETHER: "1", "OMP_NUM_THREADS": "1"}
        sys.exit(subprocess.run([*command, kind, str(seed)], check=False).returncode)
    seconds, tokens = trained(kind, seed)
    if os.environ.get("RANK", "0") == "0":
        ideal = seconds / tokens / (2 if kind == "alone" else 1)
        print(json.dumps({"seconds": ideal, "tokens_per_second": 1 / ideal}))


def trained(kind: str, seed: int) -> tuple[float, int]:
    """Return the seconds of some steps, and how many tokens they read in all processes."""
    import torch

    from foretext.progress.run_context import RunContext
    from foretext.training.loop import Training
    from foretext.training.settings import TrainingConfig

    cores = sorted(os.sched_getaffinity(0))
    rank = int(os.environ.get("RANK", "0"))
    os.sched_setaffinity(0, {cores[rank % len(cores)]})
    torch.set_num_threads(1)
    model = our_model("masked")
    rows = ROWS if kind == "alone" else 2 * ROWS
    settings: dict[str, Any] = {"steps": WARM + STEPS, "batch_examples": rows, "seed": seed}
    settings |= {} if kind == "alone" else {"sharding": kind}
    examples = model.objective.examples(drawn_tokens(seed))
    ends: list[tuple[float, int]] = []

    class Timed(Training):
        def _step(self, part: Any) -> None:
            super()._step(part)
            ends.append((time.perf_counter(), self.state.tokens))

    config = TrainingConfig.checked(settings, "training")
    Timed(model, examples, config, RunContext(Path())).run()
    (began, before), (ended, after) = ends[WARM - 1], ends[-1]
    return ended - began, after - before


if __name__ == "__main__":
    main()
