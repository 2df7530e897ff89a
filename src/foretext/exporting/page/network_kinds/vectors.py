"""Sentence encoders."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from foretext.exporting.form import Texts
from foretext.exporting.page.network_kinds.kind import NetworkKind, Wanted, activated

__all__ = ["VectorsOfTexts"]


class VectorsOfTexts(NetworkKind):
    """The vector of a text."""

    abilities: ClassVar = ("embed", "search_text")
    outputs: ClassVar = ("sentence_embedding",)

    def wanted(self, folder: Path, texts: Texts) -> Wanted:
        """Return the vector of a text."""
        row, vector = self.read_whole(folder, texts)
        return Wanted([row], activated(vector, None))
