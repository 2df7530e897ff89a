from __future__ import annotations

import pytest

from foretext.tokenizers.folding import folding_sentence


@pytest.mark.parametrize(
    ("settings", "form", "said"),
    [
        ({"lowercase": True}, "NFC", "all letters become lower case, accents stay, characters in"),
        ({"lowercase": False, "strip_accents": True}, "none", "case differ, accents are removed"),
        ({"lowercase": "auto"}, "NFKC", "nouns begin with a capital letter, accents stay, full-"),
        ({}, "NFC", "upper and lower case differ"),
    ],
)
def test_case_accents_and_width_are_named(
    settings: dict[str, bool | str], form: str, said: str
) -> None:
    assert said in folding_sentence(settings, form)
