"""Answers of tasks behind a server are those of Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from foretext.base.errors import SettingError
from foretext.serving.abilities.predict import Predict, PredictOptions
from foretext.tasks.classification.linear import LinearClassifier
from tests.serving.models import TEXTS

ONE = [(text,) for text in TEXTS]
PAIRS = list(zip(TEXTS, reversed(TEXTS), strict=True))


@pytest.mark.parametrize(
    ("name", "inputs"),
    [("classifier", ONE), ("linear", ONE), ("matcher", PAIRS), ("tagger", ONE), ("reader", PAIRS)],
)
def test_records_are_those_of_the_verb(models: dict[str, Any], name: str, inputs: Any) -> None:
    model = models[name]
    found = Predict(model).run(inputs, PredictOptions())
    assert found == model.records(inputs, model.options(None, None))


@pytest.mark.parametrize(("name", "inputs"), [("linear", TEXTS), ("matcher", PAIRS)])
def test_all_labels_have_their_whole_probability(
    models: dict[str, Any], name: str, inputs: Any
) -> None:
    model = models[name]
    items = [(each,) if isinstance(each, str) else each for each in inputs]
    found = Predict(model).run(items, PredictOptions(all_labels=True))
    for record, row in zip(found, model.predict_proba(inputs), strict=True):
        shares = {each["label"]: each["probability"] for each in record["labels"]}
        assert shares == dict(zip(model.classes_.tolist(), row.tolist(), strict=True))
        assert list(shares.values()) == sorted(shares.values(), reverse=True)


def test_raw_scores_are_logits() -> None:
    one = LinearClassifier().fit(list(TEXTS), ["land", "sea", "sea", "land"])
    for record, row in zip(
        Predict(one).run(ONE, PredictOptions(all_labels=True, raw=True)),
        one.logits(TEXTS),
        strict=True,
    ):
        logits = {each["label"]: each["logit"] for each in record["labels"]}
        assert logits["sea"] - logits["land"] == pytest.approx(row[1] - row[0])
    several = LinearClassifier().fit(list(TEXTS), [("a",), ("a", "b"), ("b",), ()])
    [record, *_] = Predict(several).run(ONE, PredictOptions(all_labels=True, raw=True))
    found = {each["label"]: each["logit"] for each in record["labels"]}
    np.testing.assert_allclose([found["a"], found["b"]], several.logits(TEXTS)[0])


def test_k_and_threshold_are_those_of_the_verb(models: dict[str, Any]) -> None:
    [record] = Predict(models["linear"]).run(ONE[:1], PredictOptions(k=2, threshold=0.5))
    assert len(record["labels"]) == 1
    with pytest.raises(SettingError, match="-k has no effect on a tagger"):
        Predict(models["tagger"]).run(ONE, PredictOptions(k=2))


@pytest.mark.parametrize(
    ("name", "item", "said"),
    [
        ("linear", ("a", "b"), "An input has 2 texts, and this model reads 1: text."),
        ("matcher", ("a",), "An input has one text, and this model reads 2: text_a, text_b."),
    ],
)
def test_inputs_of_other_models_are_refused(
    models: dict[str, Any], name: str, item: tuple[str, ...], said: str
) -> None:
    with pytest.raises(SettingError) as refused:
        Predict(models[name]).run([item], PredictOptions())
    assert str(refused.value) == said
