"""What a model finds in its own answers, for every task: they are computed once, and are JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest
import torch

from foretext.data.rows import Answer, LabelledPair, LabelledText, Question, TaggedSentence
from foretext.tasks.examining import examine
from foretext.tasks.model import TaskModel
from foretext.tasks.task import task_named
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tests.text_bodies import bert_body

DOG, CAT = "the dog barks .", "the cat purrs ."


def sentence(words: str, tags: str) -> TaggedSentence:
    tokens = tuple(words.split())
    return TaggedSentence(tokens, tuple(tags.split()), "a.conll", tuple(range(len(tokens))))


def question(*answers: str) -> Question:
    spans = tuple(Answer(text, DOG.find(text)) for text in answers)
    return Question("q", "who ?", DOG, spans, "", "a.json:q")


TEXTS = [LabelledText(DOG, ("dog",), "a.csv:1"), LabelledText(CAT, ("cat",), "a.csv:2")]
SETS = [LabelledText(DOG, ("dog", "loud"), "a.csv:1"), LabelledText(CAT, (), "a.csv:2")]
PAIRS = [LabelledPair(DOG, DOG, "same", None, "1"), LabelledPair(DOG, CAT, "other", None, "2")]
SCORES = [LabelledPair(DOG, DOG, None, 1.0, "a.csv:1"), LabelledPair(DOG, CAT, None, 0.0, "2")]
ENTITIES = [sentence(DOG, "O B-A O O"), sentence(CAT, "O B-A O O")]
TAGS = [sentence(DOG, "D N V P"), sentence(CAT, "D N V P")]
QUESTIONS = [question("dog"), question()]

CASES = {
    "classification": ("classification", TEXTS, {"confusion", "confused", "reliability", "errors"}),
    "label sets": ("classification", SETS, {"reliability", "errors"}),
    "matching": ("matching", PAIRS, {"confusion", "confused", "reliability", "errors"}),
    "scores": ("matching", SCORES, {"points", "errors"}),
    "entities": ("tagging", ENTITIES, {"confusion", "tables", "sentences"}),
    "tags": ("tagging", TAGS, {"confusion", "sentences"}),
    "span_qa": ("span_qa", QUESTIONS, {"tables", "reliability", "questions"}),
}


def untrained(task: str, rows: list[Any], tokenizer: SubwordTokenizer) -> TaskModel:
    torch.manual_seed(0)
    model: Any = task_named(task).model
    return model.begin(bert_body(tokenizer), model.task.head_config(), rows)  # type: ignore[no-any-return]


@pytest.mark.parametrize("name", CASES)
def test_every_task_is_looked_at(
    wordpiece: SubwordTokenizer, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    task, rows, parts = CASES[name]
    model = untrained(task, rows, wordpiece)
    figures = model.figures(rows)
    answered = 0
    outputs = model.outputs

    def counted(*given: Any) -> Any:
        nonlocal answered
        answered += 1
        return outputs(*given)

    monkeypatch.setattr(model, "outputs", counted)
    found = examine(model, rows, learned_from=rows)
    assert answered == 1
    assert parts <= set(found)
    assert (found["rows"], found["figures"]) == (len(rows), figures)
    assert json.loads(json.dumps(found, allow_nan=False)) == found


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("label sets", {"dog": 1, "loud": 1}),
        ("entities", {"A": 2}),
        ("tags", {"D": 2, "N": 2, "V": 2, "P": 2}),
        ("scores", {}),
        ("span_qa", {}),
    ],
)
def test_what_was_learned_from_is_counted(
    wordpiece: SubwordTokenizer, name: str, counts: dict[str, int]
) -> None:
    task, rows, _ = CASES[name]
    model = untrained(task, rows, wordpiece)
    assert examine(model, rows, learned_from=rows)["learned"] == counts


@pytest.mark.parametrize("name", CASES)
def test_rows_add_up_to_the_figure_that_counts(wordpiece: SubwordTokenizer, name: str) -> None:
    task, rows, _ = CASES[name]
    model = untrained(task, rows * 3, wordpiece)
    answers = model.answer_rows(rows * 3)
    tallies = answers.tallies(rows * 3)[model.judged_by]
    assert len(tallies.parts) == 3 * len(rows)
    figure = answers.figures(rows * 3)[model.judged_by]
    assert tallies.figure(tallies.parts.sum(axis=0)) == pytest.approx(figure)


@pytest.mark.parametrize("name", CASES)
def test_baselines_answer_in_the_form_of_every_task(wordpiece: SubwordTokenizer, name: str) -> None:
    task, rows, _ = CASES[name]
    model = untrained(task, rows, wordpiece)
    rivals = {"baseline": model.task.baseline(rows), "majority": model.task.majority(rows)}
    found = examine(model, rows, beside={key: each for key, each in rivals.items() if each})
    assert set(found["beside"]) == {"baseline", "majority"}
    for each in found["beside"].values():
        assert model.judged_by in each["figures"]
        assert each["difference"]["num_rows"] == len(rows)
    assert json.loads(json.dumps(found, allow_nan=False)) == found
