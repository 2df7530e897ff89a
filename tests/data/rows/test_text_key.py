from __future__ import annotations

from foretext.data.rows.text_key import NO_TEXT, text_key


def test_texts_are_compared_without_case_width_and_white_space() -> None:
    assert text_key("A  Straße\n１") == text_key(" a strasse 1")
    assert text_key("a b") != text_key("ab")
    assert text_key(" \n") == NO_TEXT
