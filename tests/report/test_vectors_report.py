from __future__ import annotations

import base64
import hashlib
import json
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
from foretext.report.page import write_page
from foretext.vectors.word_vectors import WordVectors
from tests.report.parsed_page import Page

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
    assert list(page.specifications) == ["spec-loss", "spec-rate", "spec-speed", "spec-map"]
    for text in ("12", "documents", "WordSim-353", "0.617", "held-out loss", "0.500", "alpha"):
        assert text in page.text
    assert "unheard-of" not in page.text


def test_the_speed_of_glove_is_in_cells(tmp_path: Path) -> None:
    metrics = [
        {"time": 2.0 * i, "epoch": i, "cells": 600 * i, "cells_per_second": 300, "loss": 1 / i}
        for i in range(1, 4)
    ]
    page = write(tmp_path / "report.html", metrics=metrics)
    [rows] = page.specifications["spec-speed"]["datasets"].values()
    assert [row["cells"] for row in rows] == [600, 1200, 1800]
    assert {row["value"] for row in rows} == {300}
    assert "cells a second" in page.text


def test_nothing_is_fetched(page: Page) -> None:
    names = {name for name, _ in page.attributes}
    assert not names & {"src", "href", "xlink:href", "srcset", "action", "data", "poster"}
    assert not re.search(r"url\(|@import", page.styles)
    assert "://" not in json.dumps(page.specifications)
    assert page.policy.startswith("default-src 'none'; img-src data:;")


def test_words_stay_text(page: Page) -> None:
    assert "img" not in page.tags
    assert page.tags.count("script") == len(page.specifications) + 2
    for word in HOSTILE:
        assert word in page.text


def test_no_other_script_may_run(page: Page) -> None:
    hashes = [base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in page.scripts]
    assert page.policy.split("script-src ")[1].split() == [
        "'unsafe-eval'",  # Vega compiles its expressions
        *(f"'sha256-{digest}'" for digest in hashes),
    ]
    assert len(hashes) == 2


def test_words_on_the_map_stay_data(tmp_path: Path) -> None:
    point = {"word": HOSTILE[0], "x": 0, "y": 1, "count": 3, "group": 0, "nearest": "b", "level": 1}
    path = tmp_path / "page.html"
    write_page(path, "page.html.j2", {"map": map_chart([point])}, title="map", summary="")
    page = Page(path.read_text(encoding="utf-8"))
    assert [point] in page.specifications["spec-map"]["datasets"].values()
    assert page.tags.count("script") == 3


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
    assert page.specifications == {}
    assert "2 words as vectors of 2 dimensions" in page.text
    assert "section" not in page.tags


def test_equal_runs_give_equal_pages(tmp_path: Path, page: Page) -> None:
    again = write(tmp_path / "report.html")
    assert again.specifications == page.specifications
    assert again.text == page.text


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match=r"report\.html cannot be written"):
        write(tmp_path / "file" / "report.html")


def test_nothing_heavy_is_imported_before_a_page_is_made() -> None:
    code = (
        "import sys, foretext.report as r; r.write_vectors_report;"
        "print([m for m in ('altair', 'sklearn', 'jinja2', 'vl_convert') if m in sys.modules])"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, text=True
    )
    assert result.stdout.strip() == "[]"
