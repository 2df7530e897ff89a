"""Which pages there are: what is translated, what runs as a test, what is a record.

A page is named by its path below ``docs/``, such as ``guides/word2vec.md``. Its Chinese page has
the same path below ``docs/zh/``.
"""

from __future__ import annotations

from pathlib import Path

__all__ = ["CHINESE", "DOCS", "PROJECT", "ROOT", "record_pages", "run_files", "translated_pages"]

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
CHINESE = DOCS / "zh"
RECORDS = ("decisions", "log.md")  # what was decided and tried, and when; in English only
PROJECT = ("ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")  # records, too
COURSE = "course"  # its blocks run in tests/docs/test_course.py
RUN = ("guides", "extending")  # and those of these folders in tests/docs/test_code_blocks.py


def translated_pages(docs: Path = DOCS) -> list[str]:
    """Return the English pages that have a Chinese one, or should have."""
    return [page for page in _pages(docs) if page.split("/")[0] not in (*RECORDS, "zh")]


def record_pages(docs: Path = DOCS) -> list[str]:
    """Return the pages that are in English only."""
    return [page for page in _pages(docs) if page.split("/")[0] in RECORDS]


def run_files() -> list[Path]:
    """Return the files whose blocks run in the folder with small files.

    A Chinese page has the blocks of its English page, and needs no test of its own.
    """
    return [
        *(ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")),
        *(DOCS / name for name in ("index.md", "benchmarks.md")),
        *(path for folder in RUN for path in sorted((DOCS / folder).glob("*.md"))),
    ]


def _pages(docs: Path) -> list[str]:
    return sorted(path.relative_to(docs).as_posix() for path in docs.rglob("*.md"))
