"""A model as a folder of web pages, which run it in the visitor's browser."""

from __future__ import annotations

from foretext.exporting.page.folder import PageReport, export_page

__all__ = ["PageReport", "export_page"]
