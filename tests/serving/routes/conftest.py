"""The same models for the command line, so that a route can be compared with its verb."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Command, command  # noqa: F401  a fixture

__all__ = ["Verb"]

Verb = Callable[..., Any]


@pytest.fixture(scope="session")
def folders(models: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Name of a model to where it is kept on disk."""
    folder = tmp_path_factory.mktemp("kept")
    kept = {name: folder / name for name in ("masked", "classifier", "tagger", "reader", "writer")}
    kept["words"] = folder / "words.safetensors"
    for name, path in kept.items():
        models[name].save(path)
    return kept


@pytest.fixture
def verb(command: Command, folders: dict[str, Path], tmp_path: Path) -> Verb:  # noqa: F811
    """What ``foretext VERB MODEL ... --json`` prints; `lines` become a file of inputs."""

    def run(name: str, model: str, *arguments: object, lines: tuple[str, ...] = ()) -> Any:
        given = list(arguments)
        if lines:
            path = tmp_path / "inputs.txt"
            path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
            given.insert(0, path)
        done = command(name, folders[model], *given, "--json")
        assert done.code == 0, done.err
        documents = [json.loads(line) for line in done.out.splitlines()]
        return documents if lines else documents[0]

    return run
