from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from foretext.base.errors import CorpusError
from foretext.data.rows import (
    TaggedConfig,
    TaggedSentence,
    find_tag_problems,
    read_pairs,
    read_tagged,
    read_texts,
)
from foretext.data.rows.settings import RowsConfig

EMOJI = "😀 Ada met 李明 in Zürich"  # the first character is two units of UTF-16


def saved(folder: Path, value: Any, name: str = "export.json") -> Path:
    path = folder / name
    if name.endswith(".json"):
        path.write_text(json.dumps(value, indent=2), encoding="utf-8")
    else:
        lines = (f"{json.dumps(each, ensure_ascii=False)}\n" for each in value)
        path.write_text("".join(lines), encoding="utf-8")
    return path


def region(start: int, end: int, label: str, text: str | None = None) -> dict[str, Any]:
    said = {} if text is None else {"text": text}
    value = {"start": start, "end": end, "labels": [label], **said}
    return {"from_name": "label", "to_name": "text", "type": "labels", "value": value}


def chosen(*labels: str, control: str = "topic") -> dict[str, Any]:
    return {
        "from_name": control,
        "to_name": "text",
        "type": "choices",
        "value": {"choices": labels},
    }


def task(text: str, *results: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"id": 1, "data": {"text": text}, "annotations": [{"result": list(results), **more}]}


def entities(rows: list[TaggedSentence]) -> list[list[tuple[str, str]]]:
    return [
        [pair for pair in zip(row.tokens, row.tags, strict=True) if pair[1] != "O"] for row in rows
    ]


def test_label_studio_classification(tmp_path: Path) -> None:
    path = saved(tmp_path, [task("a ship", chosen("sea")), task("a judge", chosen("law"))])
    assert [row[:2] for row in read_texts(path)] == [("a ship", ("sea",)), ("a judge", ("law",))]
    assert read_texts(path)[1].place == f"{path}:2"  # the second task


def test_json_min_classification(tmp_path: Path) -> None:
    more = {"annotator": 1, "annotation_id": 7, "lead_time": 2.5}
    flat = [
        {"text": "a ship", "label": "sea", **more},
        {"text": "a judge", "label": {"choices": ["law", "court"]}, **more},
    ]
    rows = read_texts(saved(tmp_path, flat))
    assert [row.labels for row in rows] == [("sea",), ("law", "court")]


def test_a_control_of_several_is_named(tmp_path: Path) -> None:
    both = task("a ship", chosen("sea"), chosen("good", control="mood"))
    path = saved(tmp_path, [both])
    (row,) = read_texts(path, RowsConfig(label="mood"))
    assert row.labels == ("good",)
    with pytest.raises(CorpusError, match=r"no column 'label', only 'text', 'topic', 'mood'"):
        read_texts(path)


def test_what_nobody_labelled_is_left_out(tmp_path: Path) -> None:
    predicted = {"data": {"text": "c"}, "predictions": [{"result": [chosen("sea")]}]}
    tasks = [
        task("a", chosen("sea")),
        task("b", chosen("law"), was_cancelled=True),
        predicted,
        {"data": {"text": "d"}, "annotations": []},
    ]
    assert [row.text for row in read_texts(saved(tmp_path, tasks))] == ["a"]
    with pytest.raises(CorpusError, match="has no rows"):
        read_texts(saved(tmp_path, [predicted]))


def test_nested_columns_of_ones_own_are_no_task(tmp_path: Path) -> None:
    lines = [{"data": {"body": "a", "y": "x"}}, {"data": {"body": "b", "y": "z"}, "id": 3}]
    path = saved(tmp_path, lines, "own.jsonl")
    rows = read_texts(path, RowsConfig(text="data.body", label="data.y"))
    assert [row[:2] for row in rows] == [("a", ("x",)), ("b", ("z",))]


@pytest.mark.parametrize("name", ["text", "body"])
def test_the_text_of_the_entities_may_have_another_name(name: str, tmp_path: Path) -> None:
    one = {"data": {name: "Ada met", "why": 1}, "annotations": [{"result": [region(0, 3, "X")]}]}
    (row,) = read_tagged(saved(tmp_path, [one]))
    assert row.tags == ("B-X", "O")
    one["data"] = {"body": "Ada met", "title": "none"}
    with pytest.raises(CorpusError, match=r"there is no 'text', but 'body', 'title'; name it"):
        read_tagged(saved(tmp_path, [one]))
    (named,) = read_tagged(saved(tmp_path, [one]), TaggedConfig(token="body"))
    assert named.tokens == ("Ada", "met")


def test_the_work_that_is_the_truth_counts(tmp_path: Path) -> None:
    first = {"result": [chosen("sea")], "ground_truth": True}
    several = {"data": {"text": "a"}, "annotations": [first, {"result": [chosen("law")]}]}
    latest = {
        "data": {"text": "b"},
        "annotations": [{"result": [chosen("x")]}, {"result": [chosen("y")]}],
    }
    rows = read_texts(saved(tmp_path, [several, latest]))
    assert [row.labels for row in rows] == [("sea",), ("y",)]


def test_prodigy_classification(tmp_path: Path) -> None:
    lines = [
        {"text": "a ship", "accept": ["sea"], "answer": "accept", "options": [], "_task_hash": 1},
        {"text": "a judge", "label": "law", "answer": "accept", "_task_hash": 2},
        {"text": "no ship", "label": "sea", "answer": "reject", "_task_hash": 3},
        {"text": "what", "accept": [], "answer": "ignore", "_task_hash": 4},
    ]
    rows = read_texts(saved(tmp_path, lines, "db.jsonl"))
    assert [row[:2] for row in rows] == [("a ship", ("sea",)), ("a judge", ("law",))]


def test_a_column_that_is_called_answer_is_no_sign_of_prodigy(tmp_path: Path) -> None:
    lines = [{"text": "is it?", "label": "yes", "answer": "reject"}]
    assert len(read_texts(saved(tmp_path, lines, "own.jsonl"))) == 1


def test_doccano_classification(tmp_path: Path) -> None:
    lines = [
        {"id": 1, "text": "a ship", "label": ["sea"], "Comments": []},
        {"data": "b", "label": ["c"]},
    ]
    rows = read_texts(saved(tmp_path, lines, "all.jsonl"))
    assert [row[:2] for row in rows] == [("a ship", ("sea",)), ("b", ("c",))]


SPANNED = {
    "label studio": ("a.json", [task("Ada met Bo Li.", region(0, 3, "PER"), region(8, 13, "PER"))]),
    "json-min": (
        "b.json",
        [{"text": "Ada met Bo Li.", "annotator": 1, "annotation_id": 2,
          "ner": [{"start": 0, "end": 3, "labels": ["PER"]},
                  {"start": 8, "end": 13, "labels": ["PER"]}]}],
    ),
    "doccano": ("c.jsonl", [{"text": "Ada met Bo Li.", "label": [[0, 3, "PER"], [8, 13, "PER"]]}]),
    "doccano of before": (
        "d.jsonl", [{"data": "Ada met Bo Li.", "labels": [[0, 3, "PER"], [8, 13, "PER"]]}]
    ),
    "doccano with relations": (
        "e.jsonl",
        [{"text": "Ada met Bo Li.", "relations": [], "entities": [
            {"id": 1, "label": "PER", "start_offset": 0, "end_offset": 3},
            {"id": 2, "label": "PER", "start_offset": 8, "end_offset": 13}]}],
    ),
    "prodigy": (
        "f.jsonl",
        [{"text": "Ada met Bo Li.", "answer": "accept", "_task_hash": 5, "spans": [
            {"start": 0, "end": 3, "label": "PER", "token_start": 0, "token_end": 0},
            {"start": 8, "end": 13, "label": "PER"}]}],
    ),
}  # fmt: skip


@pytest.mark.parametrize("program", SPANNED)
def test_spans_become_tags(program: str, tmp_path: Path) -> None:
    name, value = SPANNED[program]
    (row,) = read_tagged(saved(tmp_path, value, name))
    assert row.tokens == ("Ada", "met", "Bo", "Li", ".")
    assert row.tags == ("B-PER", "O", "B-PER", "I-PER", "O")
    assert not row.misfits


@pytest.mark.parametrize("unit", ["characters", "units of UTF-16"])
def test_emoji_in_both_ways_of_counting(unit: str, tmp_path: Path) -> None:
    more = 1 if unit == "units of UTF-16" else 0
    marked = [
        region(2 + more, 5 + more, "PER", "Ada"),
        region(10 + more, 12 + more, "PER", "李明"),
        region(16 + more, 22 + more, "LOC", "Zürich"),
    ]
    rows = read_tagged(saved(tmp_path, [task(EMOJI, *marked)]))
    assert entities(rows) == [
        [("Ada", "B-PER"), ("李", "B-PER"), ("明", "I-PER"), ("Zürich", "B-LOC")]
    ]


def test_places_behind_the_text_are_units_of_utf16(tmp_path: Path) -> None:
    lines = [{"text": "👩‍🚒 in Rome", "label": [[9, 13, "LOC"]]}]  # 11 characters, 13 units
    assert entities(read_tagged(saved(tmp_path, lines, "a.jsonl"))) == [[("Rome", "B-LOC")]]


def test_combining_marks_keep_their_places(tmp_path: Path) -> None:
    text = "Zu\u0308rich und Li\u0323n"
    lines = [{"text": text, "label": [[0, 7, "LOC"], [12, 16, "PER"]]}]
    (row,) = read_tagged(saved(tmp_path, lines, "a.jsonl"))
    assert row.tokens == ("Zürich", "und", "Lịn")
    assert row.tags == ("B-LOC", "O", "B-PER")


def test_tokens_that_stand_beside_the_text_are_kept(tmp_path: Path) -> None:
    lines = [
        {"text": "U.N.-led  talks", "tokens": ["U.N.-", "led", "talks"], "label": [[0, 8, "X"]]}
    ]
    (row,) = read_tagged(saved(tmp_path, lines, "a.jsonl"))
    assert row[:2] == (("U.N.-", "led", "talks"), ("B-X", "I-X", "O"))
    wrong = [{"text": "one two", "tokens": ["one", "too"], "label": [[0, 3, "X"]]}]
    with pytest.raises(CorpusError, match=r"line 1: the 'tokens' do not spell the text"):
        read_tagged(saved(tmp_path, wrong, "b.jsonl"))


def test_misfits_are_counted_and_named(tmp_path: Path) -> None:
    lines = [
        {
            "text": "Berliners like the Bank of Asia",
            "label": [[0, 6, "LOC"], [19, 31, "ORG"], [27, 31, "LOC"]],
        },
        {"text": "Parisians do", "label": [[0, 5, "LOC"]]},
    ]
    rows = read_tagged(saved(tmp_path, lines, "a.jsonl"))
    assert rows[0].tags == ("B-LOC", "O", "O", "B-ORG", "I-ORG", "I-ORG")
    sentences = [problem.sentence for problem in find_tag_problems(rows)]
    assert any(
        s.startswith("1 entity overlaps a longer one") and "'Asia' in 'Bank of Asia'" in s
        for s in sentences
    )
    assert any(
        s.startswith("2 entities begin or end within a word") and "'Berlin', now 'Berliners'" in s
        for s in sentences
    )


WRONG = {
    "behind": (
        [0, 99, "PER"],
        r"line 1: the entity 0-99 \(PER\) ends behind the text, which has 7",
    ),
    "reversed": ([3, 1, "PER"], r"line 1: a span has start 3 and end 1"),
    "fractions": ([0.5, 2, "PER"], r"line 1: a span has start 0.5 and end 2"),
    "no label": ([0, 3, ""], r"line 1: a span at 0: the label is empty"),
    "blanks": ([3, 4, "PER"], r"line 1: the entity 4-3|line 1: the entity 3-3|holds no token"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_wrong_spans_are_one_sentence(kind: str, tmp_path: Path) -> None:
    span, sentence = WRONG[kind]
    with pytest.raises(CorpusError, match=sentence):
        read_tagged(saved(tmp_path, [{"text": "Ada met", "label": [span]}], "a.jsonl"))


def test_an_entity_that_reads_otherwise_is_refused(tmp_path: Path) -> None:
    path = saved(tmp_path, [task("Ada met Bo", region(8, 10, "PER", "Ada"))])
    with pytest.raises(
        CorpusError, match=r"line 1: the entity 8-10 \(PER\) is 'Ada', but the text reads 'Bo'"
    ):
        read_tagged(path)


@pytest.mark.parametrize(
    "text", ["[", '[{"data": {"text": "a"}},', "[1, 2", '[{"a": 1}] []', "[" * 100_000]
)
def test_a_broken_array_is_one_sentence(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(text)
    for read in (read_texts, read_tagged):
        with pytest.raises(CorpusError, match=r"a\.json, line \d+: "):
            read(tmp_path / "a.json")


@pytest.mark.parametrize(
    "values",
    [
        {
            "data": {"text": "a"},
            "annotations": [1, None, {"result": [3, {"value": []}, {"value": {}}]}],
        },
        {"text": "a", "spans": {"start": 0}, "answer": "accept"},
        {"text": "a", "spans": [[0, 1, "X"]], "answer": "accept"},
        {"text": "a", "tokens": [{"text": 3}], "spans": [], "answer": "accept"},
        {"text": "a", "entities": [{"start_offset": 0, "end_offset": "1", "label": {}}]},
        {"text": 3, "spans": []},
    ],
)
def test_hostile_objects_are_one_sentence(values: dict[str, Any], tmp_path: Path) -> None:
    path = saved(tmp_path, [values], "a.jsonl")
    for read in (read_texts, read_tagged):
        with suppress(CorpusError):  # and nothing else
            read(path)


def test_every_token_by_itself_is_a_tag_and_no_entity(tmp_path: Path) -> None:
    texts = ["the ship sails", "a dog barks"] * 5
    lines = []
    for text in texts:
        words, spans, end = text.split(), [], 0
        for word, tag in zip(words, ("DET", "NOUN", "VERB"), strict=True):
            start = text.index(word, end)
            end = start + len(word)
            spans.append([start, end, tag])
        lines.append({"text": text, "label": spans})
    rows = read_tagged(saved(tmp_path, lines, "a.jsonl"))
    assert {row.tags for row in rows} == {("DET", "NOUN", "VERB")}


def test_pairs_of_texts(tmp_path: Path) -> None:
    data = {"text_a": "a ship", "text_b": "a boat", "why": "unsure", "priority": 0.5}
    one = {"data": data, "annotations": [{"result": [chosen("same")]}]}
    (row,) = read_pairs(saved(tmp_path, [one]))
    assert (row.text_a, row.text_b, row.labels) == ("a ship", "a boat", ("same",))


def test_texts_of_a_label_studio_file_are_inputs(tmp_path: Path) -> None:
    from foretext.tasks.classification.linear import LinearClassifier

    model = LinearClassifier().fit(["a ship", "a judge"] * 5, ["sea", "law"] * 5)
    tasks = [task("the ship", chosen("sea")), {"data": {"text": "the judge"}, "annotations": []}]
    found = model.predictions(saved(tmp_path, tasks))
    assert [record["labels"][0]["label"] for record in found] == ["sea", "law"]


def test_tags_are_not_read_where_there_are_none_to_read(tmp_path: Path) -> None:
    path = saved(tmp_path, [{"text": "Ada met", "label": [[0, 3, "PER"]]}], "a.jsonl")
    (row,) = read_tagged(path, TaggedConfig(tag=None))
    assert (row.tokens, row.tags) == (("Ada", "met"), ())
