"""By what two texts are the same: a hash that white space, case and width do not change."""

from __future__ import annotations

import hashlib
import unicodedata

__all__ = ["NO_TEXT", "text_key"]


def text_key(text: str) -> bytes:
    """Return a hash of 64 bits, the same for texts that differ in white space, case or width."""
    plain = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return hashlib.blake2b(plain.encode(), digest_size=8).digest()


NO_TEXT = text_key("")
