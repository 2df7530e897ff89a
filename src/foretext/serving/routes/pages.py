"""The page that lists every route; what it shows is in ``openapi.json``.

It takes the place of Swagger's page, whose scripts a browser would load from elsewhere.
"""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from foretext.serving.routes.playground import page_files

__all__ = ["router"]

router = APIRouter(include_in_schema=False)


@router.get("/docs")
async def reference(request: Request) -> Response:
    """Return the page."""
    return page_files()["reference/index.html"].answer(request)
