from __future__ import annotations

from pathlib import Path

import pytest

from foretext.base.errors import OutputError
from foretext.cleaning import clean
from foretext.report.cleaning_report import write_cleaning_report
from tests.report.parsed_page import Page

HOSTILE = "</script><script>alert(1)</script>"


def test_the_page_shows_reasons_examples_and_settings(tmp_path: Path) -> None:
    texts = [
        "The ship and the sea have sails.",
        f"short {HOSTILE}",
        "The ship and the sea have sails.",
    ]
    rules = {"min_words": 5, "min_sentences": 1}
    done = clean(texts, tmp_path / "out", rules=rules, workers=1, quiet=True)
    page = Page(done.report.read_text(encoding="utf-8"))
    for text in ("min words", "exact duplicate", "1 (33 %)", f"short {HOSTILE}", "chinese_rules"):
        assert text in page.text
    assert "Found by script" in page.text


def test_nothing_dropped(tmp_path: Path) -> None:
    done = clean(["a text"], tmp_path / "out", settings={"rules": False}, workers=1, quiet=True)
    assert "No document was dropped" in Page(done.report.read_text(encoding="utf-8")).text
    with pytest.raises(OutputError):
        write_cleaning_report(tmp_path, done.facts.model_dump(mode="json"), title="x")
