"""Words that decided, by fastText's classifier: words are left out, all in one batch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from foretext.metrics import sigmoid, softmax
from foretext.tasks.fasttext.classifier import FastTextClassifier

TEXTS = ["the marble plot of the film", "the copper plot of the film", "a film of a scene"] * 20
LABELS = ["good", "bad", "none"] * 20
SMALL: dict[str, Any] = {"dim": 8, "lr": 0.5, "epochs": 20, "workers": 1}


def learned(loss: str, **settings: Any) -> FastTextClassifier:
    return FastTextClassifier(**SMALL, loss=loss, **settings).fit(TEXTS, LABELS)  # type: ignore[arg-type]


@pytest.mark.parametrize("loss", ["softmax", "hs", "ns", "ova"])
def test_values_are_made_of_the_same_numbers_as_chances(loss: str) -> None:
    model = learned(loss)
    found = model.values([(text,) for text in TEXTS[:3]])
    chances = model.predict_proba(TEXTS[:3])
    np.testing.assert_allclose(found.probabilities, chances)
    if loss in ("ns", "ova"):
        np.testing.assert_allclose(sigmoid(found.values), chances, rtol=1e-4)
    else:  # the values are logits but for a factor and a number that is the same for all labels
        np.testing.assert_allclose(softmax(found.values * 2 / 3), chances, rtol=1e-4)


@pytest.mark.parametrize("loss", ["softmax", "hs", "ova"])
def test_the_word_that_decides_is_found(loss: str) -> None:
    found = learned(loss).explain(TEXTS[:2])
    assert [each.label for each in found] == ["good", "bad"]
    assert [each.top(1)[0].text for each in found] == ["marble", "copper"]


def test_a_certain_answer_has_weights_that_tell_words_apart() -> None:
    model = learned("softmax")
    model.model.outputs[:] *= 100
    found = model.explain(TEXTS[0])
    assert model.predict_proba([TEXTS[0]]).min() == 0
    assert len({word.weight for word in found.words}) > 3
    values = model.values([("the marble plot of the film",), ("the plot of the film",)]).values
    good = list(model.classes_).index("good")
    marble = next(word.weight for word in found.words if word.text == "marble")
    assert marble == pytest.approx(values[0, good] - values[1, good], rel=1e-6)


def test_words_of_chinese_are_those_that_the_model_reads() -> None:
    pytest.importorskip("jieba")
    texts = ["我们喜欢这部电影", "我们讨厌这部电影"] * 20
    model = FastTextClassifier(**SMALL, pre_tokenizer="chinese_words")
    found = model.fit(texts, ["good", "bad"] * 20).explain("我们喜欢, 这部电影")
    assert [word.text for word in found.words] == ["我们", "喜欢", ",", "这部", "电影"]
    assert found.top(1)[0].text == "喜欢"
