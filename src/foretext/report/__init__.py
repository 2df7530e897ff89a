"""Pages for a person to look at: one HTML file each, complete in itself."""

from __future__ import annotations

from foretext.report.corpus_report import write_corpus_report
from foretext.report.vectors_report import write_vectors_report

__all__ = ["write_corpus_report", "write_vectors_report"]
