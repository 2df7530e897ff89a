"""Whether a built site is up to date: it holds a digest of all that it was made from."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from hashlib import sha256
from importlib.metadata import distributions
from pathlib import Path

from tools.site.tree import ROOT

__all__ = ["digest_of_inputs", "is_up_to_date", "stamp_site"]

MADE_FROM = ".made-from"  # a file in the site's folder
FOLDERS = ("docs", "src/foretext", "tools/site")
FILES = ("*.md", "pyproject.toml", "constraints.txt", "Makefile")
LEFT_OUT = "__pycache__"  # what Python and the kernels keep beside the source


def stamp_site(site: Path, digest: str) -> None:
    """Note in a built site what it was made from.

    Args:
        site: its folder.
        digest: of the inputs before the build; what changed during it is not in the site.
    """
    (site / MADE_FROM).write_text(digest, encoding="utf-8")


def is_up_to_date(site: Path) -> bool:
    """Whether a site was made from the pages, the code and the packages that are here now."""
    try:
        return (site / MADE_FROM).read_text(encoding="utf-8") == digest_of_inputs()
    except FileNotFoundError:
        return False


def digest_of_inputs() -> str:
    """Return a digest of the pages, the code, the packages and the Python that are here now."""
    programs = sha256("\n".join(_programs()).encode()).hexdigest()
    return f"programs {programs}\nfiles {_digest_of(_inputs())}\n"


def _programs() -> list[str]:
    """Return Python and every installed package with its version: any of them can shape a page."""
    packages = {f"{package.name} {package.version}" for package in distributions()}
    return [f"Python {sys.version}", *sorted(packages)]


def _inputs() -> Iterator[Path]:
    for folder in FOLDERS:
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and LEFT_OUT not in path.parts:
                yield path
    for pattern in FILES:
        yield from ROOT.glob(pattern)


def _digest_of(paths: Iterable[Path]) -> str:
    """Return a digest of the names and contents of files."""
    digest = sha256()
    for path in sorted(paths):
        content = sha256(path.read_bytes()).hexdigest()
        digest.update(f"{path.relative_to(ROOT).as_posix()} {content}\n".encode())
    return digest.hexdigest()
