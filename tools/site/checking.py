"""What is wrong with a built site: dead links, requests to other hosts, blocks that never ran."""

from __future__ import annotations

import html
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

from tests.docs.markdown import blocks_of

from tools.site.tree import COURSE, DOCS, ROOT, run_files

__all__ = ["dead_links", "foreign_requests", "unexecuted_blocks"]

EXECUTED = ("python", "console", "sh")
NAMED = re.compile(r'\s(?:id|name)="([^"]*)"')
LINKED = re.compile(r'<(\w+)\b[^>]*?\s(href|src)="([^"]*)"')
FETCHED = re.compile(  # what a browser fetches without a click
    r'<(?:script|img|iframe|source|video|audio|embed)\b[^>]*?\ssrc="((?:https?:)?//[^"]*)"'
    r'|<link\b[^>]*?\shref="((?:https?:)?//[^"]*)"'
    r'|url\(["\']?((?:https?:)?//[^)"\']*)'
    r'|@import\s+["\']((?:https?:)?//[^"\']*)'
)
DRAWN_BY_OTHERS = re.compile(r'class="(mermaid|glightbox)[" ]')  # the theme fetches their scripts
FREE = ("#__", "javascript:", "mailto:", "data:", "https://", "http://")


def dead_links(site: Path) -> Iterator[str]:
    """Yield each link within the site whose file or section does not exist."""
    pages = {path: path.read_text(encoding="utf-8") for path in sorted(site.rglob("*.html"))}
    names = {path: set(NAMED.findall(text)) for path, text in pages.items()}
    for path, text in pages.items():
        if path.name == "404.html":  # its links depend on the address that was not found
            continue
        for link in sorted({link for _, _, link in LINKED.findall(text)}):
            if problem := _problem(html.unescape(link), path, names):
                yield f"{path.relative_to(site)}: {link}: {problem}"


def _problem(link: str, page: Path, names: dict[Path, set[str]]) -> str | None:
    if not link or link.startswith(FREE):
        return None
    address, _, anchor = unquote(link).partition("#")
    target = Path(posixpath.normpath(page.parent / address.partition("?")[0])) if address else page
    if not target.is_file():
        return "there is no such file."
    if anchor and target in names and anchor not in map(html.unescape, names[target]):
        return "the page has no such section."
    return None


def foreign_requests(site: Path) -> Iterator[str]:
    """Yield each address of another host that a page would fetch."""
    for path in sorted([*site.rglob("*.html"), *site.rglob("*.css")]):
        text = path.read_text(encoding="utf-8")
        for found in FETCHED.finditer(text):
            yield f"{path.relative_to(site)} fetches {next(filter(None, found.groups()))}."
        if drawn := DRAWN_BY_OTHERS.search(text):
            yield f"{path.relative_to(site)}: a {drawn[1]} block fetches a script; use a picture."


def unexecuted_blocks(docs: Path = DOCS) -> Iterator[str]:
    """Yield each block of English pages that a reader may copy and no test runs."""
    run = {*run_files(), *(docs / COURSE).glob("*.md")}
    for path in sorted(docs.rglob("*.md")):
        if path in run or path.is_relative_to(docs / "zh"):
            continue
        for block in blocks_of(path):
            if block.language in EXECUTED:
                yield (
                    f"{path.relative_to(ROOT)}, line {block.line}: no test runs the block; "
                    "add the page to `run_files` of tools/site/tree.py, or make it a block of text."
                )
