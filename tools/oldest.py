"""Print the lower bounds of pyproject.toml as constraints: ``python -m tools.oldest``."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"
OF_DEVELOPERS = ("bench", "dev", "site")


def main() -> None:
    """Print a line for each package."""
    with PYPROJECT.open("rb") as file:
        project = tomllib.load(file)["project"]
    print("\n".join(sorted(set(pinned(requirements(project))))))


def requirements(project: dict[str, Any]) -> Iterator[str]:
    """Yield what users install: the package and its extras, but not peers and tools."""
    yield from project["dependencies"]
    for extra, lines in project["optional-dependencies"].items():
        if extra not in OF_DEVELOPERS:
            yield from lines


def pinned(lines: Iterable[str]) -> Iterator[str]:
    """Turn ``name>=1.2`` into ``name==1.2``."""
    for line in lines:
        name, _, bound = line.partition(">=")
        assert bound, f"{line} has no lower bound"
        yield f"{name}=={bound}"


if __name__ == "__main__":
    main()
