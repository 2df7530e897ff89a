"""All that a process needs to clean a shard, as plain values that travel to other processes."""

from __future__ import annotations

import hashlib
from typing import Literal

from pydantic import BaseModel, ConfigDict

from foretext.cleaning.languages import Means
from foretext.cleaning.quality_settings import ChineseRules, QualityRules
from foretext.cleaning.settings import CleaningConfig

__all__ = ["Request", "SourceName"]


class SourceName(BaseModel):
    """A file as results name it, and what its places count."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    name: str
    unit: Literal["line", "row"]
    has_short_texts: bool = False


class Request(BaseModel):
    """What is asked for: settings, files, and the identity of everything that is read."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    config: CleaningConfig
    rules: QualityRules
    chinese: ChineseRules
    normalization: Literal["none", "NFC", "NFKC"]
    language_means: Means
    against: tuple[str, ...]  # files of test sets
    sources: tuple[SourceName, ...]
    without_in_short_texts: tuple[str, ...] = ()  # rules that are made for pages
    identity: str  # of corpus, tests and model

    @property
    def digest(self) -> str:
        """Return what an unfinished cleaning is known by."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()[:32]
