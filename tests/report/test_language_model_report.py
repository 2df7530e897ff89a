"""The page of a pretraining: its tiles."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from foretext.report.language_model_report import write_language_model_report
from tests.report.parsed_page import Page

FACTS = {"parameters": 1_000_000, "vocab_size": 8000}


def records(**figures: float) -> list[dict[str, Any]]:
    one = {"time": 10.0, "step": 5, "tokens": 4000, "tokens_per_second": 400, "loss": 7.0}
    two = {"time": 20.0, "step": 10, "tokens": 8000, "tokens_per_second": 400, "loss": 6.5}
    return [{**record, "epoch": 1.0, "learning_rate": 1e-3, **figures} for record in (one, two)]


def text_of(path: Path, metrics: list[dict[str, Any]]) -> str:
    write_language_model_report(path, title="run", facts=FACTS, settings={}, metrics=metrics)
    return Page(path.read_text(encoding="utf-8")).text


@pytest.mark.parametrize("measured", [True, False])
def test_how_much_of_the_machine_was_used(tmp_path: Path, measured: bool) -> None:
    text = text_of(tmp_path / "report.html", records(mfu=0.37) if measured else records())
    assert ("machine used (MFU)" in text) == measured
    assert ("37%" in text) == measured


@pytest.mark.parametrize(
    ("sample", "shown"),
    [
        (
            {"text": "the [MASK] .", "hidden": "sea", "answers": [["ship", 0.571], ["a", 0.004]]},
            "the [MASK] . hidden: “sea”; it says “ship” (57 %), “a” (< 1 %)",
        ),
        ({"text": "the sea", "answers": ["is wide"]}, "in bold how the model goes on"),
    ],
)
def test_what_the_model_said_is_quoted(tmp_path: Path, sample: dict[str, Any], shown: str) -> None:
    write_language_model_report(
        tmp_path / "report.html", title="run", facts=FACTS, settings={}, metrics=records(),
        samples=[{"valid_loss": 6.4, "samples": [sample]}],
    )  # fmt: skip
    page = Page((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert shown in " ".join(page.text.split())
