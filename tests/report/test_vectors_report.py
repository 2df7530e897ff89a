from __future__ import annotations

import base64
import hashlib
import re
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from foretext.base.errors import OutputError
from foretext.report import write_vectors_report
from foretext.report.charts import map_chart
from foretext.vectors.word_vectors import WordVectors
from tests.report.parsed_page import Page, chart_of

HOSTILE = [
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "{{7*7}}",
    "\"\u2028'&",
]
WORDS = [*HOSTILE, *("".join(letters) for letters in product("abc", "kuv", "lm"))]
METRICS = [
    {"time": i, "epoch": i / 4, "words": i * 1000, "words_per_second": 1000,
     "learning_rate": 0.02, "loss": 3 / i, "valid_loss": None if i % 2 else 4 / i}
    for i in range(1, 9)
]  # fmt: skip


def write(path: Path, **changes: Any) -> Page:
    words = list(dict.fromkeys(WORDS))
    vectors = np.random.default_rng(0).normal(size=(len(words), 8))
    arguments: dict[str, Any] = {
        "title": HOSTILE[0],
        "settings": {"seed": 7, "training": {"alpha": 0.025, HOSTILE[1]: HOSTILE[2]}},
        "corpus": {"num_documents": 12, HOSTILE[1]: HOSTILE[0]},
        "metrics": METRICS,
        "vectors": WordVectors(words, vectors, np.arange(len(words), 0, -1)),
        "evaluation": [{"test": "WordSim-353", "spearman": 0.61749}],
        "neighbors_of": [*HOSTILE, "unheard-of"],
    }
    write_vectors_report(path, **(arguments | changes))
    return Page(path.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Page:
    return write(tmp_path_factory.mktemp("run") / "report.html")


def test_the_page_shows_what_it_was_given(page: Page) -> None:
    assert list(page.charts) == ["loss", "rate", "speed", "map"]
    for text in ("12", "documents", "WordSim-353", "0.617", "held-out loss", "0.500", "alpha"):
        assert text in page.text
    assert "unheard-of" not in page.text


def test_the_speed_of_glove_is_in_cells(tmp_path: Path) -> None:
    metrics = [
        {"time": 2.0 * i, "epoch": i, "cells": 600 * i, "cells_per_second": 300, "loss": 1 / i}
        for i in range(1, 4)
    ]
    page = write(tmp_path / "report.html", metrics=metrics)
    rows = page.charts["speed"].values()
    assert [row["cells"] for row in rows] == ["600", "1,200", "1,800"]
    assert {row["cells a second"] for row in rows} == {"300"}


def test_nothing_is_fetched(page: Page) -> None:
    names = {name for name, _ in page.attributes}
    assert not names & {"src", "href", "xlink:href", "srcset", "action", "data", "poster"}
    assert not re.search(r"url\(|@import", page.styles)
    assert page.policy.startswith("default-src 'none'; img-src data:;")


def test_words_stay_text(page: Page) -> None:
    assert "img" not in page.tags
    assert page.tags.count("script") == 1
    for word in HOSTILE:
        assert word in page.text


def test_no_other_script_may_run(page: Page) -> None:
    hashes = [base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in page.scripts]
    assert page.policy.split("script-src ")[1].split() == [
        *(f"'sha256-{digest}'" for digest in hashes),
    ]
    assert len(hashes) == 1


def test_words_on_the_map_stay_text() -> None:
    point = {"word": HOSTILE[0], "x": 0, "y": 1, "count": 3, "group": 0, "nearest": "b", "level": 1}
    chart = chart_of(map_chart([point]))
    assert chart.texts == [HOSTILE[0]]
    assert "".join(chart.titles).endswith("nearest: b")
    assert not {"script", "img"} & set(chart.tags)


def test_little_is_enough(tmp_path: Path) -> None:
    page = write(
        tmp_path / "report.html",
        settings={},
        corpus=None,
        metrics=[],
        vectors=WordVectors(["the", "of"], np.eye(2)),
        evaluation=[],
        neighbors_of=None,
    )
    assert page.charts == {}
    assert "2 words as vectors of 2 dimensions" in page.text
    assert "section" not in page.tags


def test_equal_runs_give_equal_pages(tmp_path: Path, page: Page) -> None:
    again = write(tmp_path / "report.html")
    assert again.charts == page.charts
    assert again.text == page.text


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match=r"report\.html cannot be written"):
        write(tmp_path / "file" / "report.html")


def test_nothing_heavy_is_imported_before_a_page_is_made() -> None:
    code = (
        "import sys, foretext.report as r; r.write_vectors_report;"
        "print([m for m in ('sklearn', 'jinja2') if m in sys.modules])"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, text=True
    )
    assert result.stdout.strip() == "[]"
