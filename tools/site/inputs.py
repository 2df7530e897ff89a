"""Whether a built site is up to date: it holds a digest of all that it was made from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

from tools.site.tree import ROOT

__all__ = ["is_up_to_date", "stamp_site"]

MADE_FROM = ".made-from"  # a file in the site's folder
FOLDERS = ("docs", "src/foretext", "tools/site")
FILES = ("*.md", "pyproject.toml", "Makefile")
PACKAGES = ("zensical", "mkdocstrings", "mkdocstrings-python", "latex2mathml", "pydantic")
LEFT_OUT = "__pycache__"  # what Python and the kernels keep beside the source


def stamp_site(site: Path) -> None:
    """Note in a site that was just built what it was made from."""
    (site / MADE_FROM).write_text(_made_from(), encoding="utf-8")


def is_up_to_date(site: Path) -> bool:
    """Whether a site was made from the pages, the code and the packages that are here now."""
    try:
        return (site / MADE_FROM).read_text(encoding="utf-8") == _made_from()
    except FileNotFoundError:
        return False


def _made_from() -> str:
    packages = "".join(f"{name} {version(name)}\n" for name in PACKAGES)
    return f"{packages}files {_digest_of(_inputs())}\n"


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
