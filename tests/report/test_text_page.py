"""Texts on the page of a task: beside each other, with what is wrong with them, and aligned."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from foretext.base.errors import ModelFileError
from foretext.base.parsing import check_value
from foretext.report.task_card import figure_name, figure_text, task_card
from foretext.report.task_files import Examination
from foretext.report.task_report import write_task_report
from foretext.report.text_charts import alignment_chart, alignment_width, quality_chart
from foretext.report.text_page import Run, text_parts
from tests.report.parsed_page import Page
from tests.report.task_facts import facts, spread

EVIL = "</script><script>alert(1)</script>"
SIGNATURE = "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0"


def written(**changes: Any) -> dict[str, Any]:
    row = {
        "source": "Ein Hund.", "reference": "A dog.", "output": "A cat runs.",
        "baseline": "A dog .", "chrf": 31.25, "faults": [], "place": "/home/me/test.de:7",
    }  # fmt: skip
    return {**row, **changes}


ALIGNMENT = {
    "source": ["Hund", "und", "Hund"], "output": ["dog", EVIL],
    "weights": [[0.7, 0.1, 0.2], [0.0, 1.0, 0.0]], "layer": 2, "place": "test.de:7",
}  # fmt: skip
BINS = [
    {"low": low, "high": low + 3, "rows": 20, "model": model, "chrf": 50.0 - low}
    for low in (1, 5)
    for model in ("this model", "word by word")
]
TEXTS = {
    "part": "test", "rows": 40, "learned": {},
    "samples": [written(), written(output=EVIL, baseline=None)],
    "worst_texts": [written(faults=["repeats “a b c”"], output="")],
    "faulty_texts": [{"fault": "no word", "texts": [written(output="")]}],
    "tables": [{"title": "What outputs do wrong",
                "rows": [{"fault": "no word", "outputs": 3, "share": 0.075}]}],
    "quality": BINS, "text_lengths": [[3, 4], [0, 0]], "alignments": [ALIGNMENT],
}  # fmt: skip
FIGURES = {"bleu": 35.27, "chrf": 58.1, "rouge_l": 61.0, "perplexity": 6.2}
WORSE = {"bleu": 28.02, "chrf": 54.2, "rouge_l": 63.5}
CHANGES = {
    "judged_by": "bleu", "watched": ["bleu"], "labels": None, "valid": None,
    "test": {"rows": 40, **FIGURES, "signatures": {"bleu": SIGNATURE}},
    "baseline": {"name": "word-by-word translation", "seconds": 1.0, "valid": None, "test": WORSE},
}  # fmt: skip


def page_of(tmp_path: Path, examination: Any, **changes: Any) -> Page:
    path = tmp_path / "page.html"
    metrics = [{"epoch": 1, "step": 10, "time": 1.0, "loss": 3.0, "valid_bleu": 12.5}]
    given = facts("text_to_text", **{**CHANGES, **changes})
    write_task_report(
        path, title="Mine", facts=given, settings={}, metrics=metrics, examination=examination
    )
    return Page(path.read_text(encoding="utf-8"))


def test_all_blocks_are_on_the_page(tmp_path: Path) -> None:
    page = page_of(tmp_path, TEXTS)
    headings = [
        "How good it is", "Samples", "Alignments", "Length and quality", "What outputs do wrong",
        "Outputs with such faults", "The worst outputs",
    ]  # fmt: skip
    places = [page.text.index(heading) for heading in headings]
    assert places == sorted(places)
    names = {"spec-alignment-1", "spec-quality", "spec-lengths", "spec-beside", "spec-figures"}
    assert names <= set(page.specifications)
    assert "repeats “a b c”" in page.text
    assert "test.de:7" in page.text
    assert "/home/me" not in page.text
    assert page.tags.count("script") == page_of(tmp_path, {**TEXTS, "samples": []}).tags.count(
        "script"
    )  # what looks like a tag is text
    assert EVIL in page.text


def test_a_page_of_other_tasks_has_none_of_them(tmp_path: Path) -> None:
    page = page_of(tmp_path, {"part": "test", "rows": 40, "learned": {}})
    for heading in ("Samples", "Alignments", "Length and quality", "The worst outputs"):
        assert heading not in page.text


def test_figures_are_points_with_their_signatures(tmp_path: Path) -> None:
    page = page_of(tmp_path, TEXTS)
    assert "35.3" in page.text
    assert SIGNATURE in page.text
    [rows] = page.specifications["spec-beside"]["datasets"].values()
    assert [(row["figure"], row["value"]) for row in rows[::2]] == [
        ("BLEU", 35.27),
        ("chrF", 58.1),
        ("ROUGE-L", 61.0),
    ]
    [bars, _] = page.specifications["spec-beside"]["layer"]
    assert bars["encoding"]["x"]["scale"]["domain"] == [0, 100]
    curve = page.specifications["spec-figures"]["layer"][0]
    assert ".0%" not in json.dumps(curve)


def test_card_and_seeds_have_points_too(tmp_path: Path) -> None:
    given = facts("text_to_text", **CHANGES)
    card = task_card(given, {}, Path("run"))
    assert "| BLEU | 35.27 | 28.02 |" in card
    assert "| perplexity | 6.2000 |  |" in card
    seeds = {"seeds": [1, 2, 3], "valid": [], "test": spread(30.0)}
    assert "± 0.0, mean of 3 seeds, test" in page_of(tmp_path, TEXTS, seeds=seeds).text
    assert (figure_name("rouge_l"), figure_name("macro_f1")) == ("ROUGE-L", "macro F1")
    assert (figure_text("chrf", 58.14), figure_text("f1", 0.58149)) == ("58.1", "0.581")


def test_words_that_the_reference_does_not_have_are_marked() -> None:
    rows = [written(), written(output="", baseline=None), written(output="!?", baseline="dog a")]
    first, empty, marks = text_parts({"samples": rows})["samples"]
    assert first["runs"]["output"] == [Run("A ", True), Run("cat runs.", False)]
    assert first["runs"]["baseline"] == [Run("A dog .", True)]
    assert empty["runs"] == {"output": []}
    assert marks["runs"]["output"] == [Run("!?", True)]
    chinese = written(reference="两只狗", output="“三只狗”")
    [row] = text_parts({"samples": [chinese]})["samples"]
    assert [run.text for run in row["runs"]["output"]] == ["“三", "只狗”"]


def test_an_alignment_names_each_place() -> None:
    chart = alignment_chart(ALIGNMENT)
    axis = chart["encoding"]["x"]["axis"]
    assert axis["labelExpr"] == '["Hund", "und", "Hund"][datum.value]'
    [cells] = chart["datasets"].values()
    assert [cell["weight"] for cell in cells] == [0.7, 0.1, 0.2, 0.0, 1.0, 0.0]
    assert (cells[2]["source"], cells[2]["output"]) == ("Hund", "dog")
    assert alignment_width({"source": ["a"] * 20}) > 390


def test_quality_has_a_line_for_each_model() -> None:
    [rows] = quality_chart(BINS)["datasets"].values()
    assert [row["words"] for row in rows] == ["1–4", "1–4", "5–8", "5–8"]
    single = quality_chart([{"low": 4, "high": 4, "rows": 9, "model": "a", "chrf": 1.0}])
    [rows] = single["datasets"].values()
    assert rows[0]["words"] == "4"
    assert single["layer"][0]["encoding"]["color"]["legend"] is None


@pytest.mark.parametrize(
    "damage",
    [
        {"weights": [[0.5, 0.5, 0.0]]},
        {"weights": [[0.5], [0.5]]},
        {"weights": [[2.0, 0, 0], [0, 0, 0]]},
        {"source": []},
    ],
)
def test_a_damaged_alignment_is_refused(damage: dict[str, Any]) -> None:
    found = {**TEXTS, "alignments": [{**ALIGNMENT, **damage}]}
    with pytest.raises(ModelFileError):
        check_value(found, "examination.json", ModelFileError, Examination)
