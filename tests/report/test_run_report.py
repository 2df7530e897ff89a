"""The page of a run, from files that may be damaged or hostile: a page or one sentence."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from foretext.base.errors import ForetextError, ModelFileError
from foretext.report.run_report import report_run
from tests.report.parsed_page import Page
from tests.report.run_folders import EVIL, KINDS, RECIPE, changed, make_run


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize("kind", KINDS)
def test_a_stranger_s_text_stays_text(tmp_path: Path, kind: str) -> None:
    shown = Page(report_run(make_run(tmp_path / "run", kind)).read_text(encoding="utf-8"))
    assert len(shown.scripts) == shown.tags.count("script") == ("map" in shown.charts)
    assert (EVIL in shown.text) == (kind != "autoencoder")
    names = {name for name, value in shown.attributes if not str(value).startswith("data:image")}
    assert not names & {"src", "href", "xlink:href", "srcset", "action", "onerror", "poster"}
    assert not re.search(r"url\(|@import", shown.styles)
    assert shown.policy.startswith("default-src 'none'")


CONTENTS = {
    "empty": b"",
    "binary": b"\xff\xfe\x00\x01",
    "deep": b'{"a":' * 100_000,
    "deep lists": b"[" * 100_000,
    "a list": b"[]\n[]\n",
    "a number": b"17\n17\n",
    "no fields": b"{}\n{}\n",
}
FILES = [
    *((kind, "config.json") for kind in KINDS),
    *((kind, "metrics.jsonl") for kind in KINDS),
    ("language model", "samples.jsonl"),
    ("language model", "plan.json"),
    ("labels", "examination.json"),
    ("labels", "trials.jsonl"),
    ("labels", "recipe.toml"),
    ("classifier", "trials.jsonl"),
    ("vectors", "recipe.toml"),
]
FINE = {  # what is not refused: a file that need not be there, or of which nothing is used
    ("metrics.jsonl", "empty"),
    ("metrics.jsonl", "binary"),  # as a line that a crash tore
    ("metrics.jsonl", "deep"),
    ("metrics.jsonl", "deep lists"),
    ("samples.jsonl", "empty"),
    ("samples.jsonl", "binary"),
    ("samples.jsonl", "deep"),
    ("samples.jsonl", "deep lists"),
    ("trials.jsonl", "empty"),
    ("trials.jsonl", "binary"),
    ("trials.jsonl", "deep"),
    ("trials.jsonl", "deep lists"),
    ("plan.json", "no fields"),
    ("recipe.toml", "empty"),
    ("recipe.toml", "a list"),
}


@pytest.mark.parametrize(("kind", "name"), FILES)
def test_every_damage_of_a_file_is_one_sentence(tmp_path: Path, kind: str, name: str) -> None:
    run = make_run(tmp_path / "run", kind)
    damaged = {label: content for label, content in CONTENTS.items() if (name, label) not in FINE}
    for content in damaged.values():
        (run / name).write_bytes(content)
        with pytest.raises(ForetextError, match=re.escape(str(run))):
            report_run(run)
    (run / name).unlink()
    (run / name).mkdir()
    if name not in ("plan.json", "examination.json"):
        with pytest.raises(ForetextError, match=re.escape(str(run))):
            report_run(run)
    assert not (run / "report.html").exists()


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("name", ["metrics.jsonl", "samples.jsonl", "trials.jsonl", "plan.json"])
def test_a_file_that_need_not_be_there_is_left_out(tmp_path: Path, name: str) -> None:
    run = make_run(tmp_path / "run", "labels" if name == "trials.jsonl" else "language model")
    (run / name).unlink()
    assert report_run(run).is_file()


TYPED = [  # kind, file, and the places of values that a page computes with
    ("vectors", "config.json", "recipe tokens documents held_out_tokens vocab_size vector_size"),
    ("language model", "config.json", "recipe parameters vocab_size tokens steps"),
    ("autoencoder", "config.json", "shape code_size parameters examples seconds loss"),
    ("classifier", "config.json", "title base method rows labels seconds valid valid.accuracy"),
    ("classifier", "config.json", "valid.macro_f1 valid.labels valid.labels.no.support test"),
    (
        "labels",
        "config.json",
        "title base method rows labels parameters seconds judged_by watched valid",
    ),
    ("labels", "config.json", "test test.f1 test.labels test.labels.yes.support baseline"),
    ("labels", "config.json", "baseline.name baseline.test baseline.test.f1 network.valid seeds"),
    ("labels", "config.json", "seeds.valid seeds.valid.each seeds.valid.mean seeds.test"),
    ("labels", "examination.json", "part rows learned learned.no num_errors confusion"),
    ("labels", "examination.json", "confusion.labels confusion.labels.0 confusion.counts.0.1"),
    ("labels", "examination.json", "confused reliability reliability.0.low calibration_error"),
    ("labels", "examination.json", "points points.0 points.0.1 errors errors.0.place"),
    (
        "tags",
        "examination.json",
        "tables tables.0.rows sentences sentences.0.tokens sentences.0.given.1",
    ),
    ("tags", "examination.json", "num_wrong_sentences sentences.0.place"),
    ("questions", "examination.json", "tables tables.0.title questions.0.passage"),
    ("questions", "examination.json", "questions.0.passage.0.0 questions.0.f1 questions.0.right.0"),
    ("tags", "examination.json", "sentences.0.spans sentences.0.spans.right.0.0"),
    ("labels", "examination.json", "confused.0.right confused.0.given confused.0.count"),
    ("labels", "config.json", "majority.name verdict.sentence verdict.best warnings"),
    ("vectors", "metrics.jsonl", "0 0.time 1.epoch 1.words 0.loss"),
    ("language model", "metrics.jsonl", "0.time 1.step 1.tokens 0.mfu 1.valid_loss"),
    ("language model", "samples.jsonl", "0.valid_loss 0.samples 0.samples.0.text"),
    ("language model", "samples.jsonl", "0.samples.0.answers.0.1 0.samples.1.answers"),
    ("labels", "trials.jsonl", "0.score"),
]
WRONG = ({"a": []}, [None], -1, 10**30, True)
RIGHT = {  # of these, what is allowed: trials, figures and losses may be any number
    "loss", "mean", "f1", "accuracy", "macro_f1", "score", "epoch", "calibration_error", "0.1",
    "valid_loss", "mfu", "1", "0.1.1", "points.0.1",
}  # fmt: skip


@pytest.mark.parametrize(("kind", "name", "places"), TYPED)
def test_values_of_another_type_are_refused(
    tmp_path: Path, kind: str, name: str, places: str
) -> None:
    path = make_run(tmp_path / "run", kind) / name
    text = path.read_text()
    is_log = name.endswith("jsonl")
    value = [json.loads(line) for line in text.splitlines()] if is_log else json.loads(text)
    prefix = "foretext.facts." if (kind, name) == ("language model", "config.json") else ""
    for new in WRONG:
        found = dict(changed(value, new))
        for place in places.split():
            last = place.rpartition(".")[2]
            if isinstance(new, int) and (last in RIGHT or place in RIGHT):
                continue  # a number is what it should be
            whole = found[prefix + place]
            path.write_text(
                "\n".join(map(json.dumps, whole)) + "\n" if is_log else json.dumps(whole)
            )
            with pytest.raises(ForetextError) as caught:
                report_run(path.parent)
            assert str(path) in str(caught.value), (place, new)


@pytest.mark.parametrize(
    ("kind", "name", "old", "new", "sentence"),
    [
        ("labels", "config.json", '"judged_by": "f1"', '"judged_by": "f7"', "has no such figure"),
        ("labels", "examination.json", "[[9, 1], ", "[[9], ", "are not 2 rows of as many"),
        ("labels", "examination.json", "[[0.0, 0.5]", "[[0.0]", "points"),
        ("tags", "examination.json", '["B-PER", "O"]', '["O"]', "more tokens than tags"),
        ("questions", "examination.json", '"passage"', '"passed"', "passage"),
        ("language model", "metrics.jsonl", '"time": 2.0', '"time": 1e300', "line 2, is damaged"),
        ("labels", "recipe.toml", "epochs = 2", "epochs = [[2]]", "recipe.toml is damaged"),
        ("labels", "recipe.toml", RECIPE, "epochs = 2", "stands outside of a section"),
    ],
)
def test_what_does_not_fit_together_is_told(
    tmp_path: Path, kind: str, name: str, old: str, new: str, sentence: str
) -> None:
    path = make_run(tmp_path / "run", kind) / name
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(ForetextError) as caught:
        report_run(path.parent)
    assert sentence in str(caught.value)


def test_a_figure_that_is_no_number_is_not_drawn(tmp_path: Path) -> None:
    path = make_run(tmp_path / "run", "labels") / "config.json"
    path.write_text(path.read_text().replace('"f1": 0.6', '"f1": NaN'))
    chart = Page(report_run(path.parent).read_text(encoding="utf-8")).charts["beside"]
    assert chart.number("box") > 0
    assert not [each for each in (*chart.texts, *chart.titles) if "nan" in each]


def test_a_model_of_another_library_has_no_run(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", "language model")
    (run / "recipe.toml").unlink()
    with pytest.raises(ModelFileError, match="no run of foretext; there is nothing to report"):
        report_run(run)


def test_a_run_whose_recipe_names_code_is_shown_without_it(tmp_path: Path) -> None:
    path = make_run(tmp_path / "run", "language model") / "recipe.toml"
    path.write_text("[backbone]\nname = 'evil:X'\n")
    assert "evil:X" in report_run(path.parent).read_text(encoding="utf-8")
