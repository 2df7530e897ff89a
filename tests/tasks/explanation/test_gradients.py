"""Words that decided, by the gradients of a network: their sum, their truth, their places."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from foretext.backbones.elmo import Elmo
from foretext.backbones.lookup import Lookup
from foretext.base.errors import SettingError
from foretext.heads.base import TaskBase
from foretext.heads.matching import MatchingHead
from foretext.tasks.classification.linear import LinearClassifier
from foretext.tasks.matching.network import TextMatcher
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tests.tasks.classification.test_network import classifier, several_labels
from tests.tasks.matching.test_network import likeness, sharp
from tests.text_bodies import SIGHTED, bert_body, labelled_texts, learn, word_body

LONG = "the dog barks in the morning . every cat purrs again . " * 6
TEXT = "every cat in the morning ."


def sharpened(model: Any) -> Any:
    """With answers that differ without learning."""
    with torch.no_grad():
        model.head.classifier.weight.mul_(20)
    return model


def test_weights_are_those_of_a_network_that_adds_them_up(wordpiece: SubwordTokenizer) -> None:
    """The mean of vectors and a linear layer: each token adds (its vector - [MASK]'s) w / T."""
    torch.manual_seed(0)
    backbone = Lookup(Lookup.Config(vector_size=16), wordpiece.vocab_size)
    rows = [row for row in labelled_texts() if row.labels != ("hen",)]
    body = TaskBase(wordpiece, backbone, "full")
    model = sharpened(classifier(body, rows, pooling="mean", transform="none"))
    found = model.explain(TEXT, "cat", method="gradient")
    ids = torch.tensor(wordpiece.encode(TEXT))
    framing = body.framing(32)
    T = len(framing.around(ids.tolist()))
    vectors = backbone.embedding.detach()
    weight = model.head.classifier.weight.detach()
    cat = list(model.classes_).index("cat")
    truth = (vectors[ids] - vectors[wordpiece.special.mask]) @ (weight[cat] - weight[1 - cat]) / T
    weights = np.array([word.weight for word in found.words])
    assert [word.text for word in found.words] == TEXT.split()
    np.testing.assert_allclose(weights, truth.numpy(), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("settings", [{}, {"layers": "mix"}, {"pooling": "mean"}])
def test_weights_sum_to_the_change_of_the_value(
    wordpiece: SubwordTokenizer, settings: dict[str, Any]
) -> None:
    model = sharpened(classifier(bert_body(wordpiece), **settings))
    model.answering({"precision": "fp32"})
    found = model.explain(TEXT, method="gradient")
    shares = np.log(model.predict_proba([TEXT])[0])
    best = shares.argmax()
    assert found.label == model.classes_[best]
    assert found.value == pytest.approx(shares[best] - np.delete(shares, best).mean(), abs=1e-4)
    assert abs(found.rest) < 1e-2 * abs(found.value - found.base)
    assert found.num_predictions == 19


@pytest.mark.parametrize("long_texts", ["head", "tail", "head_tail", "windows"])
def test_words_that_are_not_read_weigh_nothing(
    wordpiece: SubwordTokenizer, long_texts: str
) -> None:
    model = sharpened(classifier(bert_body(wordpiece), long_texts=long_texts, max_length=16))
    found = model.explain(LONG, method="gradient")
    read = [word.weight != 0 for word in found.words]
    assert [word.text for word in found.words] == LONG.split()
    assert abs(found.rest) < 1e-2 * sum(abs(word.weight) for word in found.words)
    assert read[0] is (long_texts != "tail")
    assert read[-1] is (long_texts != "head")
    assert all(read) is (long_texts == "windows")


def test_labels_by_themselves_are_explained_by_themselves(wordpiece: SubwordTokenizer) -> None:
    model = sharpened(classifier(bert_body(wordpiece), several_labels()))
    model.answering({"precision": "fp32"})
    [probability] = model.predict_proba([TEXT])[0, list(model.classes_ == "dog").index(True)][None]
    found = model.explain(TEXT, "dog", method="gradient")
    assert found.value == pytest.approx(np.log(probability / (1 - probability)), abs=1e-4)
    assert abs(found.rest) < 1e-2 * abs(found.value - found.base)


@pytest.mark.parametrize("mode", ["pair", "both_orders", "siamese"])
@pytest.mark.parametrize("long", [1, 6])
def test_pairs(wordpiece: SubwordTokenizer, mode: str, long: int) -> None:
    model = sharp(bert_body(wordpiece), mode=mode)
    pair = "the dog barks in the morning . " * long, "every cat purrs ."
    found = model.explain(pair, method="gradient")
    assert abs(found.rest) < 2e-2 * sum(abs(word.weight) for word in found.words)
    assert {word.field for word in found.words if word.weight} == {"text_a", "text_b"}
    last = [word for word in found.words if word.field == "text_a"][-1]
    assert bool(last.weight) is (long == 1)  # the end of a long pair is not read


@pytest.mark.parametrize("mode", ["pair", "siamese"])
def test_scores(wordpiece: SubwordTokenizer, mode: str) -> None:
    torch.manual_seed(0)
    config = MatchingHead.Config(mode=mode, max_length=32)  # type: ignore[arg-type]
    model = TextMatcher.begin(bert_body(wordpiece), config, likeness())
    model.answering({"precision": "fp32"})
    pair = "the dog barks", "every cat purrs again ."
    found = model.explain(pair, method="gradient")
    assert (found.label, found.probability) == (None, None)
    assert found.value == pytest.approx(model.predict([pair])[0], abs=1e-5)
    assert abs(found.rest) < 1e-2 * sum(abs(word.weight) for word in found.words)


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("method", ["occlusion", "gradient"])
def test_a_rule_that_was_learned_is_found(
    wordpiece: SubwordTokenizer, tmp_path: Path, method: str
) -> None:
    model, rows = classifier(bert_body(wordpiece), pooling="mean"), labelled_texts()
    learn(model, rows, tmp_path, steps=80, learning_rate=2e-3)
    texts = sorted({row.text for row in rows})
    found = model.explain(texts, method=method)
    right = [each.top(1)[0].text in SIGHTED for each in found]
    assert sum(right) >= 0.9 * len(right)
    assert all(parameter.grad is None for parameter in model.exact_network().parameters())


def test_an_ensemble_adds_what_its_linear_classifier_weighs(wordpiece: SubwordTokenizer) -> None:
    rows = labelled_texts()
    model = sharpened(classifier(bert_body(wordpiece), rows))
    model.answering({"precision": "fp32"})
    linear = LinearClassifier().fit([row.text for row in rows], [row.labels[0] for row in rows])
    model.join(linear, rows)
    found = model.explain(TEXT, method="gradient")
    shares = np.log(model.predict_proba([TEXT])[0])
    best = shares.argmax()
    assert found.value == pytest.approx(shares[best] - np.delete(shares, best).mean(), abs=1e-3)
    assert abs(found.rest) < 1e-2 * abs(found.value - found.base)
    assert found.top(1)[0].text == "cat"


@pytest.mark.parametrize("body", ["wordpiece", "byte_bpe"])
def test_words_stand_where_the_text_has_them(body: str, request: pytest.FixtureRequest) -> None:
    tokenizer = request.getfixturevalue(body)
    model = sharpened(classifier(bert_body(tokenizer)))
    text = "the  cat\u3000e\u0301te\u0301 我爱 👩\u200d👧! dog"
    words = ["the", "cat", "e\u0301te\u0301", "我", "爱", "👩\u200d👧", "!", "dog"]
    found = model.explain(text, method="gradient")
    assert [word.text for word in found.words] == words
    assert [text[word.start : word.end] for word in found.words] == words
    assert abs(found.rest) < 1e-2 * sum(abs(word.weight) for word in found.words)


def test_a_text_without_words(wordpiece: SubwordTokenizer) -> None:
    model = classifier(bert_body(wordpiece))
    for text in ("", " "):
        found = model.explain(text, method="gradient")
        assert found.words == ()
        assert found.value == pytest.approx(found.base)


@pytest.mark.parametrize("kind", ["lookup", "textcnn", "recurrent"])
def test_networks_over_words_are_followed_too(kind: str) -> None:
    model = sharpened(classifier(word_body(kind), pooling="mean"))
    found = model.explain(TEXT, method="gradient")
    assert [word.text for word in found.words] == TEXT.split()
    assert abs(found.rest) < 2e-2 * sum(abs(word.weight) for word in found.words)


def test_networks_without_vectors_refuse() -> None:
    words = word_body("textcnn").tokenizer
    config = Elmo.Config(num_layers=1, dim=16, character_dim=4, widths=[1, 2], features=[4, 4])
    backbone = Elmo(config, words.vocab_size)
    backbone.spell(words.tokens)
    model = classifier(TaskBase(words, backbone, "split"))
    with pytest.raises(SettingError, match=r"by their spelling.*method = 'occlusion'"):
        model.explain(TEXT, method="gradient")
    assert model.explain(TEXT).words
