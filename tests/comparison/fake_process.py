"""A worker process whose jobs do what their recipe says, without training anything."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

from foretext.base.errors import Interrupted, SettingError
from foretext.base.interruption import Interruption
from foretext.base.registry import trusted
from foretext.comparison.worker import Job, Pretrain, PretrainReply, Reply
from foretext.comparison.worker_process import Do, work

__all__ = ["REPLY"]

REPLY = PretrainReply(1.0, 0.0, 10, 20, 30, [(0.5, 2.0)])


def do(job: Job) -> Reply:
    assert isinstance(job, Pretrain)
    match job.recipe:
        case "speak":
            print("a library says something")
            os.write(1, b"and so does C\n")
        case "die":
            os.kill(os.getpid(), signal.SIGKILL)
        case "leave":
            os._exit(7)
        case "refuse":
            raise SettingError("No such setting.")
        case "fail":
            raise ZeroDivisionError("by zero")
        case "save":
            save(Path(job.out))
        case "hang":
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            (Path(job.out) / "begun").touch()
            time.sleep(60)
        case "surroundings":
            found = [str(sys.path.count(name)) for name in job.corpus]
            raise SettingError(" ".join([*found, *trusted()]))
    return REPLY


def save(folder: Path) -> None:
    """Work until a signal comes, and save."""
    with Interruption() as stop:
        (folder / "begun").touch()
        while stop.requested is None:
            time.sleep(0.01)
    time.sleep(0.2)
    (folder / "saved").touch()
    raise Interrupted("What was learned is saved.")


def prepare() -> Do:
    return do


if __name__ == "__main__":
    work(prepare)
