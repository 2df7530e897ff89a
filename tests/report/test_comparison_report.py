"""The page of a comparison, from content that may be damaged or hostile."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from foretext.base.errors import ModelFileError, OutputError
from foretext.report import comparison_report
from foretext.report.comparison_report import report_comparison, write_comparison_report
from foretext.report.run_report import report_folder
from tests.report.comparison_content import candidate, content, unfinished
from tests.report.parsed_page import Page
from tests.report.run_folders import EVIL, changed, make_run

STRIDE = 8  # of the changed values, as many as tests have time for


def page_of(folder: Path, **changes: Any) -> Page:
    write_comparison_report(content(**changes), folder / "report.html")
    return Page((folder / "report.html").read_text(encoding="utf-8"))


def test_the_recommendation_comes_first_then_warnings_then_figures(tmp_path: Path) -> None:
    text = page_of(tmp_path).text
    order = [
        "4 candidates in 10 min, judged by accuracy on 400 test rows",
        "Use linear: a tie with modern-bert.",
        f"foretext predict {tmp_path}/best INPUT",
        "12 of 400 test rows also stand in train.csv.",
        "The training texts are the corpus.",
        "accuracy of linear, test",
        "0.880 to 0.920",
        "It ran out of memory while it was pretrained.",
        "It needs 120 s; its share would be 60 s.",
        "Nothing of this was measured",
        "its learning curve",
        "wordpiece tokenizer",
        "300 rows are answered right by all of them",
        "a fine film",
        "macro F1",
        "25.8 GB",
    ]
    places = [text.find(each) for each in order]
    assert -1 not in places, order[places.index(-1)]
    assert places == sorted(places)


def test_charts_are_of_cost_scores_and_losses(tmp_path: Path) -> None:
    names = set(page_of(tmp_path).charts)
    losses = {f"loss-{number}" for number in range(4)}
    assert names == {"fit", "use", "disk", "scores"} | losses


def test_one_candidate_is_not_drawn_beside_others(tmp_path: Path) -> None:
    found = page_of(tmp_path, candidates=[candidate("bert")])
    assert set(found.charts) == {"scores", "loss-0"}
    assert "time to fit" in found.text  # in the table of costs


def test_answers_are_grouped_and_the_right_one_is_marked(tmp_path: Path) -> None:
    text = " ".join(page_of(tmp_path).text.split())
    assert "a fine film good right linear bad modern-bert, word2vec + textcnn" in text


def test_a_right_answer_that_nobody_gives_is_shown(tmp_path: Path) -> None:
    row = {"text": "a film", "right": "good", "answers": {"bert": "bad"}}
    text = " ".join(page_of(tmp_path, disagreements=[row]).text.split())
    assert "a film right: good bad bert" in text


def test_no_answer_is_nothing(tmp_path: Path) -> None:
    row = {"text": "a film", "right": "", "answers": {"bert": "", "linear": "bad"}}
    text = " ".join(page_of(tmp_path, disagreements=[row]).text.split())
    assert "a film nothing right bert bad linear" in text


def test_counts_of_rows_are_no_figures(tmp_path: Path) -> None:
    text = page_of(tmp_path).text
    table = text[text.index("All figures") :]
    assert "macro F1" in table
    assert "texts" not in table[: table.index("Settings")]


def test_a_comparison_in_which_all_failed_has_a_page(tmp_path: Path) -> None:
    failed = [unfinished("linear", "failed", "One label alone.")]
    found = page_of(
        tmp_path,
        candidates=failed,
        recommendation=None,
        best=None,
        forecast=None,
        warnings=[],
        notes=[],
        agreement=None,
        disagreements=[],
        shared=[],
        machine={},
    )
    assert "One label alone." in found.text
    assert found.charts == {}
    for absent in ("foretext predict", "Quality and cost", "Where the time went", "Learning"):
        assert absent not in found.text


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize(
    ("task", "judged_by", "title"),
    [
        ("classification", "macro_f1", "Classification: films"),
        ("matching", "spearman", "Matching: films"),
        ("tagging", "f1", "Tagging: films"),
        ("span_qa", "f1", "Question answering: films"),
        ("text_to_text", "bleu", "Text to text: films"),
        ("my.package:Rating", "accuracy", "Rating: films"),
    ],
)
def test_every_task_has_a_title(tmp_path: Path, task: str, judged_by: str, title: str) -> None:
    assert title in page_of(tmp_path, task=task, judged_by=judged_by).text


def test_without_a_name_of_its_rows_it_has_that_of_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "mine" / "replacement"  # of a comparison that is to replace another one
    folder.mkdir(parents=True)
    found = page_of(folder, data=None)
    assert "Classification: mine" in found.text
    assert f"{tmp_path}/mine/best" in found.text


def test_figures_of_held_out_rows_are_called_so(tmp_path: Path) -> None:
    rows = {"train": 9, "valid": 5, "test": 0}
    text = page_of(tmp_path, part="valid", rows=rows).text
    assert "judged by accuracy on 5 held-out rows" in text
    assert "test rows" not in text.replace("12 of 400 test rows", "")


def test_warnings_of_candidates_are_told(tmp_path: Path) -> None:
    some = [candidate("bert", warnings=["300 rows were cut."])]
    text = page_of(tmp_path, candidates=some).text
    assert "Warnings of trainings: 1" in text
    assert "bert: 300 rows were cut." in text


def test_a_stranger_s_text_stays_text(tmp_path: Path) -> None:
    found = page_of(
        tmp_path,
        task=EVIL,
        judged_by=EVIL,
        data=EVIL,
        warnings=[EVIL],
        shared=[{"what": EVIL, "seconds": 1.0, "candidates": [EVIL]}],
        candidates=[candidate(EVIL, warnings=[EVIL]), unfinished(EVIL + "2", "failed", EVIL)],
        recommendation={"name": EVIL, "sentence": EVIL},
        disagreements=[{"text": EVIL, "right": EVIL, "answers": {EVIL: EVIL}}],
        machine={EVIL: 2},
    )
    assert found.text.count(EVIL) > 10
    assert "script" not in found.tags
    assert "script-src" not in found.policy
    names = {name for name, _ in found.attributes}
    assert not names & {"src", "href", "srcset", "action", "onerror", "poster"}
    assert not re.search(r"url\(|@import", found.styles)


VALUES = (None, "text", -1, 1e300, [], {}, [[1]], True)


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("value", VALUES)
def test_a_changed_value_gives_a_page_or_one_sentence(
    tmp_path: Path, value: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[dict[str, Any]] = []
    monkeypatch.setattr(comparison_report, "write_page", lambda *a, **_: shown.append(a[2]))
    small = content(candidates=content()["candidates"][:1])
    places = [*changed(small, value)][VALUES.index(value) :: STRIDE]
    refused = 0
    for place, damaged in places:
        (tmp_path / "compare.json").write_text(json.dumps(damaged), encoding="utf-8")
        try:
            report_folder(tmp_path)
        except OutputError as error:
            refused += "compare.json is damaged" in str(error)
        else:
            assert json.dumps(shown[-1], allow_nan=False), place
    assert refused + len(shown) == len(places)
    assert refused > 0


@pytest.mark.slow
def test_a_page_is_written_again(tmp_path: Path) -> None:
    (tmp_path / "compare.json").write_text(json.dumps(content()), encoding="utf-8")
    assert report_comparison(tmp_path) == report_folder(tmp_path) == tmp_path / "report.html"
    first = (tmp_path / "report.html").read_bytes()
    write_comparison_report(content(), tmp_path / "report.html")
    assert (tmp_path / "report.html").read_bytes() == first


def test_a_run_has_its_own_page(tmp_path: Path) -> None:
    assert report_folder(make_run(tmp_path / "run", "labels")) == tmp_path / "run" / "report.html"


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"compare\.json"):
        report_comparison(tmp_path)
    (tmp_path / "plan.json").write_text("{}")
    (tmp_path / "candidates").mkdir()
    with pytest.raises(ModelFileError, match="unfinished comparison; finish it with --resume"):
        report_folder(tmp_path)
