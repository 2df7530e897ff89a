"""Reading of damaged files in a child process, whose memory and time are bounded.

A file either opens or is refused with a `ForetextError` of one line. Whatever else happens (another
exception, an end of the process, a hang) is a failure.
"""

from __future__ import annotations

import faulthandler
import json
import os
import resource
import shutil
import signal
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from foretext.base.errors import ForetextError
from tests.audit.damage import damage_folder
from tests.audit.readers import Reader

__all__ = ["failures"]

FIRST_SEED = int(os.environ.get("FORETEXT_AUDIT_SEED", "0"))
MOST_SECONDS = 20  # of one reading
MOST_BYTES = 2 << 30  # beyond what the process has before


def failures(reader: Reader, num_inputs: int, folder: Path, others: Path) -> list[str]:
    """Read `num_inputs` damaged files of a kind; return a sentence for each failure.

    Args:
        reader: of the table.
        num_inputs: that are read; the first one is whole.
        folder: an empty one for the files.
        others: files of other kinds.
    """
    found: list[str] = []
    seed = 0
    while seed < num_inputs:
        code = _in_child(reader, range(seed, num_inputs), folder, others)
        records = list(_records(folder / "records"))
        found += [_failure(reader, each) for each in records if each.get("failure")]
        seed = records[-1]["seed"] + 1
        if code != 0:
            said = (folder / "said").read_text("utf-8", "replace").strip()[-2000:]
            ended = "hung" if code == -signal.SIGALRM else f"ended the process with {code}\n{said}"
            found.append(_failure(reader, records[-1] | {"failure": ended}))
    return found


def _failure(reader: Reader, record: dict[str, Any]) -> str:
    kind = record.get("kind", "no damage")
    return f"{reader.name}, seed {FIRST_SEED + record['seed']} ({kind}): {record['failure']}"


def _in_child(reader: Reader, seeds: range, folder: Path, others: Path) -> int:
    child = os.fork()
    if child == 0:
        code = 1
        try:
            with (folder / "said").open("w") as said:
                os.dup2(said.fileno(), 2)
                faulthandler.enable(said)
                _read_all(reader, seeds, folder, others)
                code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _read_all(reader: Reader, seeds: range, folder: Path, others: Path) -> None:
    whole, tried = folder / "whole", folder / "tried"
    with (folder / "records").open("w", buffering=1) as records:
        _record(records, {"seed": seeds[0]})
        if not whole.exists():
            whole.mkdir()
            reader.write(whole)
        reader.read(whole)  # compiles and imports what it takes, without limits
        _limit_memory()
        for seed in seeds:
            shutil.rmtree(tried, ignore_errors=True)
            shutil.copytree(whole, tried)
            kind = damage_folder(tried, FIRST_SEED + seed, others) if seed else "no damage"
            _record(records, {"seed": seed, "kind": kind})
            signal.alarm(MOST_SECONDS)
            failure = _tried(reader, tried, is_whole=seed == 0)
            signal.alarm(0)
            if failure:
                _record(records, {"seed": seed, "kind": kind, "failure": failure})


def _tried(reader: Reader, folder: Path, *, is_whole: bool) -> str | None:
    try:
        reader.read(folder)
    except ForetextError as error:
        sentence = str(error)
        if is_whole or "\n" in sentence or not sentence.endswith((".", ")", "?")):
            return f"{type(error).__name__}: {sentence!r}"
    except BaseException:  # the verdict: nothing else may come, whatever it is
        return "".join(traceback.format_exc().splitlines(keepends=True)[-6:])
    return None


def _limit_memory() -> None:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + MOST_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _record(file: Any, record: dict[str, Any]) -> None:
    file.write(json.dumps(record) + "\n")


def _records(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text().splitlines():
        yield json.loads(line)
