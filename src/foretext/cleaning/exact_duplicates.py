"""Documents that repeat an earlier one but for white space, case and width."""

from __future__ import annotations

import hashlib
import unicodedata

__all__ = ["exact_digest"]


def exact_digest(text: str) -> bytes:
    """Return a hash of 128 bits, the same for texts that differ in white space, case or width."""
    plain = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return hashlib.blake2b(plain.encode("utf-8", "surrogatepass"), digest_size=16).digest()
