"""Jobs of a real worker, killed at any moment: the next comparison ends in the same models."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.audit.kills import contents, differences
from tests.task_files import TaskFiles, write_task_files

ROOT = Path(__file__).parents[2]
DRIVER = """
import sys
from pathlib import Path
from foretext.comparison.child_worker import ChildWorker
from foretext.comparison.worker import Answer, Finetune, Pretrain

text, train, valid, out = sys.argv[1:]
training = {"checkpoint_seconds": 0.0, "batch_examples": 8}
small = {
    "backbone": {"num_layers": 1, "dim": 16, "num_heads": 2, "max_length": 32},
    "training": {"steps": 30, **training},
    "tokenizer": {"vocab_size": 120},
}
with ChildWorker(Path(out)) as worker:
    worker.run(Pretrain("bert", (text,), f"{out}/base", small, shared=f"{out}/shared"))
    print("pretrained", flush=True)
    settings = {"training": {"steps": 30, **training}}
    worker.run(
        Finetune("classification", f"{out}/base", train, valid, f"{out}/seed-0", settings)
    )
    worker.run(Answer(f"{out}/seed-0", "classification", valid, train, f"{out}/answers"))
"""


class Driver:
    """A process that has a worker, as a comparison has."""

    def __init__(self, files: TaskFiles, text: Path, out: Path) -> None:
        train, valid = files.train("classification"), files.test("classification")
        out.mkdir(exist_ok=True)
        self.out = out
        self.began = time.monotonic()
        self.process = subprocess.Popen(
            [sys.executable, "-c", DRIVER, *map(str, (text, train, valid, out))],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )

    def end(self) -> float:
        """Wait for its end, and return the seconds that it took."""
        _, said = self.process.communicate(timeout=240)
        assert self.process.returncode == 0, said
        return time.monotonic() - self.began

    def found(self) -> dict[str, Any]:
        """The models and answers; replies tell times and sizes."""
        return {
            name: value
            for name, value in contents(self.out).items()
            if name.split("/")[0] in ("base", "seed-0", "answers") and "shared.json" not in name
        }


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_what_is_killed_ends_as_if_it_had_not_been(animal_text: Path, tmp_path: Path) -> None:
    files, out = write_task_files(tmp_path), tmp_path / "out"
    whole = Driver(files, animal_text, out)
    seconds, wanted = whole.end(), whole.found()
    rng = random.Random(0)
    for how in (signal.SIGKILL, signal.SIGTERM):
        shutil.rmtree(out)
        killed = Driver(files, animal_text, out)
        time.sleep(rng.uniform(0.4, 0.9) * seconds)
        os.kill(killed.process.pid, how)
        killed.process.communicate(timeout=120)
        again = Driver(files, animal_text, out)
        again.end()
        assert differences(again.found(), wanted, by_time=False) is None
