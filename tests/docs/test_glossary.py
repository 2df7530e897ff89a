"""The glossary is sorted, its names are in the code, and the Chinese page has the same rows."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROW = re.compile(r"^\| ([^|`]+) \| ([^|`]+) \| (.+) \| (.+) \|$", re.M)


def rows(page: str = "glossary.md") -> list[tuple[str, str, str, str]]:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    return ROW.findall(text)[1:]  # without the head


def test_terms_are_sorted() -> None:
    terms = [term.lower().replace("-", " ") for term, *_ in rows()]
    assert len(terms) > 50
    assert terms == sorted(terms)


def test_names_are_in_the_code() -> None:
    files = sorted((ROOT / "src" / "foretext").rglob("*.py"))
    known = set(re.findall(r"\w+", "\n".join(file.read_text(encoding="utf-8") for file in files)))
    names = [name for *_, code in rows() for name in re.findall(r"`([^`]+)`", code)]
    words = {word for name in names for word in re.findall(r"[A-Za-z_]\w*", name)}
    assert not words - known


def test_the_chinese_page_has_the_same_rows() -> None:
    english = [(term, chinese, code) for term, chinese, _, code in rows()]
    assert [(term, chinese, code) for chinese, term, _, code in rows("zh/glossary.md")] == english
