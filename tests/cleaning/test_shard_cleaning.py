"""What normalising makes of a text."""

from __future__ import annotations

import pytest

from foretext.base.errors import MissingExtraError
from foretext.cleaning import shard_cleaning
from foretext.cleaning.shard_cleaning import Normalizer, refuse_missing_ftfy


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("  a line \n\n \t\nanother\t one", "a line\nanother\t one"),
        ("a\x00b\x1b[31mc\x7f\x9fd\ufeff", "ab[31mcd"),
        ("a\rb\u2028c\x0bd", "a b c d"),
        ("cafe\u0301", "café"),
        ("\x00 \n \x07", ""),
        ("“你好”，ＡＢ", "“你好”，ＡＢ"),
        ("Donau\u00addampf\u2060schiff\ufeff", "Donaudampfschiff"),
        ("می\u200cخواهم क्\u200dष ❤\ufe0f", "می\u200cخواهم क्\u200dष ❤\ufe0f"),
        ("👩\u200d🚀", "👩\u200d🚀"),  # what joins two characters is no control character
    ],
)
def test_normal(text: str, normal: str) -> None:
    assert Normalizer("NFC")(text) == normal


def test_normal_forms() -> None:
    assert Normalizer("NFKC")("ＡＢ") == "AB"
    assert Normalizer("none")("e\u0301") == "e\u0301"


def test_ftfy_repairs_a_wrong_encoding_and_nothing_else() -> None:
    pytest.importorskip("ftfy")
    repair = Normalizer("NFC", fix_text=True)
    assert repair("voilÃ  le cafÃ©") == "voilà le café"
    assert repair("“你好”，ＡＢ ﬁn") == "“你好”，ＡＢ ﬁn"


def test_ftfy_is_asked_for_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shard_cleaning, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"'ftfy'; install it with .*foretext\[clean\]"):
        refuse_missing_ftfy()
