"""The network of an index, which turns queries into vectors, as a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foretext.base.errors import SettingError
from foretext.search.search_index import SearchIndex

if TYPE_CHECKING:
    from foretext.interop.graph import NetworkGraph
    from foretext.interop.text_windows import TextWindows

__all__ = ["index_graph", "index_windows"]


def index_windows(index: SearchIndex) -> TextWindows:
    """Return how the network of an index turns a query into a vector, with the options of it.

    Raises:
        SettingError: the model of the index is no network, or other programs do not have it.
        ModelFileError: the index has no model, or another one than that of the passages.
    """
    kind, options = index.model_kind, index.embedder.options
    if kind.windows is None:
        raise SettingError(f"The index has {kind.phrase} for queries, which are no network.")
    windows: TextWindows = kind.code("windows")(
        index.embedder.model, options.pooling, options.layers
    )
    return windows


def index_graph(index: SearchIndex) -> NetworkGraph:
    """Return the graph of it, which gives the vector of a window.

    Raises:
        SettingError: as of `index_windows`.
        ModelFileError: as of `index_windows`.
    """
    return index_windows(index).graph
