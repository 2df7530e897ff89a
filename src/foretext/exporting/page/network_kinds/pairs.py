"""Networks that read two texts: the label of a pair, or a score."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from foretext.exporting.form import Texts
from foretext.exporting.page.network_kinds.kind import NetworkKind, Wanted, activated
from foretext.exporting.session import library_of

__all__ = ["LabelsOfPairs"]


class LabelsOfPairs(NetworkKind):
    """The probability of each label of a pair, or its score."""

    abilities: ClassVar = ("predict",)
    outputs: ClassVar = ("logits",)

    @property
    def facts(self) -> Mapping[str, Any]:
        """The labels, None of scores, and what stands between both texts."""
        framing = self.model.text_framing
        return {
            "labels": self.form.graph.facts.get("labels"),
            "several": False,
            "pair": {
                "between": framing.between,
                "room": self.form.graph.max_length - len(framing.around_pair([], [])),
                "has_segments": "token_type_ids" in self.form.graph.network.input_names,
            },
        }

    def wanted(self, folder: Path, texts: Texts) -> Wanted:
        """Return the probabilities of a pair's labels, or its score."""
        (row,) = self.form.encoded(library_of(folder), [texts])
        if not self.facts["pair"]["has_segments"]:
            row = row._replace(segments=[0] * len(row.ids))
        ((scores,),) = self.outputs_of(folder, [row])
        return Wanted([row], activated(scores, self.form.graph.facts["activation"]))
