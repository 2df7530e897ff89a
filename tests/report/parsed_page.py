"""A page as a browser's parser sees it."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from typing import Any


class Page(HTMLParser):
    """The tags, texts and scripts of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.scripts: list[str] = []
        self.specifications: dict[str, dict[str, Any]] = {}
        self.styles = ""
        self.text = ""
        self._inside: dict[str, str | None] = {}
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        self._inside = {"tag": tag, **dict(attrs)}

    def handle_endtag(self, tag: str) -> None:
        self._inside = {}

    def handle_data(self, data: str) -> None:
        if self._inside.get("type") == "application/json":
            self.specifications[str(self._inside["id"])] = json.loads(data)
        elif self._inside.get("tag") == "script":
            self.scripts.append(data)
        elif self._inside.get("tag") == "style":
            self.styles += data
        else:
            self.text += data

    @property
    def policy(self) -> str:
        return next(value for _, value in self.attributes if value and "default-src" in value)
