"""Classifiers of texts under the tools of scikit-learn; its checks are in `test_text_checks`."""

import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
)
from sklearn.pipeline import Pipeline

import foretext as ft

KINDS = ("ship sea", "judge court", "cow farm")
X = [f"{KINDS[row % 3]} number {row}" for row in range(36)]
LABELS: dict[str, Any] = {
    "texts": ["sea", "court", "farm"] * 12,
    "whole numbers": [2, 0, 10] * 12,
    "booleans": [True, False, False] * 12,
    "numpy": np.array([2, 0, 10] * 12, np.int32),
    "numpy texts": np.array(["sea", "court", "farm"] * 12),
    "objects": np.array(["sea", "court", "farm"] * 12, object),
}
ESTIMATORS = {
    "linear": lambda: ft.LinearClassifier(),
    "fasttext": lambda: ft.FastTextClassifier(dim=16, lr=0.5, epochs=50, bucket=1000, workers=1),
}


@pytest.mark.quick_cases(5)
@pytest.mark.parametrize("base", ESTIMATORS)
@pytest.mark.parametrize("kind", LABELS)
def test_its_tools_take_labels_of_any_type(base: str, kind: str) -> None:
    estimator, y, folds = ESTIMATORS[base](), LABELS[kind], StratifiedKFold(2)
    scores = cross_val_score(estimator, X, y, cv=folds, error_score="raise")
    assert scores.tolist() == [1.0, 1.0]
    shares = cross_val_predict(estimator, X, y, cv=folds, method="predict_proba")
    assert np.unique(y)[shares.argmax(1)].tolist() == list(y)
    search = GridSearchCV(estimator, {"seed": [1, 2]}, cv=folds, error_score="raise").fit(X, y)
    assert search.best_score_ == 1.0
    assert search.score(X, y) == 1.0
    pipeline = Pipeline([("classifier", clone(estimator))]).fit(X, y)
    assert pipeline.score(X, y) == 1.0
    assert pipeline.predict(X[:1])[0] == y[0]
    assert pipeline.classes_.tolist() == np.unique(y).tolist()


@pytest.mark.parametrize("ensemble", [True, False])
@pytest.mark.parametrize("kind", ["texts", "whole numbers", "booleans"])
def test_probabilities_are_calibrated(kind: str, ensemble: bool) -> None:
    y = LABELS[kind]
    calibrated = CalibratedClassifierCV(ft.LinearClassifier(), cv=2, ensemble=ensemble).fit(X, y)
    assert calibrated.classes_.tolist() == sorted(set(y))
    assert calibrated.predict(X).tolist() == y
    assert np.allclose(calibrated.predict_proba(X).sum(1), 1)


def test_a_pipeline_of_vectors_takes_them_too() -> None:
    from sklearn.linear_model import LogisticRegression

    vectors = ft.Word2Vec(vector_size=8, min_count=1, epochs=20, workers=1)
    for y in (LABELS["whole numbers"], LABELS["booleans"]):
        pipeline = Pipeline([("vectors", clone(vectors)), ("regression", LogisticRegression())])
        assert set(pipeline.fit(X, y).predict(X).tolist()) <= set(y)


def test_what_has_learned_nothing_is_not_fitted() -> None:
    for estimator in (ft.LinearClassifier(), ft.FastTextClassifier()):
        with pytest.raises(NotFittedError, match="learned nothing yet; call fit first") as caught:
            estimator.predict(["a"])
        assert isinstance(caught.value, ft.ForetextError)
        again = pickle.loads(pickle.dumps(caught.value))
        assert (type(again), str(again)) == (type(caught.value), str(caught.value))
    with pytest.raises(NotFittedError, match="learned nothing yet"):
        ft.Word2Vec().transform(["a"])
