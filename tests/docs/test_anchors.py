"""Every link to a section leads to a heading of its file."""

from __future__ import annotations

import re
from itertools import pairwise
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


@pytest.mark.parametrize("path", ALL, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_table_ends_with_a_blank_line(path: Path) -> None:
    assert swallowed(path.read_text(encoding="utf-8")) == []


def test_what_a_table_swallows_is_found() -> None:
    table = "| a | b |\n|---|---|\n| 1 | 2 |\n"
    assert swallowed(f"{table}## Next\n") == ["## Next"]
    assert swallowed(f"{table}A sentence.\n") == ["A sentence."]
    assert swallowed(f"{table}\n## Next\n```text\n| in a block |\n# a comment\n```\n{table}") == []


def swallowed(text: str) -> list[str]:
    """The lines that the site would show as a row, since they follow one directly."""
    lines = _FENCE.sub("\n", text).split("\n")
    return [
        after
        for before, after in pairwise(lines)
        if before.startswith("|") and after and not after.startswith("|")
    ]
