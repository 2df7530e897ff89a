"""The kinds of networks that a page runs, by the pipeline of their graph and the texts of an input.

A row names a class of `foretext.exporting.page.network_kinds.kind.NetworkKind`.
"""

from __future__ import annotations

from foretext.base.registry import Registry

__all__ = ["NETWORK_KINDS", "kind_name"]

NETWORK_KINDS = Registry(
    "network of a page",
    {
        "text-classification": "foretext.exporting.page.network_kinds.labels:LabelsOfTexts",
        "text-pair-classification": "foretext.exporting.page.network_kinds.pairs:LabelsOfPairs",
        "sentence-similarity": "foretext.exporting.page.network_kinds.vectors:VectorsOfTexts",
        "token-classification": "foretext.exporting.page.network_kinds.tags:TagsOfTexts",
    },
)


def kind_name(pipeline: str, num_texts: int) -> str:
    """Return the name of a row.

    Args:
        pipeline: of the graph.
        num_texts: of an input.
    """
    is_of_pairs = num_texts > 1 and pipeline == "text-classification"
    return "text-pair-classification" if is_of_pairs else pipeline
