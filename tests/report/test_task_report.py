"""The page of a fine-tuning: every task's parts, from what a run's folder holds."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from foretext.artifact import RunFolder
from foretext.base.errors import ModelFileError
from foretext.base.parsing import check_value
from foretext.finetuning.recipe import TaskRecipe
from foretext.finetuning.run import run_finetuning
from foretext.report.run_report import report_run
from foretext.report.task_card import figure_name, figure_text, task_card
from foretext.report.task_charts import (
    alignment_chart,
    alignment_width,
    beside_chart,
    confusion_chart,
    matrix_width,
    quality_chart,
)
from foretext.report.task_files import Examination
from foretext.report.task_report import TextRun, tagged_sentence, text_parts, write_task_report
from tests.report.parsed_page import Page, chart_of
from tests.report.task_facts import LABELS, facts, spread

EVIL = "<script>alert(1)</script>"
SURE = [{"low": 0.5, "high": 0.6, "size": 4, "confidence": 0.55, "accuracy": 0.5}]
ERROR = {"right": "yes", "given": EVIL, "probability": 0.9, "place": "/home/me/a.csv:3"}

CLASSES = {
    "part": "test", "rows": 40, "learned": {"no": 700, "yes": 500}, "num_errors": 10,
    "confusion": {"labels": ["no", "yes"], "counts": [[9, 1], [15, 15]]},
    "confused": [{"right": "yes", "given": "no", "count": 15}],
    "reliability": SURE, "calibration_error": 0.05, "errors": [{"text": EVIL, **ERROR}],
}  # fmt: skip
SCORES = {
    "part": "test", "rows": 40, "learned": {}, "points": [[0.0, 0.5], [1.0, 0.9]],
    "errors": [{"text_a": EVIL, "text_b": "b", "right": 0.0, "given": 0.5, "place": "a.csv:1"}],
}  # fmt: skip
TAGS = {
    "part": "valid", "rows": 9, "learned": {"PER": 3}, "num_errors": 1, "num_wrong_sentences": 1,
    "confusion": {"labels": ["PER", "no entity"], "counts": [[2, 1], [0, 0]]}, "confused": [],
    "tables": [{"title": "What became of entities", "hint": "Kinds.",
                "rows": [{"kind": "PER", "right": 2, "missed": 1, "invented": 0}]}],
    "sentences": [{"errors": 1, "tokens": ["Ann", EVIL], "right": ["B-PER", "O"],
                   "given": ["B-PER", "B-PER"], "place": "a.conll:4"}],
}  # fmt: skip
ANSWERS = {
    "part": "test", "rows": 5, "learned": {}, "num_errors": 1, "reliability": SURE,
    "calibration_error": 0.1,
    "tables": [
        {"title": "Kinds of questions", "rows": [{"question word": "who", "exact_match": 0.8}]},
        {"title": "Nothing here", "rows": []},
    ],
    "questions": [{"question": "who ?", "passage": [["by ", ""], [EVIL, "right"]], "right": ["Ann"],
                "given": "", "f1": 0.0, "probability": 0.4, "place": "/home/me/a.json:q"}],
}  # fmt: skip

MARKS = {"found", "wrong"}

SENTENCE = {
    "tokens": ["Ann", "Lee", "saw", "Bonn"], "right": [], "given": [], "place": "/home/a.conll:1",
}  # fmt: skip

EVIL_TEXT = "</script><script>alert(1)</script>"
SIGNATURE = "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0"

ALIGNMENT = {
    "source": ["Hund", "und", "Hund"], "output": ["dog", EVIL_TEXT],
    "weights": [[0.7, 0.1, 0.2], [0.0, 1.0, 0.0]], "layer": 2, "place": "test.de:7",
}  # fmt: skip
BINS = [
    {"low": low, "high": low + 3, "rows": 20, "model": model, "chrf": 50.0 - low}
    for low in (1, 5)
    for model in ("this model", "word by word")
]
FIGURES = {"bleu": 35.27, "chrf": 58.1, "rouge_l": 61.0, "perplexity": 6.2}
WORSE = {"bleu": 28.02, "chrf": 54.2, "rouge_l": 63.5}
CHANGES = {
    "judged_by": "bleu", "watched": ["bleu"], "labels": None, "valid": None,
    "test": {"rows": 40, **FIGURES, "signatures": {"bleu": SIGNATURE}},
    "baseline": {"name": "word-by-word translation", "seconds": 1.0, "valid": None, "test": WORSE},
}  # fmt: skip


def record(epoch: float, **figures: float) -> dict[str, Any]:
    counts = {"epoch": epoch, "step": int(10 * epoch), "tokens": int(100 * epoch), "time": epoch}
    return {**counts, "tokens_per_second": 100, "learning_rate": 1e-3, "loss": 1.0, **figures}


METRICS = [record(1, valid_accuracy=0.6, valid_macro_f1=0.5), record(2, valid_accuracy=0.7)]


def page_of(tmp_path: Path, task: str = "classification", **given: Any) -> Page:
    changes = given.pop("facts", {})
    page = tmp_path / "page.html"
    write_task_report(
        page,
        title="Mine",
        facts=facts(task, **changes),
        settings={"training": {"epochs": 2}},
        **{"metrics": METRICS, **given},
    )
    return Page(page.read_text(encoding="utf-8"))


def test_a_classifier_stands_beside_its_baseline(tmp_path: Path) -> None:
    page = page_of(tmp_path, examination=CLASSES)
    assert set(page.charts) == {
        "loss", "rate", "speed", "figures", "beside", "confusion", "reliability",
    }  # fmt: skip
    beside = page.charts["beside"].values()
    assert [(row["figure"], row["model"], row["value"]) for row in beside] == [
        ("accuracy", "this model", "0.7500"),
        ("accuracy", "counting", "0.5000"),
        ("macro F1", "this model", "0.7000"),
        ("macro F1", "counting", "0.4000"),
    ]
    assert {"0.750", "0.500", "0.700", "0.400"} <= set(page.charts["beside"].texts)
    for said in ("0.750", "of the baseline, test", "counting", "700", "a.csv:3"):
        assert said in page.text
    assert "/home/me" not in page.text


def test_the_verdict_and_the_warnings_come_first(tmp_path: Path) -> None:
    verdict = {"best": "baseline", "against": "baseline", "sentence": "Counting is better.",
               "command": "foretext finetune classification linear 'my rows.csv'"}  # fmt: skip
    majority = {"name": "the most frequent label", "seconds": 0.0, "valid": None,
                "test": {"accuracy": 0.4, "macro_f1": 0.1}}  # fmt: skip
    changes = {"verdict": verdict, "warnings": ["All texts are alike."], "majority": majority}
    page = page_of(tmp_path, examination=CLASSES, facts=changes)
    order = ["Counting is better.", "linear 'my rows.csv'", "All texts are alike.", "1,200"]
    places = [page.text.index(each, page.text.index(order[0])) for each in order]
    assert places == sorted(places)
    assert ("class", "verdict worse") in page.attributes
    beside = page.charts["beside"].values()
    assert ["the most frequent label", "0.4000"] in [[row["model"], row["value"]] for row in beside]


def test_what_was_chosen_and_on_which_rows_is_said(tmp_path: Path) -> None:
    page = page_of(
        tmp_path, facts={"chosen": "chosen for these rows: lr 1", "refit": {"train": 9, "valid": 1}}
    )
    assert "Chosen for these rows: lr 1." in page.text
    assert "learned from 9 rows; the model that is kept learned from these and the 1" in page.text
    assert "Chosen for these rows" not in page_of(tmp_path).text


def test_the_features_of_a_linear_model_are_shown(tmp_path: Path) -> None:
    page = page_of(
        tmp_path, facts={"informative_features": {"sea": ["ship", "a ship"]}}, metrics=[]
    )
    assert "sea “ship”, “a ship”" in page.text
    assert "Training" not in page.text  # there is no curve
    assert "Most informative" not in page_of(tmp_path).text


def test_answers_are_marked_in_their_passages(tmp_path: Path) -> None:
    text = page_of(tmp_path, "span_qa", examination=ANSWERS).text
    assert "right: “Ann” · given: no answer" in text
    assert f"by {EVIL}right" in text
    assert "/home/me" not in text


def test_entities_are_marked_on_both_sides(tmp_path: Path) -> None:
    spans = {"right": [["PER", 0, 1]], "given": [["PER", 0, 1], ["LOC", 1, 2]]}
    [sentence] = TAGS["sentences"]
    found = {**TAGS, "sentences": [{**sentence, "spans": spans}]}
    page = page_of(tmp_path, "tagging", examination=found)
    marks = [value for name, value in page.attributes if name == "class" and value in MARKS]
    assert marks == ["found", "found", "wrong"]
    assert "→" not in page.text
    assert "B-PER" in page_of(tmp_path, "tagging", examination=TAGS).text  # tags of no entities


def test_the_figure_that_counts_is_drawn_while_it_is_learned(tmp_path: Path) -> None:
    chart = page_of(tmp_path).charts["figures"]
    first, second = chart.values()
    assert (first["accuracy"], first["macro F1"], first["epoch"]) == ("60.0%", "50.0%", "1.00")
    assert (second["accuracy"], second.get("macro F1")) == ("70.0%", None)
    assert chart.number("lines") == 2


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize(
    ("task", "examination", "judged_by", "headings"),
    [
        ("matching", CLASSES, "accuracy", ["Confusions", "The surest errors"]),
        ("matching", SCORES, "spearman", ["Scores, right and given", "The largest errors"]),
        ("tagging", TAGS, "f1", ["What became of entities", "Sentences with most errors"]),
        ("span_qa", ANSWERS, "f1", ["Calibration", "Kinds of questions"]),
    ],
)
def test_every_task_has_its_parts(
    tmp_path: Path, task: str, examination: dict[str, Any], judged_by: str, headings: list[str]
) -> None:
    figures = {judged_by: 0.5}
    changes = {"judged_by": judged_by, "test": figures, "valid": figures, "baseline": None}
    page = page_of(tmp_path, task, facts=changes, examination=examination)
    for heading in headings:
        assert heading in page.text
    assert "Nothing here" not in page.text
    assert EVIL in page.text  # as text, not as a tag
    assert EVIL not in page.scripts


@pytest.mark.parametrize("changes", [{}, {"valid": None, "test": None, "baseline": None}])
def test_a_run_that_nothing_was_examined_of_has_a_page(
    tmp_path: Path, changes: dict[str, Any]
) -> None:
    page = page_of(tmp_path, facts=changes)
    assert "Settings" in page.text
    assert "The surest errors" not in page.text
    assert ("How good it is" in page.text) == (not changes)


def test_seeds_and_trials_are_shown(tmp_path: Path) -> None:
    seeds = {"seeds": [1, 2, 3], "valid": [], "test": spread(0.74)}
    trials = [{"trial": n, "score": n / 10, "learning_rate": 1e-3} for n in range(1, 31)]
    page = page_of(tmp_path, facts={"seeds": seeds}, trials=trials)
    assert "0.740" in page.text
    assert "± 0.010, mean of 3 seeds, test" in page.text
    assert "The best of 30 settings" in page.text
    assert page.text.index("3.000") < page.text.index("2.900")  # the best one first


def test_labels_are_sorted_by_how_often_they_are_right(tmp_path: Path) -> None:
    text = page_of(tmp_path, examination={**CLASSES, "errors": []}).text
    table = text[text.index("support") :]
    assert table.index("yes") < table.index("no")
    assert set(LABELS) == {"no", "yes"}


def test_a_matrix_is_shaded_by_row_and_has_counts() -> None:
    svg = confusion_chart(["a", "b"], [[3, 1], [0, 0]])
    chart = chart_of(svg)
    assert [(row["count"], row["share of the right label"]) for row in chart.values()] == [
        ("3", "75.0%"), ("1", "25.0%"), ("0", "0.0%"), ("0", "0.0%"),
    ]  # fmt: skip
    assert re.findall(r'fill-opacity="([\d.]+)"', svg) == ["0.87", "0.5", "0", "0"]  # roots
    assert chart.number("on-cell") == 2
    assert chart.number("strong") == 1


def test_long_labels_are_numbers_below_a_matrix() -> None:
    labels = [f"comp.sys.a very long label {number}" for number in range(20)]
    chart = chart_of(confusion_chart(labels, [[1] * 20 for _ in labels]))
    assert {"comp.sys.a very l… 2", "2"} <= set(chart.texts)
    row = chart.values()[21]
    assert (row["right"], row["given"]) == (labels[1], labels[1])
    assert matrix_width(labels) > 390


def test_a_large_matrix_has_no_numbers_in_it() -> None:
    labels = [f"label {number}" for number in range(40)]
    svg = confusion_chart(labels, [[1] * 40 for _ in labels])
    assert chart_of(svg).number("on-cell") == 0
    assert f"height:{24 * 40}px" in svg


def test_figures_below_zero_are_drawn() -> None:
    row = {"figure": "Spearman", "model": "this model", "value": -0.2}
    chart = chart_of(beside_chart([row], ["this model"]))
    assert chart.values()[0]["value"] == "-0.2000"
    assert {"-50%", "0%", "100%", "-0.200"} <= set(chart.texts)


@pytest.mark.parametrize("examination", [CLASSES, TAGS])
def test_labels_too_many_for_a_matrix_are_shown_as_pairs(
    tmp_path: Path, examination: dict[str, Any]
) -> None:
    pairs = {"confused": [{"right": "label 7", "given": "label 8", "count": 15}]}
    found = {name: value for name, value in examination.items() if name != "confusion"} | pairs
    page = page_of(tmp_path, examination=found)
    assert "Confusions" in page.text
    assert "label 7" in page.text
    assert "confusion" not in page.charts


def test_a_page_without_a_map_has_no_script(tmp_path: Path) -> None:
    for examination in (CLASSES, SCORES, TAGS, ANSWERS):
        page = page_of(tmp_path, examination=examination)
        assert "script" not in page.tags
        assert "script-src" not in page.policy
        assert page.charts


def test_a_run_is_examined_and_shown(tmp_path: Path) -> None:
    rows = [f"{sound}\tthe {animal} {sound} at {n}" for n in range(30)
            for animal, sound in (("dog", "barks"), ("cat", "purrs"))]  # fmt: skip
    for name, some in (("train", rows), ("test", rows[:10])):
        text = "\n".join(["label\ttext", *some, ""])
        (tmp_path / f"{name}.tsv").write_text(text, encoding="utf-8")
    settings = {"training": {"epochs": 1}, "backbone": {"vector_size": 8, "num_maps": 4}}
    train, test = tmp_path / "train.tsv", tmp_path / "test.tsv"
    recipe = TaskRecipe("classification", "textcnn", train, test=test, settings=settings)
    learned = run_finetuning(recipe, tmp_path / "run")
    run = RunFolder(tmp_path / "run")
    examination = json.loads(run.examination.read_text(encoding="utf-8"))
    assert (examination["part"], examination["rows"]) == ("test", 10)
    assert examination["figures"] == learned.facts["test"] == run.facts()["test"]
    assert sum(examination["learned"].values()) == learned.facts["rows"] == 54
    page = Page(report_run(run.path).read_text(encoding="utf-8"))
    assert "Classification on textcnn: run" in page.text
    assert {"confusion", "reliability", "figures"} <= set(page.charts)
    assert "\n# Classification on textcnn" in run.card.read_text(encoding="utf-8")


def test_a_network_is_drawn(tmp_path: Path) -> None:
    layers = [{"layer": "vectors", "shape": [3, 16]}, {"layer": "answer", "shape": [2]}]
    page = page_of(tmp_path, facts={"structure": layers}, metrics=[])
    assert "svg" in page.tags
    assert "3 × 16" in page.text
    assert "one row of the training" not in page_of(tmp_path).text


def test_a_mix_of_layers_shows_its_weights(tmp_path: Path) -> None:
    page = page_of(tmp_path, facts={"layer_weights": {"layer 1": 0.625}}, metrics=[])
    assert "0.625" in page.text
    assert "How much of each layer" not in page_of(tmp_path).text


def test_entities_are_right_where_both_sides_have_them() -> None:
    spans = {"right": [["PER", 0, 2], ["LOC", 3, 4]], "given": [["PER", 1, 2], ["LOC", 3, 4]]}
    found = tagged_sentence({**SENTENCE, "spans": spans})
    assert found["place"] == "a.conll:1"
    assert found["sides"] == {
        "right": [("Ann Lee", "PER", False), ("saw", "", True), ("Bonn", "LOC", True)],
        "given": [
            ("Ann", "", True), ("Lee", "PER", False), ("saw", "", True), ("Bonn", "LOC", True),
        ],
    }  # fmt: skip


def test_characters_stand_together() -> None:
    found = tagged_sentence(
        {**SENTENCE, "tokens": list("在北京"), "spans": {"right": [["LOC", 1, 3]], "given": []}}
    )
    assert found["sides"]["right"] == [("在", "", True), ("北京", "LOC", False)]
    assert found["sides"]["given"] == [("在北京", "", True)]


def test_tags_of_no_entities_have_no_sides() -> None:
    assert tagged_sentence(SENTENCE)["sides"] == {}


def written(**changes: Any) -> dict[str, Any]:
    row = {
        "source": "Ein Hund.", "reference": "A dog.", "output": "A cat runs.",
        "baseline": "A dog .", "chrf": 31.25, "faults": [], "place": "/home/me/test.de:7",
    }  # fmt: skip
    return {**row, **changes}


TEXTS = {
    "part": "test", "rows": 40, "learned": {},
    "samples": [written(), written(output=EVIL_TEXT, baseline=None)],
    "worst_texts": [written(faults=["repeats “a b c”"], output="")],
    "faulty_texts": [{"fault": "no word", "texts": [written(output="")]}],
    "tables": [{"title": "What outputs do wrong",
                "rows": [{"fault": "no word", "outputs": 3, "share": 0.075}]}],
    "quality": BINS, "text_lengths": [[3, 4], [0, 0]], "alignments": [ALIGNMENT],
}  # fmt: skip


def page_of_of_text_page(tmp_path: Path, examination: Any, **changes: Any) -> Page:
    path = tmp_path / "page.html"
    metrics = [{"epoch": 1, "step": 10, "time": 1.0, "loss": 3.0, "valid_bleu": 12.5}]
    given = facts("text_to_text", **{**CHANGES, **changes})
    write_task_report(
        path, title="Mine", facts=given, settings={}, metrics=metrics, examination=examination
    )
    return Page(path.read_text(encoding="utf-8"))


def test_all_blocks_are_on_the_page(tmp_path: Path) -> None:
    page = page_of_of_text_page(tmp_path, TEXTS)
    headings = [
        "How good it is", "Samples", "Alignments", "Length and quality", "What outputs do wrong",
        "Outputs with such faults", "The worst outputs",
    ]  # fmt: skip
    places = [page.text.index(heading) for heading in headings]
    assert places == sorted(places)
    assert {"alignment-1", "quality", "lengths", "beside", "figures"} <= set(page.charts)
    assert "repeats “a b c”" in page.text
    assert "test.de:7" in page.text
    assert "/home/me" not in page.text
    assert "script" not in page.tags  # what looks like a tag is text
    assert EVIL_TEXT in page.text


def test_a_page_of_other_tasks_has_none_of_them(tmp_path: Path) -> None:
    page = page_of_of_text_page(tmp_path, {"part": "test", "rows": 40, "learned": {}})
    for heading in ("Samples", "Alignments", "Length and quality", "The worst outputs"):
        assert heading not in page.text


def test_figures_are_points_with_their_signatures(tmp_path: Path) -> None:
    page = page_of_of_text_page(tmp_path, TEXTS)
    assert "35.3" in page.text
    assert SIGNATURE in page.text
    beside = page.charts["beside"]
    assert [(row["figure"], row["value"]) for row in beside.values()[::2]] == [
        ("BLEU", "35.2700"),
        ("chrF", "58.1000"),
        ("ROUGE-L", "61.0000"),
    ]
    assert {"0", "100", "35.3"} <= set(beside.texts)
    assert "%" not in " ".join(page.charts["figures"].texts + page.charts["figures"].titles)


def test_card_and_seeds_have_points_too(tmp_path: Path) -> None:
    given = facts("text_to_text", **CHANGES)
    card = task_card(given, {}, Path("run"))
    assert "| BLEU | 35.27 | 28.02 |" in card
    assert "| perplexity | 6.2000 |  |" in card
    seeds = {"seeds": [1, 2, 3], "valid": [], "test": spread(30.0)}
    assert "± 0.0, mean of 3 seeds, test" in page_of_of_text_page(tmp_path, TEXTS, seeds=seeds).text
    assert (figure_name("rouge_l"), figure_name("macro_f1")) == ("ROUGE-L", "macro F1")
    assert (figure_text("chrf", 58.14), figure_text("f1", 0.58149)) == ("58.1", "0.581")


def test_words_that_the_reference_does_not_have_are_marked() -> None:
    rows = [written(), written(output="", baseline=None), written(output="!?", baseline="dog a")]
    first, empty, marks = text_parts({"samples": rows})["samples"]
    assert first["runs"]["output"] == [TextRun("A ", True), TextRun("cat runs.", False)]
    assert first["runs"]["baseline"] == [TextRun("A dog .", True)]
    assert empty["runs"] == {"output": []}
    assert marks["runs"]["output"] == [TextRun("!?", True)]
    chinese = written(reference="两只狗", output="“三只狗”")
    [row] = text_parts({"samples": [chinese]})["samples"]
    assert [run.text for run in row["runs"]["output"]] == ["“三", "只狗”"]


def test_an_alignment_names_each_place() -> None:
    chart = chart_of(alignment_chart(ALIGNMENT))
    assert chart.texts[:4] == ["Hund", "und", "Hund", "dog"]
    cells = chart.values()
    assert [cell["weight"] for cell in cells] == ["70%", "10%", "20%", "0%", "100%", "0%"]
    assert (cells[2]["source"], cells[2]["output"]) == ("Hund", "dog")
    assert alignment_width({"source": ["a"] * 20}) > 390


def test_quality_has_a_line_for_each_model() -> None:
    chart = chart_of(quality_chart(BINS))
    words = "words of the source"
    assert [row[words] for row in chart.values()] == ["1–4", "5–8", "1–4", "5–8"]
    assert (chart.number("lines"), chart.number("legend")) == (2, 1)
    single = [{"low": 4, "high": 4, "rows": 9, "model": "a", "chrf": 1.0}]
    chart = chart_of(quality_chart(single))
    assert chart.values()[0][words] == "4"
    assert chart.number("legend") == 0


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
