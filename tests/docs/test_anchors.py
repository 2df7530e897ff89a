"""Every link to a section leads to a heading of its file."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ALL = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
_FENCE = re.compile(r"^```.*?^```\s*$", re.M | re.S)
_LINK = re.compile(r"\]\(([^)\s#:]*)#([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.M)


def prose(path: Path) -> str:
    return _FENCE.sub("", path.read_text(encoding="utf-8"))


def anchors(path: Path) -> set[str]:
    """The names by which the headings of a file are linked, as hosting services form them."""
    plain = (re.sub(r"[^\w\- ]", "", heading) for heading in _HEADING.findall(prose(path)))
    return {heading.strip().lower().replace(" ", "-") for heading in plain}


@pytest.mark.parametrize("path", ALL, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_to_sections(path: Path) -> None:
    for file, anchor in _LINK.findall(prose(path)):
        target = path.parent / file if file else path
        assert anchor in anchors(target), f"{target.name} has no section #{anchor}"
