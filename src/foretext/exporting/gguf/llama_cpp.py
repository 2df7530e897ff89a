"""llama.cpp itself, where the package node-llama-cpp is installed beside Node.js."""

from __future__ import annotations

import base64
import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from threading import Timer
from typing import IO, Any, NamedTuple, Self, cast

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import ModelFileError, OutputError
from foretext.base.parsing import parse_json
from foretext.exporting.page.checking import found_node
from foretext.messages import message

__all__ = ["Answer", "LlamaCpp", "Started", "started"]

PACKAGE = "node-llama-cpp"
PROGRAM = Path(__file__).with_name("llama_cpp.mjs")
PATIENCE = 600  # seconds
SHOWN = 200  # characters of a cause


class Answer(NamedTuple):
    """What llama.cpp makes of a text."""

    ids: list[int]  # with those around the text
    values: NDArray[np.float32]  # a vector, or the scores of the next token; empty: of no token


class LlamaCpp:
    """A file in llama.cpp, until it is closed.

    Args:
        node: the path of Node.js.
        package: the folder of node-llama-cpp.
        file: of the model.

    Raises:
        OutputError: Node.js or the package does not run.
    """

    def __init__(self, node: str, package: Path, file: Path) -> None:
        command = [node, str(PROGRAM), str(package), str(file)]
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                encoding="utf-8",
            )
        except OSError as error:
            raise OutputError(f"{node} cannot be run ({error}).") from error
        try:
            self.release: str = self._asked({"what": "about"})
        except OutputError:
            self.close()
            raise

    def answers(self, question: dict[str, Any]) -> list[Answer]:
        """Return what the file makes of texts.

        Args:
            question: as `llama_cpp.mjs` has it.

        Raises:
            ModelFileError: llama.cpp cannot run the file.
        """
        try:
            rows = self._asked({"what": "answers", **question})
        except OutputError as error:
            cause = str(error).rstrip(".")[:SHOWN]
            raise ModelFileError(
                f"llama.cpp {self.release} cannot run the file: {cause}. Nothing is kept; export "
                "to onnx, or report this."
            ) from error
        return [Answer(row["ids"], _numbers(row["values"])) for row in rows]

    def close(self) -> None:
        """End the program."""
        cast(IO[str], self._process.stdin).close()
        self._process.kill()
        self._process.wait()
        cast(IO[str], self._process.stdout).close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _asked(self, question: dict[str, Any]) -> Any:
        """Return the answer to a question.

        Raises:
            OutputError: there is none.
        """
        watch = Timer(PATIENCE, self._process.kill)
        watch.start()
        try:
            stdin = cast(IO[str], self._process.stdin)
            stdin.write(json.dumps(question) + "\n")
            stdin.flush()
            line = cast(IO[str], self._process.stdout).readline()
        except OSError:
            line = ""
        finally:
            watch.cancel()
        if not line:
            raise OutputError("it ended without an answer.")
        answer = parse_json(line, "the answer of llama.cpp", OutputError, dict[str, Any])
        if "error" in answer:
            raise OutputError(answer["error"])
        return answer["found"]


class Started(NamedTuple):
    """llama.cpp with a file, or why there is none."""

    llama_cpp: LlamaCpp | None
    lack: str


def started(file: Path) -> Started:
    """Start the llama.cpp of this machine with a file.

    Args:
        file: of the model.
    """
    node = found_node()
    if node.path is None:
        return Started(None, node.lack)
    package = next((each for each in _package_folders() if (each / "package.json").is_file()), None)
    if package is None:
        return Started(None, message("exporting.use.absent", package=PACKAGE))
    try:
        return Started(LlamaCpp(node.path, package, file), "")
    except OutputError as error:
        return Started(
            None,
            message("exporting.use.fails", package=package, cause=str(error).rstrip(".")[:SHOWN]),
        )


def _package_folders() -> Iterator[Path]:
    """Yield where Node.js looks for the package: from this folder upwards, then in NODE_PATH."""
    here = Path.cwd()
    for folder in (here, *here.parents):
        yield folder / "node_modules" / PACKAGE
    for named in filter(None, os.environ.get("NODE_PATH", "").split(os.pathsep)):
        yield Path(named).resolve() / PACKAGE


def _numbers(packed: str) -> NDArray[np.float32]:
    return np.frombuffer(base64.b64decode(packed), np.dtype("<f4")).astype(np.float32)
