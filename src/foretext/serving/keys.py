"""API keys: who may use the server, by ``Authorization: Bearer KEY`` (RFC 6750)."""

from __future__ import annotations

import hashlib
import hmac
import re
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path

from foretext.base.errors import SettingError
from foretext.base.parsing import read_text

__all__ = ["ENVIRONMENT", "Keys"]

ENVIRONMENT = "FORETEXT_API_KEY"
_KEY = re.compile(r"[A-Za-z0-9._~+/-]+=*")  # what a header can carry as it is: b64token
LARGEST = 1 << 20  # bytes of a file of keys


class Keys:
    """Digests of the keys; the keys themselves are not kept, and nothing shows them."""

    def __init__(self, keys: Iterable[str] = ()) -> None:
        """Take the keys; without any, everybody may use the server.

        Raises:
            SettingError: a key that no header can carry.
        """
        self._digests = tuple(_digest(_checked(key, "key").encode("ascii")) for key in keys)

    @classmethod
    def read(cls, path: Path | None, environment: Mapping[str, str]) -> Keys:
        """Return the keys of a file, one a line, and of the environment, one a line as well.

        Empty lines and lines that begin with ``#`` are left out.

        Raises:
            SettingError: the file cannot be read or holds no key, or a line cannot be one.
        """
        keys = []
        if path is not None:
            keys = _lines(read_text(path, SettingError, largest=LARGEST), str(path))
            if not keys:
                raise SettingError(f"{path}: there is no key; write one a line.")
        return cls([*keys, *_lines(environment.get(ENVIRONMENT, ""), ENVIRONMENT)])

    def __bool__(self) -> bool:
        return bool(self._digests)

    def allow(self, authorization: bytes) -> bool:
        """Whether an Authorization header brings one of the keys.

        The time does not depend on the keys: digests of one length are compared, all of them.
        """
        scheme, _, given = authorization.partition(b" ")
        digest = _digest(given.strip(b" "))
        found = False
        for own in self._digests:
            found |= hmac.compare_digest(digest, own)
        return found and scheme.lower() == b"bearer"


def readable_by_others(path: Path) -> bool:
    """Whether users other than its owner may read a file."""
    return bool(path.stat().st_mode & (stat.S_IRGRP | stat.S_IROTH))


def _lines(text: str, where: str) -> list[str]:
    lines = (line.strip() for line in text.splitlines())
    return [
        _checked(line, f"{where}:{number}")
        for number, line in enumerate(lines, start=1)
        if line and not line.startswith("#")
    ]


def _checked(key: str, where: str) -> str:
    """Return a key as it is; the sentence does not repeat it, since logs keep sentences."""
    if not _KEY.fullmatch(key):
        raise SettingError(
            f"{where}: a key has letters, digits and ._~+/- only, so that a header can carry it; "
            "`openssl rand -hex 32` makes a good one."
        )
    return key


def _digest(key: bytes) -> bytes:
    return hashlib.sha256(key).digest()
