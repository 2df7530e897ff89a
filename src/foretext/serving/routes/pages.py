"""The page that lists every route; what it shows is in ``openapi.json``.

It takes the place of Swagger's page, whose scripts a browser would load from elsewhere.

The page on which a person tries the models: GET / and the files that it loads. The files are read
once, and only they are served: a path is looked up in a table, never opened.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import PurePosixPath
from typing import NamedTuple

from fastapi import APIRouter, HTTPException, Request, Response

__all__ = ["TYPES", "PageFile", "page_files", "router"]

router = APIRouter(include_in_schema=False)

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
POLICY = "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"


@router.get("/docs")
async def reference(request: Request) -> Response:
    """Return the page."""
    return page_files()["reference/index.html"].answer(request)


class PageFile(NamedTuple):
    """One file of the page."""

    content: bytes
    media_type: str
    etag: str

    @classmethod
    def read(cls, file: Traversable) -> PageFile:
        """Read a file of the package."""
        content = file.read_bytes()
        kind = TYPES[PurePosixPath(file.name).suffix]
        return cls(content, kind, f'"{sha256(content).hexdigest()[:16]}"')

    def answer(self, request: Request) -> Response:
        """Return the file, or 304 where the browser has this version already."""
        headers = {
            "ETag": self.etag,
            "Cache-Control": "no-cache",  # ask whether it changed: a new release must show
            "Content-Security-Policy": POLICY,
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
        }
        if self.etag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        return Response(self.content, media_type=self.media_type, headers=headers)


@cache
def page_files() -> dict[str, PageFile]:
    """Return the files of the page by their path below ``playground/``."""
    folder = files("foretext.serving") / "playground"
    return {name: PageFile.read(file) for name, file in _below(folder, "")}


def _below(folder: Traversable, prefix: str) -> Iterator[tuple[str, Traversable]]:
    for file in folder.iterdir():
        if file.is_dir():
            yield from _below(file, f"{prefix}{file.name}/")
        elif PurePosixPath(file.name).suffix in TYPES:
            yield f"{prefix}{file.name}", file


@router.get("/")
async def page(request: Request) -> Response:
    """Return the page."""
    return page_files()["index.html"].answer(request)


@router.get("/playground/{path:path}")
async def page_file(path: str, request: Request) -> Response:
    """Return a file that the page loads."""
    file = page_files().get(path)
    if file is None:
        raise HTTPException(404, "the page has no such file")
    return file.answer(request)
