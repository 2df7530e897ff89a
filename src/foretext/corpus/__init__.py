"""Text as documents: where it comes from, in which format, and what is wrong with it."""

from __future__ import annotations

from foretext.corpus.corpus import Corpus
from foretext.corpus.findings import CorpusReport
from foretext.corpus.inspection import inspect_corpus
from foretext.corpus.settings import CorpusConfig

__all__ = ["Corpus", "CorpusConfig", "CorpusReport", "inspect_corpus"]
