"""Which encoding bytes are likely to have, as chardet finds it, and only where it fits."""

from __future__ import annotations

import codecs
from typing import NamedTuple

from foretext.corpus.encoding import is_of_text
from foretext.corpus.wrong_encoding import is_wrong

__all__ = ["likely_encodings"]

LEAST = 0.04  # confidence; bytes by chance reach half of it
AS_LIKELY = 0.95  # of the confidence of the best: another one may be right as well
MOST = 3  # that are named
FEW = 4  # bytes beyond ASCII, from which nobody can tell languages apart
OLD = ("mac-", "mac_", "hp-", "kz", "ptcp", "cp4", "cp8", "ibm")  # only if nothing newer fits


class _Candidate(NamedTuple):
    name: str
    confidence: float
    text: str


def likely_encodings(data: bytes) -> tuple[str, ...]:
    """Return the encoding of some bytes, or several that fit as well, the best first.

    It is () where none fits. Bytes of UTF-8 and UTF-16 are found elsewhere.
    """
    if _is_nearly_ascii(data):
        return ("cp1252",)
    found = _candidates(data)
    if not found or found[0].confidence < LEAST:
        return ()
    likely = [each for each in found if each.confidence >= AS_LIKELY * found[0].confidence]
    new = [each for each in likely if not each.name.startswith(OLD)]
    texts: dict[str, str] = {}
    for each in new or likely:
        texts.setdefault(each.text, each.name)  # two that give one text are one answer
    return tuple(texts.values())[:MOST]


def _is_nearly_ascii(data: bytes) -> bool:
    """Whether there are only a few bytes to guess from, which are letters of western Europe."""
    beyond = sum(byte > 0x7F for byte in data)
    text = data.decode("cp1252", "replace")
    return beyond <= FEW and beyond * 4 <= len(data) and not is_wrong(text)


def _candidates(data: bytes) -> list[_Candidate]:
    import chardet

    found = []
    for guess in chardet.detect_all(data):
        name = _python_name(guess["encoding"])
        if name is None or name in ("ascii", "utf-8"):
            continue
        text = data.decode(name, "replace")
        if text.count("\ufffd") * 1000 <= len(text) and not is_wrong(text):
            found.append(_Candidate(name, guess["confidence"], text))
    return sorted(found, key=lambda each: (-round(each.confidence, 3), each.name[:2] != "cp"))


def _python_name(name: str | None) -> str | None:
    """Return what Python calls an encoding; None: it has no such."""
    if name is None or not is_of_text(name):
        return None
    known = codecs.lookup(name).name
    return "latin-1" if known == "iso8859-1" else known
