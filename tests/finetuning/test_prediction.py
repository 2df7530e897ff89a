"""Lines in, records out: of every kind of task, and of lines that are wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import foretext as ft
from foretext.base.errors import CorpusError, SettingError
from foretext.data.rows import PairsConfig, RowsConfig
from tests.task_files import TOPICS, TaskFiles, small_settings


@pytest.fixture(scope="module")
def models(
    task_files: TaskFiles, bases: dict[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    """One of each kind, that has learned little."""
    folder = tmp_path_factory.mktemp("models")
    several = folder / "several.tsv"
    several.write_text("text\tlabel\n" + "a cat\tcat\na dog\tdog\na cat and dog\tcat|dog\n" * 10)
    plain = folder / "plain.conll"
    plain.write_text("the DET\ndog NOUN\nbarks VERB\n\na DET\ncat NOUN\n\n" * 10)
    kinds: dict[str, tuple[str, Any, Any]] = {
        "classification": ("classification", None, None),
        "several": ("classification", several, RowsConfig(label_separator="|")),
        "matching": ("matching", None, None),
        "scores": ("matching", None, PairsConfig(score="score")),
        "tagging": ("tagging", None, None),
        "words": ("tagging", plain, None),
        "span_qa": ("span_qa", None, None),
    }
    return {
        kind: ft.finetune(
            task, bases["bert"], file or task_files.train(task), folder / kind,
            rows=rows, settings=small_settings("bert", epochs=6.0),
        )
        for kind, (task, file, rows) in kinds.items()
    }  # fmt: skip


def records(model: Any, *lines: str, **options: Any) -> list[dict[str, Any]]:
    return list(model.predictions(lines, **options))


def test_labels(models: dict[str, Any]) -> None:
    model = models["classification"]
    deep = '{"text":' * 5_000  # deeper than a parser goes
    texts = ["the cat", "", "{not json", deep, '{"text": "the dog"}']
    first, *_, last = found = records(model, *texts)
    assert [record["text"] for record in found] == ["the cat", "", "{not json", deep, "the dog"]
    assert [record["labels"][0]["label"] for record in found] == model.predict(
        [record["text"] for record in found]
    ).tolist()
    assert last["labels"][0]["probability"] == pytest.approx(
        model.predict_proba(["the dog"]).max(), abs=1e-5
    )
    assert (
        model.shown(first)
        == f"{first['labels'][0]['label']} {first['labels'][0]['probability']:.4f}\tthe cat"
    )


def test_more_labels_or_fewer(models: dict[str, Any]) -> None:
    (all_of_them,) = records(models["classification"], "the cat", k=9)
    assert {each["label"] for each in all_of_them["labels"]} == set(TOPICS)
    assert sum(each["probability"] for each in all_of_them["labels"]) == pytest.approx(1, abs=1e-5)
    (none,) = records(models["classification"], "the cat", threshold=1.0)
    assert none["labels"] == []
    assert models["classification"].shown(none) == "\tthe cat"


def test_texts_of_several_labels_get_all_that_are_likely(models: dict[str, Any]) -> None:
    model, texts = models["several"], ["a cat", "a cat and dog", "a dog"]
    found = [{each["label"] for each in record["labels"]} for record in records(model, *texts)]
    assert found == [set(labels) for labels in model.predict(texts)]
    assert all(len(record["labels"]) == 1 for record in records(model, *texts, k=1))
    everything = records(model, *texts, threshold=0.0)
    assert all(len(record["labels"]) == 2 for record in everything)


def test_pairs(models: dict[str, Any]) -> None:
    model = models["matching"]
    lines = ["the cat\tevery cat", '{"text_b": "every dog", "text_a": "the cat"}']
    found = records(model, *lines)
    pairs = [(record["text_a"], record["text_b"]) for record in found]
    assert pairs == [("the cat", "every cat"), ("the cat", "every dog")]
    assert [record["labels"][0]["label"] for record in found] == model.predict(pairs).tolist()
    assert model.shown(found[0]).endswith("\tthe cat\tevery cat")


def test_scores(models: dict[str, Any]) -> None:
    (found,) = records(models["scores"], "the cat\tevery cat")
    (score,) = models["scores"].predict([("the cat", "every cat")])
    assert found["score"] == pytest.approx(score, abs=1e-5)
    assert models["scores"].shown(found) == f"{found['score']:.4f}\tthe cat\tevery cat"


def test_spans_have_places(models: dict[str, Any]) -> None:
    text = "the happy cow moos in the evening"
    (found,), (spans,) = records(models["tagging"], text), models["tagging"].spans([text])
    assert [(each["start"], each["end"]) for each in found["spans"]] == [
        (span.start, span.end) for span in spans
    ]
    for each in found["spans"]:
        assert text[each["start"] : each["end"]] == each["text"]
        assert f"{each['label']}: {each['text']}" in models["tagging"].shown(found)
    (none,) = records(models["tagging"], text, threshold=1.0)
    assert none["spans"] == []
    assert records(models["tagging"], "") == [{"text": "", "spans": []}]


def test_tags_that_are_of_no_entities(models: dict[str, Any]) -> None:
    (found,) = records(models["words"], "a dog barks")
    (tags,) = models["words"].predict(["a dog barks"])
    assert found["tags"] == [list(pair) for pair in zip(["a", "dog", "barks"], tags, strict=True)]
    assert models["words"].shown(found) == f"a/{tags[0]} dog/{tags[1]} barks/{tags[2]}\ta dog barks"


def test_answers_are_spans_of_the_passage(models: dict[str, Any]) -> None:
    passage = "the pig grunts in the night ."
    lines = [f"what grunts\t{passage}", json.dumps({"question": "what", "context": passage})]
    for record in records(models["span_qa"], *lines, k=3):
        assert 1 <= len(record["answers"]) <= 3
        for each in record["answers"]:
            assert passage[each["start"] : each["end"]] == each["text"]
    (one,) = records(models["span_qa"], lines[0])
    assert len(one["answers"]) == 1
    assert models["span_qa"].shown(one).endswith("\twhat grunts")


@pytest.mark.parametrize(
    ("kind", "line", "sentence"),
    [
        ("matching", "one text", "line 2: 1 fields where text_a<TAB>text_b are expected"),
        ("matching", "a\tb\tc", "line 2: 3 fields"),
        ("matching", '{"text_a": "x"}', "line 2: the JSON object has no text 'text_b'"),
        ("span_qa", "a question", "line 2: 1 fields where question<TAB>context are expected"),
        ("classification", '{"body": "x"}', "line 2: the JSON object has no text 'text'"),
        ("classification", '{"text": 3}', "line 2: the JSON object has no text 'text'"),
    ],
)
def test_a_wrong_line_is_named(models: dict[str, Any], kind: str, line: str, sentence: str) -> None:
    good = {"classification": "a", "matching": "a\tb", "span_qa": "what\tthe cat"}[kind]
    with pytest.raises(CorpusError, match=sentence):
        records(models[kind], good, line)


@pytest.mark.parametrize(
    ("kind", "options", "sentence"),
    [
        ("tagging", {"k": 2}, "-k has no effect on a tagger"),
        ("words", {"threshold": 0.5}, "--threshold has no effect on a tagger"),
        ("scores", {"k": 2}, "-k has no effect on scores of pairs"),
        ("scores", {"threshold": 0.5}, "--threshold has no effect on scores of pairs"),
    ],
)
def test_options_without_effect_are_refused(
    models: dict[str, Any], kind: str, options: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(SettingError, match=sentence):
        records(models[kind], "a\tb", **options)
