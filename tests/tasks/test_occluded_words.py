"""Leaving out words with a network: equal to predictions of texts that were shortened by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from foretext.heads.matching import MatchingHead
from foretext.tasks.matching.network import TextMatcher
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tests.tasks.classification.test_network import classifier, several_labels
from tests.tasks.explanation.test_gradients import sharpened
from tests.tasks.matching.test_network import likeness, sharp
from tests.text_bodies import bert_body, word_body

TEXT = "every cat in the morning ."
SHORTER = [
    "cat in the morning .",
    "every in the morning .",
    "every cat the morning .",
    "every cat in morning .",
    "every cat in the .",
    "every cat in the morning",
]
LONG = "the dog barks in the morning . every cat purrs again . " * 6


def exact(model: Any) -> Any:
    """In float32, so that texts in one batch do not change each other's numbers."""
    model.answering({"precision": "fp32"})
    return model


def contrast(probabilities: Any, place: int) -> Any:
    logs = np.log(probabilities)
    return logs[:, place] - np.delete(logs, place, axis=1).mean(1)


@pytest.mark.parametrize("kind", ["bert", "textcnn"])
def test_weights_are_what_predictions_lose(wordpiece: SubwordTokenizer, kind: str) -> None:
    body = bert_body(wordpiece) if kind == "bert" else word_body(kind)
    model = exact(sharpened(classifier(body)))
    found = model.explain(TEXT, "dog")
    dog = list(model.classes_).index("dog")
    values = contrast(model.predict_proba([TEXT, *SHORTER, ""]), dog)
    weights = [word.weight for word in found.words]
    np.testing.assert_allclose(weights, values[0] - values[1:-1], rtol=1e-3, atol=1e-5)
    assert (found.value, found.base) == pytest.approx((values[0], values[-1]), abs=1e-4)
    assert found.num_predictions == len(SHORTER) + 2


def test_labels_by_themselves(wordpiece: SubwordTokenizer) -> None:
    model = exact(sharpened(classifier(bert_body(wordpiece), several_labels())))
    dog = list(model.classes_).index("dog")
    shares = model.predict_proba([TEXT, *SHORTER])[:, dog]
    odds = np.log(shares / (1 - shares))
    weights = [word.weight for word in model.explain(TEXT, "dog").words]
    np.testing.assert_allclose(weights, odds[0] - odds[1:], rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("mode", ["pair", "both_orders", "siamese"])
def test_pairs(wordpiece: SubwordTokenizer, mode: str) -> None:
    model = exact(sharp(bert_body(wordpiece), mode=mode))
    found = model.explain(("the dog barks", "a cat"), "first")
    shorter = [("dog barks", "a cat"), ("the barks", "a cat"), ("the dog", "a cat")]
    shorter += [("the dog barks", "cat"), ("the dog barks", "a")]
    shares = model.predict_proba([("the dog barks", "a cat"), *shorter])
    values = contrast(shares, list(model.classes_).index("first"))
    weights = [word.weight for word in found.words]
    np.testing.assert_allclose(weights, values[0] - values[1:], rtol=1e-3, atol=1e-4)
    assert [word.field for word in found.words] == ["text_a"] * 3 + ["text_b"] * 2


def test_scores(wordpiece: SubwordTokenizer) -> None:
    torch.manual_seed(0)
    model = TextMatcher.begin(bert_body(wordpiece), MatchingHead.Config(max_length=32), likeness())
    exact(model)
    found = model.explain(("the dog", "a cat"))
    shorter = [("dog", "a cat"), ("the", "a cat"), ("the dog", "cat"), ("the dog", "a")]
    scores = np.array(model.predict([("the dog", "a cat"), *shorter]))
    weights = [word.weight for word in found.words]
    np.testing.assert_allclose(weights, scores[0] - scores[1:], rtol=1e-3, atol=1e-5)
    assert (found.label, found.probability) == (None, None)


def test_words_behind_the_end_that_is_read_weigh_nothing(wordpiece: SubwordTokenizer) -> None:
    model = exact(sharpened(classifier(bert_body(wordpiece), max_length=16)))
    found = model.explain(LONG)
    assert [word.text for word in found.words] == LONG.split()
    assert found.words[0].weight
    assert not any(word.weight for word in found.words[-10:])


def test_a_text_of_many_windows_takes_no_more_rows_than_asked(
    wordpiece: SubwordTokenizer,
) -> None:
    model = sharpened(classifier(bert_body(wordpiece), long_texts="windows", max_length=16))
    [rows] = model.num_rows([(LONG,)])
    assert rows == len(model._windows([LONG]).owners) > 3
    found = model.explain(LONG, most=20 * rows)
    assert found.num_predictions <= 20
    assert "".join(word.text for word in found.words).replace(" ", "") == LONG.replace(" ", "")
