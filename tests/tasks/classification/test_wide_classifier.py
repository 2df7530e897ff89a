"""A head that reads words: what rows bring, what texts bring, and what is kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import foretext as ft
from foretext.base.errors import ModelFileError, SettingError
from foretext.data.rows import LabelledText
from foretext.heads.classification import ClassificationHead
from foretext.metrics import sigmoid, softmax
from foretext.tasks.classification.linear import LinearClassifier
from foretext.tasks.classification.linear_words import WORDS_FILE, WordVocabulary
from foretext.tasks.classification.network import TextClassifier
from foretext.tasks.lessons import Lessons, Teaching
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tests.tasks.classification.test_network import several_labels
from tests.text_bodies import bert_body, gpt_body, labelled_texts, silent, word_body

LONG = "the dog barks in the morning . every cat purrs again . " * 6
KINDS = ["bert", "gpt", "lookup", "textcnn", "recurrent"]


def wide(body: Any, rows: list[LabelledText] | None = None, **settings: Any) -> TextClassifier:
    torch.manual_seed(0)
    chosen = {"word_features": "tfidf", "max_length": 32, "dropout": 0.0, **settings}
    model = TextClassifier.begin(
        body, ClassificationHead.Config(**chosen), rows or labelled_texts()
    )
    model.answering({"precision": "fp32"})
    return model


def linear_of(rows: list[LabelledText]) -> LinearClassifier:
    return LinearClassifier().fit([row.text for row in rows], [row.labels for row in rows])


@pytest.mark.parametrize("kind", KINDS)
def test_a_network_that_says_nothing_answers_as_the_linear_classifier(
    wordpiece: SubwordTokenizer, byte_bpe: SubwordTokenizer, kind: str
) -> None:
    bodies = {"bert": lambda: bert_body(wordpiece), "gpt": lambda: gpt_body(byte_bpe)}
    model = silent(wide(bodies.get(kind, lambda: word_body(kind))()))
    texts = ["the dog", LONG, "every cat purrs .", "", "hen", "unheard"]
    expected = linear_of(labelled_texts()).predict_proba(texts)
    np.testing.assert_allclose(model.predict_proba(texts), expected, atol=1e-6)


def test_several_labels_a_text() -> None:
    rows = several_labels()
    model = silent(wide(word_body("textcnn"), rows))
    texts = [row.text for row in rows[:4]]
    expected = linear_of(rows).predict_proba(texts)
    np.testing.assert_allclose(model.predict_proba(texts), expected, atol=1e-6)


def test_both_are_added() -> None:
    model, texts = wide(word_body("textcnn")), ["the dog", "every cat in the noon ."]
    words = linear_of(labelled_texts()).logits(texts)
    alone = wide(word_body("textcnn"), word_features="none")
    alone.head.load_state_dict(
        {name: w for name, w in model.head.state_dict().items() if "words" not in name}
    )
    network = np.log(alone.predict_proba(texts))
    with torch.no_grad():
        assert model.head.words is not None
        model.head.words.scale.fill_(0.5)
    np.testing.assert_allclose(
        model.predict_proba(texts), softmax(network + 0.5 * words), atol=1e-5
    )


def test_rows_to_learn_from_bring_the_logits_of_others_and_other_rows_their_own() -> None:
    rows = labelled_texts(30)
    model = wide(word_body("textcnn"), rows)
    assert model.words is not None
    assert model.words.learned is not None
    held_out = rows[3]._replace(place="valid.tsv:1")
    found = model.examples([rows[4], held_out, rows[0]]).word_logits
    assert found is not None
    np.testing.assert_array_equal(found[[0, 2]], model.words.learned.logits[[4, 0]])
    expected = linear_of(rows).logits([held_out.text])[0]
    np.testing.assert_allclose(found[1], expected, rtol=1e-5)
    assert model.examples([held_out]).words is not None


def test_every_window_of_a_text_has_its_words(wordpiece: SubwordTokenizer) -> None:
    rows = [*labelled_texts(5), LabelledText(LONG, ("hen",), "rows.tsv:6")]
    model = wide(bert_body(wordpiece), rows, long_texts="windows")
    assert model.words is not None
    found = model.examples(rows).word_logits
    assert found is not None
    assert len(found) > 6
    for window in found[5:]:
        np.testing.assert_array_equal(window, found[5])
    expected = linear_of(rows).predict_proba([LONG])
    np.testing.assert_allclose(silent(model).predict_proba([LONG]), expected, atol=1e-6)


def test_a_teacher_answers_beside_the_words() -> None:
    rows = labelled_texts(12)
    others = [LabelledText("the dog again .", (), "texts.txt:1")]
    model = wide(word_body("textcnn"), rows)
    lessons = Lessons(rows, others, np.full((13, 3), 1 / 3))
    _, examples = model.taught(lessons, Teaching(0.5, 1.0))
    assert examples.word_logits is not None
    own = linear_of(rows).logits([others[0].text])[0]
    np.testing.assert_allclose(examples.word_logits[-1], own, rtol=1e-5)


def test_held_out_rows_weigh_network_and_words() -> None:
    """Labels to learn from are by chance, so that the words say little of those held out."""
    rng = np.random.default_rng(0)
    names = ["cat", "dog", "hen"]
    rows = [row._replace(labels=(str(rng.choice(names)),)) for row in labelled_texts(60)]
    model = wide(word_body("textcnn"), rows)
    head = model.head.words
    assert head is not None
    held_out = labelled_texts(90)
    [note] = model.finish(held_out)
    assert "held-out rows weigh the network by" in note
    texts = [row.text for row in held_out]
    places = [names.index(row.labels[0]) for row in held_out]

    def loss() -> float:
        return float(-np.log(model.predict_proba(texts)[np.arange(90), places]).mean())

    best = loss()
    with torch.no_grad():
        for change in (1.1, 0.8):
            head.scale.mul_(change)
            assert loss() >= best - 1e-6
            head.scale.div_(change)
    assert model.finish(held_out[:20]) == []  # two weights want more rows
    assert wide(word_body("textcnn"), word_features="none").finish(held_out) == []


@pytest.mark.parametrize("kind", ["bert", "textcnn"])
def test_the_folder_keeps_words_and_weights(
    wordpiece: SubwordTokenizer, tmp_path: Path, kind: str
) -> None:
    model = wide(bert_body(wordpiece) if kind == "bert" else word_body(kind))
    with torch.no_grad():
        assert model.head.words is not None
        model.head.words.scale.fill_(1.5)
    model.save(tmp_path)
    kept: Any = ft.load(tmp_path)
    kept.answering({"precision": "fp32"})
    texts = ["the dog", "every cat in the noon .", ""]
    np.testing.assert_allclose(kept.predict_proba(texts), model.predict_proba(texts), atol=1e-6)
    assert kept.num_parameters == model.num_parameters
    vocabulary = WordVocabulary.read(tmp_path / WORDS_FILE)
    assert kept.head.found["num_word_features"] == len(vocabulary)
    assert not (tmp_path / "linear.safetensors").exists()
    fewer = WordVocabulary(vocabulary.config, vocabulary.features[1:], vocabulary.idf[1:])
    fewer.write(tmp_path / WORDS_FILE)
    with pytest.raises(ModelFileError, match="features, and the head beside it weighs"):
        ft.load(tmp_path)
    (tmp_path / WORDS_FILE).unlink()
    with pytest.raises(ModelFileError, match=r"words\.safetensors is missing"):
        ft.load(tmp_path)


def test_another_task_learns_on_its_backbone(wordpiece: SubwordTokenizer, tmp_path: Path) -> None:
    model = wide(bert_body(wordpiece))
    again = wide(model.as_base(), word_features="none")
    assert again.head.words is None
    again.save(tmp_path)
    assert not (tmp_path / WORDS_FILE).exists()


@pytest.mark.parametrize("long_texts", ["head", "windows"])
@pytest.mark.parametrize("kind", ["one label", "several"])
def test_what_words_add_sums_to_the_change_of_the_value(
    wordpiece: SubwordTokenizer, long_texts: str, kind: str
) -> None:
    rows = labelled_texts() if kind == "one label" else several_labels()
    model = wide(bert_body(wordpiece), rows, long_texts=long_texts)
    model.temperature = 1.3 if kind == "one label" else 1.0
    text = LONG if long_texts == "windows" else "every cat in the morning ."
    found = model.explain(text, method="gradient")
    total = sum(word.weight for word in found.words)
    assert total == pytest.approx(found.value - found.base, abs=0.02)
    words = sigmoid(np.array(found.value)) if kind == "several" else None
    if words is not None and long_texts == "head":
        assert found.probability == pytest.approx(float(words), abs=1e-4)


def test_a_network_that_says_nothing_is_explained_as_the_linear_classifier(
    wordpiece: SubwordTokenizer,
) -> None:
    model, text = silent(wide(bert_body(wordpiece))), "every cat in the morning ."
    found = model.explain(text, "cat", method="gradient")
    expected = linear_of(labelled_texts()).explain(text, "cat", method="linear")
    np.testing.assert_allclose(
        [word.weight for word in found.words], [word.weight for word in expected.words], atol=1e-5
    )
    assert found.base == pytest.approx(expected.base, abs=1e-5)


def test_the_linear_classifier_is_not_counted_twice() -> None:
    rows = labelled_texts()
    with pytest.raises(SettingError, match="would count it twice"):
        wide(word_body("textcnn")).join(linear_of(rows), rows)


def test_a_head_of_less_than_no_features_is_refused() -> None:
    with pytest.raises(ValueError, match="is below 0"):
        ClassificationHead(
            ClassificationHead.Config(),
            word_body("textcnn"),
            labels=["a", "b"],
            num_word_features=-1,
        )
