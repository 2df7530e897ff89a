"""Sentence ends by rule: `. ! ?` with abbreviations, initials and decimals, and Chinese 。！？.

A sentence ends at closing punctuation before white space, if the next word does not begin in lower
case. Further rules hold for a single full stop: it ends no sentence after titles ("Mr."), nor after
"No." and so on before a number; after initials, "U.S." and "Inc." it does only before a word that
often begins a sentence. A separate full stop, as in tokenised text, always ends a sentence. Chinese
and Japanese sentences end at their marks, without white space, and at `!` and `?` between their
characters: NFKC makes these of the wide marks. The abbreviations are English.
"""

from __future__ import annotations

import re

__all__ = ["split_sentences"]

_MARK = re.compile("[.!?…]")
_END = re.compile(r"([.!?…][.!?…\"'”’»)\]]*+)[^\S\n]++(?=[\"'“‘«(\[¿¡]*+(\w++))")
_WIDE_END = re.compile(r"([。！？｡]++[”’」』）》】〕〉\"')\]]*+)[^\S\n]*+(?=\S)")
_CHARACTER = "[\u3040-\u30ff\u3400-\u9fff]"  # Chinese and Japanese
_NARROW_END = re.compile(
    rf"(?<={_CHARACTER})([!?]++[”’」』）》】〕〉\"')\]]*+)(?=[“‘「『（《]*+{_CHARACTER})"
)
_SPACED_END = re.compile(r"([।॥؟۔]++)[^\S\n]++(?=\S)")
_LAST_TOKEN = re.compile(r"[^\s(\[{\"“‘«'—–-]*+\Z")
_ACRONYM = re.compile(r"(?:[^\W\d]{1,2}\.)+[^\W\d]{1,2}|[^\W\d_]")  # U.S, a.m, Ph.D, J
_LONGEST_TOKEN = 24  # characters that are checked before a full stop


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_TITLES = _words(
    "mr mrs ms mx messrs dr prof st mt ft gen rep sen gov col capt cpt cmdr adm maj lt sgt cpl pvt "
    "rev fr hon pres supt e.g i.e cf viz vs al ca approx"
)
_NUMBERED = _words(
    "no nos nr fig figs vol vols p pp pt art sec ch chap eq eqs ref refs op jan feb mar apr jun "
    "jul aug sep sept oct nov dec"
)
_DOUBTFUL = _words("inc corp co ltd bros plc llc jr sr etc dept univ assn est ave blvd rd esq ph.d")
_OPENERS = _words(
    "the this that these those there then they he she it we you his her its their our my in on at "
    "for from with when while if as but and or so however although after before since because "
    "during one some many most all no not what who why how where according by to an both each "
    "other another such under until yet still"
)


def split_sentences(text: str) -> str:
    """Return `text` with a line end after each sentence; its own line ends stay."""
    text = _END.sub(_ended, text)
    if text.isascii():
        return text
    if any(mark in text for mark in "。！？｡"):
        text = _WIDE_END.sub(r"\1\n", text)
    if any(mark in text for mark in "!?"):
        text = _NARROW_END.sub(r"\1\n", text)
    if any(mark in text for mark in "।॥؟۔"):
        text = _SPACED_END.sub(r"\1\n", text)
    return text


def _ended(match: re.Match[str]) -> str:
    marks, following = match[1], match[2]
    text, at = match.string, match.start()
    if marks == "." or (marks[0] == "." and _MARK.search(marks, 1) is None):
        token = _LAST_TOKEN.search(text[max(at - _LONGEST_TOKEN, 0) : at])
        ended = token is None or _full_stop_ends(token[0], following, at - len(token[0]), text)
    else:
        ended = not following[0].islower()
    return marks + "\n" if ended else match[0]


def _full_stop_ends(token: str, following: str, start: int, text: str) -> bool:
    """Whether the full stop after `token`, which begins at `start`, ends a sentence."""
    word = token.lower()
    if not token:
        return True
    if following[0].islower() or word in _TITLES:
        return False
    if word in _NUMBERED:
        return not following[0].isdigit()
    if word in _DOUBTFUL or _ACRONYM.fullmatch(token):
        return following.lower() in _OPENERS
    return not (token.isdigit() and (start == 0 or text[start - 1] == "\n"))  # "1. Introduction"
