"""A document as it is kept: one Unicode normal form, no control characters, no stray white space.

Soft hyphens and word joiners go, too: nobody sees them, and they cut words.

With `fix_text`, ftfy (Speer 2019) repairs text that was decoded by the wrong encoding. It leaves
quotation marks, ligatures and wide characters alone: Chinese punctuation is wide, and is meant.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.util import find_spec
from typing import Literal

from foretext.base.errors import MissingExtraError
from foretext.corpus.decoding import normalize

__all__ = ["Normalizer", "refuse_missing_ftfy"]

_BLANKS = dict.fromkeys((0x0B, 0x0C, 0x0D, 0x85, 0x2028, 0x2029), " ")
_REMOVED = dict.fromkeys(
    code
    for code in (*range(0x20), *range(0x7F, 0xA0), *range(0xFFF9, 0xFFFC), 0xFFFE, 0xFFFF)
    if chr(code) not in "\t\n"
)
_JOINED = dict.fromkeys(map(ord, "\u00ad\u2060\ufeff"))  # within words, where nobody sees them
_CONTROL: dict[int, str | None] = {**_REMOVED, **_JOINED, **_BLANKS}
_HAS_CONTROL = re.compile("[" + "".join(re.escape(chr(code)) for code in _CONTROL) + "]")


def refuse_missing_ftfy() -> None:
    """Refuse to repair text where ftfy is not installed.

    Raises:
        MissingExtraError: it is not.
    """
    if find_spec("ftfy") is None:
        raise MissingExtraError("ftfy", "clean", "Repairing text (fix_text)")


class Normalizer:
    """Makes a document what is kept of it.

    Args:
        form: Unicode normal form.
        fix_text: repair text that was decoded by the wrong encoding.
    """

    def __init__(self, form: Literal["none", "NFC", "NFKC"], *, fix_text: bool = False) -> None:
        self._form: Literal["none", "NFC", "NFKC"] = form
        self._fix: Callable[[str], str] | None = _ftfy() if fix_text else None

    def __call__(self, text: str) -> str:
        """Return the text; it is empty where nothing is left."""
        if self._fix is not None:
            text = self._fix(text)
        if _HAS_CONTROL.search(text):
            text = text.translate(_CONTROL)
        lines = map(str.strip, normalize(text, self._form).split("\n"))
        return "\n".join(line for line in lines if line)


def _ftfy() -> Callable[[str], str]:
    from ftfy import TextFixerConfig, fix_text

    config = TextFixerConfig(
        unescape_html="auto",
        fix_latin_ligatures=False,
        fix_character_width=False,
        uncurl_quotes=False,
        normalization=None,
    )
    return lambda text: str(fix_text(text, config))
