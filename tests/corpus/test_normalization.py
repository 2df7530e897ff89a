from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foretext.corpus.normalization import normalize


@given(st.text(alphabet="ae\u0301\u0323\u00e9\ufb01\u1100\u1161\n ", max_size=30))
@pytest.mark.parametrize("form", ["NFC", "NFKC"])
def test_normalize_equals_the_standard(form: str, text: str) -> None:
    assert normalize(text, form) == unicodedata.normalize(form, text)  # type: ignore[arg-type]


def test_none_leaves_text_alone() -> None:
    assert normalize("e\u0301", "none") == "e\u0301"
