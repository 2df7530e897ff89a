"""The peak memory of a training in two processes, beside what `plan --dry-run` says; prints JSON.

    python -m benchmarks.sharded_memory_program full

A network of one layer learns before, so that libraries and kernels are in memory already.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks.harness import peak_megabytes
from benchmarks.pretraining_program import DrawnTokenizer, drawn_tokens

TOGETHER = "BENCHMARK_TOGETHER"
ROWS, STEPS = 2, 2
STATUS = Path("/proc/self/status")


def main() -> None:
    kind = sys.argv[1]
    if TOGETHER not in os.environ:
        torchrun = ["torch.distributed.run", "--standalone", "--nproc-per-node=2"]
        command = [sys.executable, "-m", *torchrun, "-m", "benchmarks.sharded_memory_program"]
        os.environ |= {TOGETHER: "1", "OMP_NUM_THREADS": "1"}
        sys.exit(subprocess.run([*command, kind], check=False).returncode)
    train(kind, layers=1, dim=64)
    before = resident_megabytes()
    expected = train(kind, layers=4, dim=512)
    if os.environ["RANK"] == "0":
        found = peak_megabytes() - before
        print(json.dumps({"sharding": kind, "megabytes": found, "by the law": expected}))


def train(kind: str, layers: int, dim: int) -> float:
    """Take some steps; returns the megabytes that the law says."""
    import torch

    from foretext.backbones.transformer import Transformer
    from foretext.objectives.masked_lm import MaskedLM
    from foretext.pretraining.plan.dry_run import footprint, weights_of
    from foretext.pretraining.plan.memory import LOGIT_BYTES
    from foretext.progress.run_context import RunContext
    from foretext.training.activations import activation_bytes
    from foretext.training.loop import Training
    from foretext.training.model import Model
    from foretext.training.settings import TrainingConfig

    shape = {"num_layers": layers, "dim": dim, "num_heads": 4, "max_length": 64}
    backbone = Transformer(
        Transformer.Config.checked(shape, "backbone"), len(DrawnTokenizer.ordinary)
    )
    tokenizer: Any = DrawnTokenizer()
    asked = MaskedLM.Config.checked({"row_length": 64}, "objective")
    model = Model(backbone, MaskedLM(asked, backbone, tokenizer))
    weights = weights_of(model)
    settings = {"steps": STEPS, "batch_examples": ROWS, "precision": "fp32", "sharding": kind}
    config = TrainingConfig.checked(settings, "training")
    Training(model, model.objective.examples(drawn_tokens(0)), config, RunContext(Path())).run()
    activations = activation_bytes(layers, dim, ROWS // 2 * 64, torch.float32)
    law = footprint(weights, kind, 2, torch.float32, activations)  # type: ignore[arg-type]
    return (law.total + LOGIT_BYTES) / 1e6


def resident_megabytes() -> float:
    """What is in memory now."""
    lines = STATUS.read_text(encoding="ascii").splitlines()
    line = next(line for line in lines if line.startswith("VmRSS"))
    return int(line.split()[1]) * 1024 / 1e6


if __name__ == "__main__":
    main()
