"""Rows in memory are the rows of the file that would say the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foretext.base.config import Config
from foretext.base.errors import CorpusError
from foretext.corpus.texts import InMemory
from foretext.data.rows import (
    LabelledPair,
    LabelledText,
    PairsConfig,
    ParallelConfig,
    ParallelText,
    Question,
    QuestionsConfig,
    RowsConfig,
    TaggedConfig,
    TaggedSentence,
    as_parallel_files,
    write_rows,
)
from foretext.data.rows.in_memory import NO_TEXT, RowSource, RowTexts, text_key
from foretext.tasks.classification.linear import LinearClassifier
from foretext.tasks.matching.network import TextMatcher
from foretext.tasks.span_qa.network import SpanReader
from foretext.tasks.tagging.network import Tagger
from foretext.tasks.task import Task
from foretext.tasks.text_to_text.network import TextWriter
from foretext.tokenizers import WordTokenizer
from tests.outside.regression import NumberedText, Regression

TEXTS, LABELS = ["a ship", "a field", "a wave"], ["sea", "land", "sea"]
EXPECTED = [("a ship", ("sea",)), ("a field", ("land",)), ("a wave", ("sea",))]

WRITTEN_TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
TOKENS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n"), min_size=1)
WRITTEN_LABELS = st.sampled_from(["a", "b", "ä b"])
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
KINDS: list[tuple[Task, Config, st.SearchStrategy[Any]]] = [
    (
        LinearClassifier.task,
        RowsConfig(normalization="none"),
        st.builds(
            LabelledText,
            WRITTEN_TEXTS,
            st.lists(WRITTEN_LABELS, unique=True).map(tuple),
            place=st.just(""),
        ),
    ),
    (
        TextMatcher.task,
        PairsConfig(normalization="none"),
        st.builds(
            LabelledPair,
            WRITTEN_TEXTS,
            WRITTEN_TEXTS,
            WRITTEN_LABELS,
            st.none(),
            place=st.just(""),
        ),
    ),
    (
        TextMatcher.task,
        PairsConfig(normalization="none", score="s"),
        st.builds(
            LabelledPair, WRITTEN_TEXTS, WRITTEN_TEXTS, st.none(), NUMBERS, place=st.just("")
        ),
    ),
    (
        Tagger.task,
        TaggedConfig(normalization="none", separator="|"),
        st.lists(st.tuples(TOKENS, WRITTEN_LABELS), min_size=1).map(
            lambda pairs: TaggedSentence(*zip(*pairs, strict=True), "", (0,) * len(pairs))
        ),
    ),
    (
        TextWriter.task,
        ParallelConfig(normalization="none", source=1, target=2),
        st.builds(ParallelText, WRITTEN_TEXTS, WRITTEN_TEXTS, place=st.just("")),
    ),
    (
        SpanReader.task,
        QuestionsConfig(),
        st.builds(
            Question,
            WRITTEN_TEXTS,
            WRITTEN_TEXTS,
            WRITTEN_TEXTS,
            answers=st.just(()),
            title=WRITTEN_TEXTS,
            place=st.just(""),
        ),
    ),
]


class Frame:
    """A table as pandas has it, with numbers of numpy in it."""

    columns = ("text", "label")

    def __getitem__(self, name: str) -> Any:
        return {"text": np.array(TEXTS, dtype=object), "label": np.array(LABELS)}[name]


@pytest.mark.parametrize(
    "given",
    [
        list(zip(TEXTS, LABELS, strict=True)),
        [[text, label] for text, label in zip(TEXTS, LABELS, strict=True)],
        [{"text": text, "label": label} for text, label in zip(TEXTS, LABELS, strict=True)],
        zip(TEXTS, LABELS, strict=True),
        (TEXTS, LABELS),
        (np.array(TEXTS), np.array(LABELS)),
        {"text": TEXTS, "label": LABELS},
        pyarrow.table({"text": TEXTS, "label": LABELS, "more": [1, 2, 3]}),
        Frame(),
    ],
    ids=lambda given: type(given).__name__,
)
def test_every_form_gives_the_same_rows(given: Any) -> None:
    source = LinearClassifier.task.source_of(given)
    assert isinstance(source, InMemory)
    rows = LinearClassifier.task.read(source)
    assert [(row.text, row.labels) for row in rows] == EXPECTED
    assert rows[1].place == "3 rows in memory:2"


def test_numbers_and_lists_as_labels() -> None:
    rows = LinearClassifier.task.read(LinearClassifier.task.source_of((TEXTS, np.array([0, 1, 0]))))
    assert [row.labels for row in rows] == [("0",), ("1",), ("0",)]
    rows = LinearClassifier.task.read(
        LinearClassifier.task.source_of([("a", ["x", "y"]), ("b", [])])
    )
    assert [row.labels for row in rows] == [("x", "y"), ()]


def test_other_columns() -> None:
    rows = [{"body": "a ship", "topic": "sea"}]
    config = RowsConfig(text="body", label="topic")
    assert LinearClassifier.task.read(LinearClassifier.task.source_of(rows), config)[0].labels == (
        "sea",
    )
    with pytest.raises(CorpusError, match="1 rows in memory, line 1: there is no column 'text'"):
        LinearClassifier.task.read(LinearClassifier.task.source_of(rows))


def test_paths_stay_paths() -> None:
    assert LinearClassifier.task.source_of("rows.csv") == "rows.csv"
    assert LinearClassifier.task.source_of(Path("rows.csv")) == Path("rows.csv")


def test_pairs() -> None:
    given = [("a", "b", "same"), ("c", "d", "other")]
    rows = TextMatcher.task.read(TextMatcher.task.source_of(given))
    assert [(row.text_a, row.text_b, row.label) for row in rows] == given
    assert (
        TextMatcher.task.read(TextMatcher.task.source_of(([("a", "b")], ["same"])))[0].label
        == "same"
    )


@pytest.mark.parametrize(
    "given",
    [
        [(["King", "New York"], ["PER", "LOC"]), (["sea"], ["O"])],
        ([["King", "New York"], ["sea"]], [["PER", "LOC"], ["O"]]),
        [{"tokens": ["King", "New York"], "ner_tags": ["PER", "LOC"]}, (["sea"], ["O"])],
    ],
)
def test_sentences(given: Any) -> None:
    rows = Tagger.task.read(Tagger.task.source_of(given))
    assert [row.tokens for row in rows] == [("King", "New York"), ("sea",)]
    assert [row.tags for row in rows] == [("PER", "LOC"), ("O",)]


def test_questions() -> None:
    flat = {
        "id": "q1",
        "question": "What sails?",
        "context": "The ship sails.",
        "answers": {"text": ["ship"], "answer_start": [4]},
    }
    qas = [
        {"id": "q1", "question": "What sails?", "answers": [{"text": "ship", "answer_start": 4}]}
    ]
    squad = {"data": [{"paragraphs": [{"context": "The ship sails.", "qas": qas}]}]}
    for rows in ([flat], squad):
        (row,) = SpanReader.task.read(SpanReader.task.source_of(rows))
        assert (row.question, row.answers[0].text, row.answers[0].start) == (
            "What sails?",
            "ship",
            4,
        )


@pytest.mark.parametrize(
    ("model", "given", "said"),
    [
        (LinearClassifier, [], "No rows were given"),
        (LinearClassifier, ["a text"], "row 1 in memory is 'a text' of type str"),
        (LinearClassifier, [("a", "b", "c")], r"give tuples \(text, label\)"),
        (LinearClassifier, (TEXTS, LABELS[:2]), "There are 3 inputs and 2 labels"),
        (LinearClassifier, 3, "int is nothing to read rows from"),
        (Tagger, [("a b", "O O")], "row 1 in memory has no two lists of tokens and tags"),
        (Tagger, [(["a", "b"], ["O"])], "2 tokens and 1 tag;"),
        (Tagger, [(["a\tb"], ["O"])], "a tab or a line end"),
    ],
)
def test_what_is_no_row_is_refused(model: Any, given: Any, said: str) -> None:
    with pytest.raises(CorpusError, match=said):
        model.task.source_of(given)


def test_tagged_characters_are_written_as_people_write_them() -> None:
    texts = RowTexts(["中 国 的 e mail ， 1 9 9 8 年", "我 们 人 民"], are_tokens=True)
    assert texts.are_characters
    assert texts.running == ["中国的e mail，1998年", "我们人民"]
    tokenizer = WordTokenizer.learn(
        WordTokenizer.Config(min_count=1, **texts.running_settings()), RowTexts(texts.running)
    )
    assert {"中", "国", "，", "人", "mail"} < {*tokenizer.vocabulary.words}


@pytest.mark.parametrize(
    ("texts", "are_tokens"),
    [
        (["中国 人民 的 朋友"], True),  # words
        (["中 国"], False),  # a text of somebody who writes so
        (["a b c d"], True),
        ([], True),
    ],
)
def test_other_texts_stay(texts: list[str], are_tokens: bool) -> None:
    given = RowTexts(texts, are_tokens=are_tokens)
    assert not given.are_characters
    assert given.running == texts
    assert given.running_settings() == given.word_settings()


def test_texts_are_compared_without_case_width_and_white_space() -> None:
    assert text_key("A  Straße\n１") == text_key(" a strasse 1")
    assert text_key("a b") != text_key("ab")
    assert text_key(" \n") == NO_TEXT


def again(task: Task, rows: Any, folder: Path, config: Any = None) -> list[Any]:
    """Write rows and read them, as their settings say."""
    path = folder / "rows.jsonl"
    write_rows(task.objects_of(rows), path)
    settings = {} if config is None else task.reading_again(config)
    return task.read(path, task.rows_config.checked(settings, "rows"))


def without_places(rows: list[Any]) -> list[Any]:
    return [row._replace(place="") for row in rows]


def test_texts_with_a_label_with_several_and_with_none(tmp_path: Path) -> None:
    rows = [
        LabelledText("a\nb \u2028 c", ("x",), ""),
        LabelledText('"quoted", \t', ("x", "y z"), ""),
        LabelledText("", (), ""),
        LabelledText("\ufeff中文\x85", ("3",), ""),
    ]
    assert without_places(again(LinearClassifier.task, rows, tmp_path)) == rows


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind[0].title)
@given(data=st.data())
@settings(max_examples=30)
def test_any_rows_come_back(
    tmp_path_factory: pytest.TempPathFactory,
    kind: tuple[Task, Config, st.SearchStrategy[Any]],
    data: st.DataObject,
) -> None:
    task, config, row = kind
    rows = data.draw(st.lists(row, min_size=1))
    found = again(task, rows, tmp_path_factory.mktemp("rows"), config)
    assert [*task.objects_of(found)] == [*task.objects_of(rows)]


def test_the_normal_form_and_not_the_columns_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "rows.tsv"
    path.write_text("1\tyes\te\u0301\n2\tno\to\u0308\n", encoding="utf-8")
    config = RowsConfig(text=3, label=2, normalization="none")
    rows = LinearClassifier.task.read(path, config)
    assert LinearClassifier.task.reading_again(config) == {"normalization": "none"}
    assert without_places(again(LinearClassifier.task, rows, tmp_path, config)) == without_places(
        rows
    )
    assert rows[0].text == "e\u0301"


def test_pairs_with_labels(tmp_path: Path) -> None:
    rows = [LabelledPair("a", "b", "1", None, ""), LabelledPair("", "c", "0", None, "")]
    assert without_places(again(TextMatcher.task, rows, tmp_path)) == rows


def test_pairs_with_scores(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("s,a,b\n0.1,x,y\n1e-3,z,w\n5,u,v\n", encoding="utf-8")
    config = PairsConfig(text_a="a", text_b="b", score="s")
    rows = TextMatcher.task.read(path, config)
    assert [row.score for row in rows] == [0.1, 0.001, 5.0]
    assert without_places(again(TextMatcher.task, rows, tmp_path, config)) == without_places(rows)


def test_tagged_sentences(tmp_path: Path) -> None:
    path = tmp_path / "rows.conll"
    path.write_text("New|X|B-LOC\nY ork|X|I-LOC\n\n{|X|O\n\t|X|O\n", encoding="utf-8")
    config = TaggedConfig(separator="|")
    rows = Tagger.task.read(path, config)
    found = again(Tagger.task, rows, tmp_path, config)
    assert [(row.tokens, row.tags) for row in found] == [
        (("New", "Y ork"), ("B-LOC", "I-LOC")),
        (("{", "\t"), ("O", "O")),
    ]
    assert [row.place for row in found] == [f"{tmp_path}/rows.jsonl:{line}" for line in (1, 2)]


def test_questions_with_answers_with_several_and_with_none(tmp_path: Path) -> None:
    passage = "Ada wrote the first program in 1843, in London."
    questions = [
        ("1", "Who?", [("Ada", 0)]),
        ("2", "When?", [("1843", 31), ("in 1843", 28)]),
        ("3", "Why?", []),
        ("", "Where?", [("Paris", 3)]),
    ]
    given_rows = [
        {
            "id": key,
            "question": question,
            "context": context,
            "title": "Ada",
            "answers": [{"text": text, "answer_start": start} for text, start in answers],
        }
        for context in (passage, f"{passage} {passage}")
        for key, question, answers in questions
    ]
    rows = SpanReader.task.read(SpanReader.task.source_of(given_rows))
    found = again(SpanReader.task, rows, tmp_path)
    assert without_places(found) == without_places(rows)
    assert found[2].answers == ()
    assert found[3].answers[0].start is None
    lines = (tmp_path / "rows.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == len(rows)  # a line a row, so that lines can be sampled
    assert found[0].context is found[1].context


def test_an_answer_that_was_searched_for_is_written_where_it_stands(tmp_path: Path) -> None:
    asked = [{"question": "Who?", "context": "It was Ada.", "answers": ["Ada"], "id": 5}]
    moved = [{**asked[0], "answers": [{"text": "Ada", "answer_start": 9}]}]
    for given_rows in (asked, moved):
        rows = SpanReader.task.read(SpanReader.task.source_of(given_rows))
        (found,) = again(SpanReader.task, rows, tmp_path)
        assert found.answers == (("Ada", 7, False),)
        assert found.key == "5"


@pytest.mark.parametrize("is_table", [True, False])
def test_texts_that_become_others(tmp_path: Path, is_table: bool) -> None:
    source: RowSource = tmp_path / "rows.csv"
    config = ParallelConfig(source="de", target="en") if is_table else ParallelConfig()
    if is_table:
        (tmp_path / "rows.csv").write_text('de,en\nja,"yes,\nyes"\n,no\n', encoding="utf-8")
    else:
        for name, text in (("a.de", "ja\n\u2029 b\n"), ("a.en", "yes\n\n")):
            (tmp_path / name).write_text(text, encoding="utf-8")
        files = as_parallel_files((tmp_path / "a.de", tmp_path / "a.en"))
        assert files is not None
        source = files
    rows = TextWriter.task.read(source, config)
    found = without_places(again(TextWriter.task, rows, tmp_path, config))
    assert found == without_places(rows)
    assert found[0] == ParallelText("ja", "yes,\nyes" if is_table else "yes", "")


def test_rows_of_a_task_from_outside(tmp_path: Path) -> None:
    rows = [NumberedText("a", 0.25, ""), NumberedText("b", 3.0, "")]
    assert without_places(again(Regression(), rows, tmp_path)) == rows


def test_a_file_that_cannot_be_written_whole_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(TypeError):
        write_rows([{"text": "a"}, {"text": object()}], tmp_path / "rows.jsonl")
    assert not list(tmp_path.iterdir())
