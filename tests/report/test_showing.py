"""What is shown, as text, JSON and page: every kind of part, in both languages, of hostile text."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from foretext.base.errors import OutputError
from foretext.report.showing import Showing
from foretext.shown import Grid, Note, Shown, Table, TokenLine, TokenLines

PARTS = (
    Note("Two of <b>ten</b> tokens."),
    TokenLines(
        "Row",
        (
            TokenLine(
                "input", ("[CLS]", "the", "[MASK]", "\x1b[31m"), ("special", "", "masked", "")
            ),
            TokenLine("original", ("", "", "ship", "")),
        ),
    ),
    Grid.of("Mask", ["the", "ship"], ["the", "ship"], [[1, 0], [1, 1]], is_mask=True),
    Grid.of("Scores", ["B"], ["the", "ship"], [[-1.5, 0.25]]),
    Table.of("Counts", ["word", "count"], [["<i>sea</i>", 12345], [None, None]]),
)
SHOWING = Showing("bert", (Shown("Example 1", PARTS),), "en")


def test_text_has_every_part() -> None:
    assert str(SHOWING).splitlines() == [
        "bert: what the training reads",
        "",
        "Example 1 " + "─" * 90,
        "Two of <b>ten</b> tokens.",
        "",
        "Row",
        "input     [CLS]  the  [MASK]  \\u001b[31m",
        "                      masked",
        "original              ship",
        "  special: a special token",
        "  masked: replaced by the mask token; the original is the target",
        "",
        "Mask",
        "       0 1",
        "0 the  ■ ·",
        "1 ship ■ ■",
        "",
        "Scores",
        "     0    1",
        "B -1.5  .25",
        "columns: 0 the, 1 ship",
        "",
        "Counts",
        "word         count",
        "<i>sea</i>  12,345",
    ]


def test_long_rows_wrap_with_their_labels() -> None:
    words = tuple(f"word{number}" for number in range(30))
    lines = TokenLines("Row", (TokenLine("a", words), TokenLine("b", words)))
    text = str(Showing("x", (Shown("t", (lines,)),), "en")).splitlines()
    assert sum(line.startswith("a  word") for line in text) == 3
    assert max(map(len, text)) <= 100


def test_wide_grids_are_cut_and_say_so() -> None:
    names = [f"w{number}" for number in range(60)]
    grid = Grid.of("Mask", names, names, [[1] * 60] * 60, is_mask=True)
    text = str(Showing("x", (Shown("t", (grid,)),), "en"))
    assert "of 60 columns" in text
    assert max(map(len, text.splitlines())) <= 100


@pytest.mark.parametrize("weights", [[[1.0]], [[0.0, 1.0], [1.0, 0.0]]])
def test_attention_of_whole_weights_is_no_mask(weights: list[list[float]]) -> None:
    names = "ab"[: len(weights)]
    text = str(Showing("x", (Shown("t", (Grid.of("Attention", names, names, weights),)),), "en"))
    assert "1.00" in text
    assert "■" not in text


def test_long_names_are_cut_above_and_below_a_grid() -> None:
    grid = Grid.of("Scores", ["r" * 99], ["c" * 99], [[0.5]])
    text = str(Showing("x", (Shown("t", (grid,)),), "en"))
    assert f"{'r' * 23}…" in text
    assert f"columns: 0 {'c' * 23}…" in text


@pytest.mark.parametrize("token", ["a" * 200_000, "词" * 200_000])
def test_a_token_of_any_length_is_cut_at_once(token: str) -> None:
    lines = TokenLines("Row", (TokenLine("input", (token,)),))
    began = time.process_time()
    text = str(Showing("x", (Shown("t", (lines,)),), "en"))
    assert time.process_time() - began < 5  # letter by letter it takes minutes
    assert f"{token[: 23 if token[0] == 'a' else 11]}…" in text


def test_a_page_escapes_and_has_no_script() -> None:
    page = SHOWING.to_html()
    body = page.partition("<body>")[2]
    assert "<script" not in body
    assert "<i>sea" not in body
    assert "&lt;i&gt;sea&lt;/i&gt;" in body
    assert "\x1b" not in page
    assert '<html lang="en">' in page
    assert "masked" in body


def test_a_page_is_in_the_language_of_what_is_shown() -> None:
    page = Showing("bert", (Shown("样本 1", PARTS[1:2]),), "zh").to_html()
    assert '<html lang="zh-CN">' in page
    assert "掩码" in page
    assert "Made by foretext" not in page


def test_a_file_is_not_written_over(tmp_path: Path) -> None:
    SHOWING.save(tmp_path / "page.html")
    with pytest.raises(OutputError, match="page"):
        SHOWING.save(tmp_path / "page.html")
    SHOWING.save(tmp_path / "page.html", overwrite=True)
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == SHOWING.to_html()
    assert "srcdoc" in SHOWING._repr_html_()
