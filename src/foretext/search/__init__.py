"""Passages of texts, found by their meaning or by their words, in an index that is kept."""

from foretext.search.passages import Hit, Place, Results
from foretext.search.search_index import SearchIndex

__all__ = ["Hit", "Place", "Results", "SearchIndex"]
