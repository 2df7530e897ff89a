from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from foretext.kernels.sketches import sketch_documents
from tests.kernels import sketches_twin as twin

# Few different words, so that shingles occur again, or words of any hash.
WORD = st.integers(0, 2) | st.integers(0, 2**64 - 1)
DOCUMENT = st.lists(WORD, min_size=6, max_size=40)


@given(st.lists(DOCUMENT, min_size=1, max_size=4), st.integers(1, 6), st.integers(1, 12))
def test_documents_are_sketched_as_by_the_twin(
    documents: list[list[int]], shingle: int, size: int
) -> None:
    words = np.array([word for each in documents for word in each], np.uint64)
    ends = np.cumsum([*map(len, documents)], dtype=np.int64)
    starts = np.append(0, ends[:-1])
    least, found = np.empty(len(ends), np.uint64), np.empty(len(ends) * size, np.uint64)
    sketch_documents(words, starts, ends, shingle, size, least, found)
    parts = np.split(words, ends[:-1])
    expected = np.array([twin.sketch(part, shingle, size) for part in parts])
    assert found.reshape(-1, size).tolist() == expected.tolist()
    assert least.tolist() == twin.mixed(expected[:, 0]).tolist()
