"""The order of the pages: the course, guides by job, reference, background."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from typing import Any

from tools.site.languages import Language
from tools.site.tree import ROOT

__all__ = ["guide_groups", "navigation"]

_GROUP = re.compile(r"^## ([^\n]+)$(.*?)(?=^## |\Z)", re.M | re.S)
_ROW = re.compile(r"^\| \[[^\]]+\]\(([^)#]+\.md)\)", re.M)


def navigation(language: Language, titles: Mapping[str, str]) -> list[Any]:
    """Return the pages as Zensical takes them.

    Args:
        language: of the site.
        titles: of all pages, by path.
    """
    say = language.say
    guides = f"docs/{language.folder}guides"
    text = (ROOT / guides / "index.md").read_text(encoding="utf-8")
    groups = [
        {title: _entries(pages, titles)} for title, pages in guide_groups(text, guides).items()
    ]
    reference = [
        "reference/index.md",
        {"Python": _below("reference/api", titles)},
        {say("Verbs", "命令"): _below("reference/verbs", titles)},
        {say("Settings", "设置"): _below("reference/settings", titles)},
        *_entries(["glossary.md"], titles),
    ]
    background = [page for page in ("project.md", "results.md", "benchmarks.md") if page in titles]
    records = [page for page in titles if page.startswith("project/")]
    more = [page for page in ("decisions/index.md", "log.md") if page in titles]
    return [
        {say("Home", "首页"): "index.md"},
        {say("Course", "课程"): _entries(_in("course", titles), titles)},
        {say("Guides", "指南"): ["guides/index.md", *groups]},
        {say("Reference", "参考"): reference},
        {say("Background", "背景"): _entries([*background, *more, *records], titles)},
    ]


def guide_groups(text: str, folder: str = "docs/guides") -> dict[str, list[str]]:
    """Return the guides by job, as the page that lists them has them: a table below a heading.

    Args:
        text: of that page.
        folder: of that page, from which its links go; a Chinese page may link an English one.
    """
    groups = {}
    for title, part in _GROUP.findall(text):
        files = [posixpath.normpath(posixpath.join(folder, link)) for link in _ROW.findall(part)]
        groups[title] = [file.removeprefix("docs/").removeprefix("zh/") for file in files]
    return {title: pages for title, pages in groups.items() if pages}


def _below(page: str, titles: Mapping[str, str]) -> list[Any]:
    return _entries(
        [f"{page}.md", *(each for each in titles if each.startswith(f"{page}/"))], titles
    )


def _in(folder: str, titles: Mapping[str, str]) -> list[str]:
    pages = sorted(page for page in titles if page.startswith(f"{folder}/"))
    return sorted(pages, key=lambda page: not page.endswith("/index.md"))


def _entries(pages: list[str], titles: Mapping[str, str]) -> list[Any]:
    return [
        page if page.endswith("/index.md") else {_short(page, titles[page]): page} for page in pages
    ]


def _short(page: str, title: str) -> str:
    """Return the title of a page among its neighbours, which say what they all are."""
    if page.startswith(("reference/verbs/", "reference/settings/")):
        return posixpath.basename(page).removesuffix(".md").removeprefix("foretext-")
    return title
