"""Formulas of TeX as MathML, which browsers draw by themselves."""

from __future__ import annotations

import html
import re
import unicodedata

__all__ = ["FormulaError", "drawn_formulas"]

FORMULA = re.compile(r'<(span|div) class="arithmatex">(?:\\\(|\\\[)(.*?)(?:\\\)|\\\])</\1>', re.S)
BOLD = re.compile(r'<m([ino]) mathvariant="(bold|bold-italic)">([^<]+)</m\1>')
TEXT = re.compile(r"<mtext>(.*?)</mtext>", re.S)
UNKNOWN = re.compile(r"<m[io]>(&|\\[A-Za-z]+)</m[io]>")


class FormulaError(Exception):
    """A formula cannot be drawn."""


def drawn_formulas(page: str) -> str:
    """Return the HTML of a page with its formulas drawn.

    Raises:
        FormulaError: a formula has a command that is not known.
    """
    return FORMULA.sub(lambda found: _mathml(found[2], block=found[1] == "div"), page)


def _mathml(written: str, *, block: bool) -> str:
    from latex2mathml.converter import convert

    formula = html.unescape(written).strip()
    made = str(convert(formula, display="block" if block else "inline"))
    if unknown := UNKNOWN.search(made):
        raise FormulaError(f"{unknown[1]} in the formula {formula} is not known; write it without.")
    made = TEXT.sub(lambda found: f"<mtext>{_escaped(found[1])}</mtext>", made)
    return BOLD.sub(_bold, made)


def _bold(found: re.Match[str]) -> str:
    """Return a symbol by bold characters, which browsers draw; most know no other variant."""
    name, variant, symbols = found.groups()
    style = variant.upper().replace("-", " ")
    upright = ' mathvariant="normal"' if name == "i" else ""
    bold = "".join(_styled(each, style) for each in html.unescape(symbols))
    return f"<m{name}{upright}>{bold}</m{name}>"


def _styled(symbol: str, style: str) -> str:
    """Return the mathematical character for a bold letter or digit; others stay."""
    name = unicodedata.name(symbol, "")
    for case in ("CAPITAL", "SMALL"):
        for script in ("LATIN", "GREEK"):
            name = name.replace(f"{script} {case} LETTER ", f"{case} ")
    try:
        return unicodedata.lookup(f"MATHEMATICAL {style} {name}")
    except KeyError:
        return symbol


def _escaped(text: str) -> str:
    return html.escape(html.unescape(text), quote=False)
