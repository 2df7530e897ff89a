"""Whether a page answers as Python does: its own code is run by Node.js on hundreds of texts."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

from foretext.base.counted import counted
from foretext.base.errors import ModelFileError, OutputError, SettingError
from foretext.base.files import temporary_folder
from foretext.base.parsing import parse_json
from foretext.exporting.page.bundle import bundle
from foretext.exporting.session import library_of
from foretext.messages import message

__all__ = ["CheckFigures", "Node", "check_by_node", "found_node"]

PROGRAM = "node"
OLDEST = 18  # version of Node.js; an older one lacks what the code of a page calls
PATIENCE, SHORT = 600, 30  # seconds
SHOWN = 3  # faults that a message names
MISREAD = 60  # characters of a text that it shows


class CheckFigures(NamedTuple):
    """How a page's answers compare with Python's."""

    texts: int
    lists: int  # of words, of features, of neighbours
    numbers: int  # cosines and chances
    largest: float  # difference of two numbers
    open_ms: float  # to open the model
    check_ms: float  # to answer all texts


class Node(NamedTuple):
    """Node.js on this machine."""

    path: str | None  # None: there is none that can be used
    lack: str  # why there is none


def found_node() -> Node:
    """Look for a Node.js that runs the code of a page."""
    path = shutil.which(PROGRAM)
    if path is None:
        return Node(None, message("exporting.page.lack", program=PROGRAM))
    try:
        said = _output_of([path, "--version"], SHORT).stdout.strip()
    except (OSError, subprocess.TimeoutExpired) as error:
        return Node(None, message("exporting.page.broken_node", path=path, cause=error))
    edition = re.match(r"v(\d+)", said)
    if edition is None or int(edition[1]) < OLDEST:
        return Node(
            None,
            message("exporting.page.old_node", oldest=OLDEST, path=path, version=said or "none"),
        )
    return Node(path, "")


def check_by_node(
    program: str, model: Path, wanted: dict[str, Any], script: str = "node_check.js"
) -> CheckFigures:
    """Run the code of a page on texts whose answers are known.

    Args:
        program: the path of Node.js.
        model: the page's file, or its folder.
        wanted: as `static/engine/check.js` or `network_check.js` has it.
        script: of `static/`, which compares them.

    Raises:
        ModelFileError: an answer differs by more than the bound.
        SettingError: the package of npm reads a text differently from the library for Python.
        OutputError: the code fails.
    """
    with temporary_folder() as folder:
        joined, answers = folder / "check.cjs", folder / "wanted.json"
        joined.write_text(bundle(script), encoding="utf-8", newline="\n")
        answers.write_text(json.dumps(wanted), encoding="utf-8", newline="\n")
        command = [program, str(joined), str(model), str(answers)]
        try:
            run = _output_of(command, PATIENCE)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise OutputError(f"The page could not be checked by {program}: {error}.") from error
    if run.returncode != 0:
        errors = [line for line in run.stderr.splitlines() if "Error" in line]
        last = (errors or run.stderr.strip().splitlines() or ["no error message"])[0]
        raise OutputError(
            f"The page's code fails in {program}: {last[:300]}; report this, with the version "
            "of Node.js."
        )
    found = parse_json(run.stdout, "the answers of the page", OutputError, dict[str, Any])
    misread = found.get("misread", [])
    if others := [each["text"] for each in misread if _reads_differently(model, each["encoded"])]:
        raise SettingError(
            f"@huggingface/tokenizers reads {counted(len(others), 'text')} of {found['texts']} "
            f"differently from foretext, such as {others[0][:MISREAD]!r}, so a page would answer "
            "differently from Python; use `foretext serve`."
        )
    faults = [f"different ids for {each['text'][:MISREAD]!r}" for each in misread] + found["faults"]
    if faults:
        raise ModelFileError(
            f"The page does not answer as Python does, so it was not written: "
            f"{'; '.join(faults[:SHOWN])}. Please report this, with the version of Node.js."
        )
    return CheckFigures(**{name: found[name] for name in CheckFigures._fields})


def _reads_differently(folder: Path, encoded: list[tuple[str, list[int]]]) -> bool:
    """Return whether the library for Python gives other ids than the package of npm.

    Args:
        folder: of a network's page.
        encoded: parts of a text, with the ids that the package gives them.
    """
    library = library_of(folder)
    library.no_truncation()
    return any(library.encode(part, add_special_tokens=False).ids != ids for part, ids in encoded)


def _output_of(command: list[str], seconds: int) -> subprocess.CompletedProcess[str]:
    """Run a program, and return what it writes, which is UTF-8 in every locale."""
    return subprocess.run(
        command, capture_output=True, encoding="utf-8", errors="replace", timeout=seconds
    )
