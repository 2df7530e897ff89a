"""The classifier in use: it learns, answers whatever stands beside a text, and knows how sure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import foretext as ft
from foretext.base.errors import CorpusError, SettingError
from foretext.data.rows import LabelledText
from foretext.heads.base import TaskBase
from foretext.heads.classification import ClassificationHead
from foretext.tasks.classification.network import TextClassifier
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tests.text_bodies import SIGHTED, bert_body, gpt_body, labelled_texts, learn, word_body

POOLINGS = ["cls", "last", "ends", "mean", "max", "attention"]
LONG = "the dog barks in the morning . every cat purrs again . " * 6


def classifier(body: TaskBase, rows: list[LabelledText] | None = None, **settings: Any) -> Any:
    torch.manual_seed(0)
    config = ClassificationHead.Config(**{"max_length": 32, "dropout": 0.0, **settings})
    return TextClassifier.begin(body, config, rows or labelled_texts())


def several_labels() -> list[LabelledText]:
    """Any of two labels, by the words."""
    texts = {
        "the dog barks in the morning .": ("dog", "morning"),
        "the cat purrs in the morning .": ("morning",),
        "the dog barks at night .": ("dog",),
        "the cat purrs at night .": (),
    }
    return [
        LabelledText(text, labels, f"rows.jsonl:{line}")
        for line, (text, labels) in enumerate(texts.items(), 1)
    ] * 4


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("pooling", POOLINGS)
def test_it_learns_by_every_pooling(
    wordpiece: SubwordTokenizer, tmp_path: Path, pooling: str
) -> None:
    model = classifier(bert_body(wordpiece), pooling=pooling)
    rows = labelled_texts()
    steps = 200 if pooling == "cls" else 80  # the first position has to learn where to look
    learn(model, rows, tmp_path, steps=steps, learning_rate=2e-3)
    assert model.figures(rows)["accuracy"] == 1.0


@pytest.mark.parametrize("kind", ["gpt", "lookup", "textcnn", "recurrent"])
def test_it_learns_on_every_body(byte_bpe: SubwordTokenizer, tmp_path: Path, kind: str) -> None:
    body = gpt_body(byte_bpe) if kind == "gpt" else word_body(kind)
    model, rows = classifier(body), labelled_texts()
    rate = 5e-3 if kind == "gpt" else 5e-2
    learn(model, rows, tmp_path, steps=40, learning_rate=rate)
    assert model.figures(rows)["accuracy"] == 1.0
    assert model.predict(["every hen in the noon ."]).tolist() == ["hen"]


def test_it_learns_several_labels(wordpiece: SubwordTokenizer, tmp_path: Path) -> None:
    rows = several_labels()
    model = classifier(bert_body(wordpiece), rows)
    assert model.is_multi_label
    learn(model, rows, tmp_path, steps=60, learning_rate=5e-3)
    figures = model.figures(rows)
    assert figures["accuracy"] == figures["micro_f1"] == 1.0
    assert "calibration_error" not in figures
    assert model.predict([row.text for row in rows[:4]]).tolist() == [
        row.labels for row in rows[:4]
    ]
    with pytest.raises(SettingError, match="several labels a text cannot be calibrated"):
        model.calibrate(rows)


@pytest.mark.parametrize("kind", ["bert", "gpt", "lookup", "textcnn", "recurrent"])
def test_a_text_is_answered_alike_whatever_stands_beside_it(
    wordpiece: SubwordTokenizer, byte_bpe: SubwordTokenizer, kind: str
) -> None:
    bodies = {"bert": lambda: bert_body(wordpiece), "gpt": lambda: gpt_body(byte_bpe)}
    model = classifier(bodies.get(kind, lambda: word_body(kind))())
    with torch.no_grad():
        model.head.classifier.weight.mul_(50)  # so that texts differ
    texts = ["the dog", LONG, "every cat purrs .", "", "hen"]
    together = model.predict_proba(texts)
    alone = np.concatenate([model.predict_proba([text]) for text in texts])
    np.testing.assert_allclose(together, alone, atol=1e-5)
    np.testing.assert_allclose(together.sum(1), 1)
    assert np.ptp(together, axis=0).max() > 1e-3


def test_probabilities_of_a_long_text_are_the_mean_of_its_windows(
    wordpiece: SubwordTokenizer,
) -> None:
    model = classifier(bert_body(wordpiece), long_texts="windows")
    windows = model._windows(["a cat", LONG])
    assert len(windows.owners) > 3
    logits = torch.tensor(np.array(model.outputs(model._padded(windows, {}))))
    expected = logits.softmax(-1)[windows.owners == 1].mean(0)
    np.testing.assert_allclose(model.predict_proba(["a cat", LONG])[1], expected, atol=1e-6)


def test_every_window_is_learned_from_with_the_labels_of_its_text(
    wordpiece: SubwordTokenizer,
) -> None:
    rows = [*labelled_texts(3), LabelledText(LONG, ("hen",), "rows.tsv:4")]
    model = classifier(bert_body(wordpiece), rows, long_texts="windows")
    examples = model.examples(rows)
    assert len(examples) > 5
    labels = examples.batch(np.arange(len(examples))).targets["labels"].tolist()
    names = [model.classes_[place] for place in labels]
    assert names == [*SIGHTED, *["hen"] * (len(examples) - 3)]


@pytest.mark.parametrize("long_texts", ["head", "tail", "head_tail", "windows"])
def test_texts_that_are_cut_are_counted(wordpiece: SubwordTokenizer, long_texts: str) -> None:
    rows = [*labelled_texts(6), LabelledText(LONG, ("hen",), "rows.tsv:7")]
    assert classifier(bert_body(wordpiece), long_texts=long_texts).num_cut(rows) == 1


def overconfident(body: TaskBase) -> tuple[Any, list[LabelledText]]:
    """A model of much certainty, and rows of which half contradict it."""
    model = classifier(body)
    with torch.no_grad():
        model.head.classifier.weight.mul_(200)
    texts = [row.text for row in labelled_texts(24)]
    given = model.predict(texts).tolist()
    other = {label: SIGHTED[place - 1] for place, label in enumerate(SIGHTED)}
    return model, [
        LabelledText(text, (label if line % 2 else other[label],), f"rows.tsv:{line}")
        for line, (text, label) in enumerate(zip(texts, given, strict=True))
    ]


def test_calibration_takes_certainty_away_and_leaves_the_answers(
    wordpiece: SubwordTokenizer,
) -> None:
    model, rows = overconfident(bert_body(wordpiece))
    texts = [row.text for row in rows]
    before, answers = model.figures(rows), model.predict(texts).tolist()
    assert model.calibrate(rows) > 1
    after = model.figures(rows)
    assert after["calibration_error"] < before["calibration_error"] - 0.1
    assert after["accuracy"] == before["accuracy"] == 0.5
    assert model.predict(texts).tolist() == answers
    assert model.facts() == {"temperature": model.temperature}


def test_calibration_leaves_unknown_labels_out(wordpiece: SubwordTokenizer) -> None:
    model, rows = overconfident(bert_body(wordpiece))
    temperature = model.calibrate(rows)
    stranger = LabelledText("an owl hoots .", ("owl",), "rows.tsv:25")
    assert model.calibrate([*rows, stranger]) == pytest.approx(temperature)
    with pytest.raises(CorpusError, match="No row to calibrate by has a label that was learned"):
        model.calibrate([stranger])


def test_figures_count_labels_that_were_never_learned(wordpiece: SubwordTokenizer) -> None:
    model = classifier(bert_body(wordpiece))
    rows = [*labelled_texts(3), LabelledText("an owl hoots .", ("owl",), "rows.tsv:4")]
    figures = model.figures(rows)
    assert figures["texts"] == 4
    assert figures["labels"]["owl"] == {"precision": 0, "recall": 0, "f1": 0, "support": 1}
    assert [model.knows(row) for row in rows] == [True, True, True, False]


def test_the_best_labels_come_first(wordpiece: SubwordTokenizer) -> None:
    model = classifier(bert_body(wordpiece))
    (row,) = model.predict_proba(["a dog"])
    (best,) = model.predict_top(["a dog"], k=None)
    assert [label for label, _ in best] == [model.classes_[place] for place in np.argsort(-row)]
    assert [rate for _, rate in best] == sorted(row, reverse=True)
    assert model.predict_top(["a dog"], k=2) == [best[:2]]
    assert model.predict_top(["a dog"], threshold=0.99) == [[]]
    assert model.score(["a dog"], [best[0][0]]) == 1.0


def test_no_text_no_answer(wordpiece: SubwordTokenizer) -> None:
    model = classifier(bert_body(wordpiece))
    assert model.predict([]).tolist() == []
    assert model.predict_proba([]).shape == (0, 3)
    assert model.predict_top([]) == []


def test_a_file_is_read_and_measured(wordpiece: SubwordTokenizer, tmp_path: Path) -> None:
    file = tmp_path / "rows.tsv"
    file.write_text(
        "label\ttext\n" + "".join(f"{r.labels[0]}\t{r.text}\n" for r in labelled_texts(6))
    )
    model = classifier(bert_body(wordpiece))
    assert model.evaluate(file) == model.figures(model.task.read(file))
    assert model.judged_by in model.evaluate(file)


def test_errors_name_the_row(wordpiece: SubwordTokenizer) -> None:
    model = classifier(bert_body(wordpiece))
    with pytest.raises(CorpusError, match=r"rows\.tsv:9: no row to learn from has the label 'owl'"):
        model.examples([LabelledText("hoot", ("owl",), "rows.tsv:9")])
    unlabelled = [LabelledText("hoot", (), "rows.tsv:9")]
    for verb in (model.examples, model.figures, model.calibrate):
        with pytest.raises(CorpusError, match=r"rows\.tsv:9: 0 labels, and the rows learned from"):
            verb(unlabelled)
    with pytest.raises(CorpusError, match="have 1 different labels; two are needed"):
        TextClassifier.task.find([LabelledText("hoot", ("owl",), "rows.tsv:1")])
    for verb in (model.predict, model.predict_proba, model.predict_top):
        with pytest.raises(CorpusError, match="text 2 is None, not a text"):
            verb(["a dog", None])


def test_a_single_text_gets_a_single_answer(wordpiece: SubwordTokenizer) -> None:
    model = classifier(bert_body(wordpiece))
    assert model.predict("a dog") == model.predict(["a dog"])[0]
    assert model.predict_top("a dog") == model.predict_top(["a dog"])[0]
    assert model.predict_proba("a dog").shape == model.classes_.shape


@pytest.mark.parametrize("attention", ["dot", "additive"])
def test_a_network_that_looks_back_answers_by_its_last_state(attention: str) -> None:
    """[h; c] of the last word, where c is a mean of all states before."""
    words = ["calm", "open", "deep", "grey"]
    rows = [
        (" ".join((label, *np.roll(words, turn))), label)
        for label in ("sea", "land")
        for turn in range(4)
    ] * 4
    settings = {
        "backbone": {
            "bidirectional": False,
            "attention": attention,
            "dim": 8,
            "vector_size": 8,
            "dropout": 0.0,
        },
        "task": {"pooling": "last"},
        "training": {"steps": 120, "learning_rate": 2e-2},
        "finetuning": {"valid_rate": 0.0, "baseline": False},
    }
    model = ft.finetune("classification", "gru", rows, settings=settings, quiet=True)
    assert model.base.backbone.dim == 16
    assert model.predict([text for text, _ in rows[:8]]).tolist() == ["sea"] * 4 + ["land"] * 4
