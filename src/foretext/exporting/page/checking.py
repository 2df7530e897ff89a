"""Whether a page answers as Python does: its own code is run by Node.js on hundreds of texts."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

from foretext.base.errors import OutputError
from foretext.base.files import temporary_folder
from foretext.base.parsing import parse_json
from foretext.exporting.page.bundle import bundle

__all__ = ["PROGRAM", "CheckFigures", "check_by_node"]

PROGRAM = "node"
PATIENCE = 600  # seconds
SHOWN = 3  # faults that are told


class CheckFigures(NamedTuple):
    """How a page's answers compare with Python's."""

    texts: int
    compared: int  # numbers, and lists of words
    largest: float  # difference of two numbers
    open_ms: float  # to open the model
    check_ms: float  # to answer all texts


def check_by_node(model: Path, wanted: dict[str, Any]) -> CheckFigures | None:
    """Run the code of a page on texts whose answers are known; None: there is no Node.js.

    Args:
        model: the page's file.
        wanted: as `static/engine/check.js` has it.

    Raises:
        OutputError: an answer differs by more than the bound, or the code fails.
    """
    program = shutil.which(PROGRAM)
    if program is None:
        return None
    with temporary_folder() as folder:
        script, answers = folder / "check.cjs", folder / "wanted.json"
        script.write_text(bundle("node_check.js"), encoding="utf-8")
        answers.write_text(json.dumps(wanted), encoding="utf-8")
        command = [program, str(script), str(model), str(answers)]
        try:
            run = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise OutputError(f"The page could not be checked by {program}: {error}.") from error
    if run.returncode != 0:
        told = [line for line in run.stderr.splitlines() if "Error" in line]
        last = (told or run.stderr.strip().splitlines() or ["it says nothing"])[0]
        raise OutputError(
            f"The page's code fails in {program}: {last[:300]}; install Node.js 18 or later, or "
            "report this."
        )
    found = parse_json(run.stdout, "the answers of the page", OutputError, dict[str, Any])
    if found["faults"]:
        faults = "; ".join(found["faults"][:SHOWN])
        raise OutputError(
            f"The page does not answer as Python does, so it was not written: {faults}. Please "
            "report this, with the version of Node.js."
        )
    return CheckFigures(**{name: found[name] for name in CheckFigures._fields})
