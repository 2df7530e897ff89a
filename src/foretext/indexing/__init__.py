"""From a model and texts to an index that can be searched."""

from foretext.indexing.index import index
from foretext.indexing.settings import IndexConfig

__all__ = ["IndexConfig", "index"]
