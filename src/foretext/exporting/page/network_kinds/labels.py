"""Networks that classify one text."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from foretext.exporting.form import Texts
from foretext.exporting.page.network_kinds.kind import NetworkKind, Wanted, activated

__all__ = ["LabelsOfTexts"]


class LabelsOfTexts(NetworkKind):
    """The probability of each label of a text."""

    abilities: ClassVar = ("predict",)
    outputs: ClassVar = ("logits",)

    @property
    def facts(self) -> Mapping[str, Any]:
        """The labels, and whether a text has any number of them."""
        facts = self.form.graph.facts
        return {"labels": facts["labels"], "several": facts["activation"] == "sigmoid"}

    def wanted(self, folder: Path, texts: Texts) -> Wanted:
        """Return the probabilities of a text's labels."""
        row, scores = self.read_whole(folder, texts)
        return Wanted([row], activated(scores, self.form.graph.facts["activation"]))
