"""Formulas of the pages are drawn without a script."""

from __future__ import annotations

import html
import re

import pytest

from tools.site.formulas import FormulaError, drawn_formulas

pytest.importorskip("latex2mathml", reason="latex2mathml is not installed: make site")


def drawn(formula: str, *, block: bool = False) -> str:
    tag, begin, end = ("div", r"\[", r"\]") if block else ("span", r"\(", r"\)")
    return drawn_formulas(f'<p>a <{tag} class="arithmatex">{begin}{formula}{end}</{tag}> b</p>')


def test_a_formula_becomes_mathml_in_its_line() -> None:
    page = drawn(r"\frac{1}{\sqrt{d_k}}")
    assert re.fullmatch("<p>a <math.+</math> b</p>", page)
    assert 'display="inline"' in page
    assert re.search("<mfrac>.+<msqrt>", page)


def test_a_formula_of_its_own_is_a_block() -> None:
    assert 'display="block"' in drawn("x = 1", block=True)


@pytest.mark.parametrize(
    ("formula", "symbol"),
    [
        (r"\mathbf v", "𝐯"),
        (r"\mathbf{W}", "𝐖"),
        (r"\mathbf{1}", "𝟏"),
        (r"\boldsymbol{\theta}", "𝜽"),
    ],
)
def test_vectors_are_bold(formula: str, symbol: str) -> None:
    page = html.unescape(drawn(formula))
    assert symbol in page
    assert "bold" not in page


@pytest.mark.parametrize("word", ["<unk>", "a & b"])
def test_words_within_a_formula_stay_text(word: str) -> None:
    written = word.replace("&", r"\&").replace("<", "&lt;").replace(">", "&gt;")
    page = drawn(r"n_{\text{" + written + "}}")
    (shown,) = re.findall(r"<mtext>(.*?)</mtext>", page)
    assert "<" not in shown
    assert html.unescape(shown).replace("\xa0", " ").replace("\\&", "&") == word


@pytest.mark.parametrize(
    ("formula", "command"), [(r"\unheardof{x}", r"\unheardof"), (r"a &amp;= b", "&")]
)
def test_an_unknown_command_is_refused(formula: str, command: str) -> None:
    with pytest.raises(FormulaError, match=re.escape(f"{command} in the formula")):
        drawn(formula)


def test_pages_without_formulas_are_as_they_were() -> None:
    page = "<p>It costs $5, or \\(five\\) dollars.</p>"
    assert drawn_formulas(page) == page
