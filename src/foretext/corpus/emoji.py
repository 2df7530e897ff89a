"""Which characters are emoji or pictures: symbols that stand in a text like words."""

from __future__ import annotations

__all__ = ["EMOJI"]

# As inside the brackets of a regular expression: watches and hourglasses, the blocks "Miscellaneous
# Symbols" and "Dingbats", stars and circles, playing stones and cards, letters of flags, and the
# blocks of pictures with the colours of skin. Signs such as (C), TM and arrows are none.
EMOJI = (
    "\u231a\u231b\u23e9-\u23f3\u2600-\u27bf\u2b50\u2b55\U0001f000-\U0001f0ff"
    "\U0001f1e6-\U0001f1ff\U0001f300-\U0001faff"
)
