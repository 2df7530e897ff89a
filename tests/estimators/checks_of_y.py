"""scikit-learn's checks of classes and of the weights of rows, said again on texts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from tests.estimators.case import Case, NotAnArray, assert_same, objects, refused


def check_classifier_data_not_an_array(case: Case) -> None:
    X, y = NotAnArray(objects(case.X)), NotAnArray(objects(case.y or []))
    assert_same(case.answered(case.fit(X=X, y=y)), case.answered(case.fit()))


def check_classifiers_classes(case: Case) -> None:
    """Classes of any type come back as they came, sorted."""
    names = sorted(set(case.y or []))
    for kind in (["a", "b", "c"], [10, 2, 7], [True, False, True]):
        own = dict(zip(names, kind, strict=False))
        y = [own[each] for each in case.y or []]
        for given in (y, np.array(y), objects(y)):
            estimator = case.fit(y=given)
            assert estimator.classes_.tolist() == sorted(set(y))
            assert estimator.classes_.dtype == np.array(y).dtype
            found = estimator.predict(case.X)
            assert isinstance(found, np.ndarray)
            assert found.shape == (len(case.X),)
            assert found.dtype == estimator.classes_.dtype
            assert set(found.tolist()) <= set(y)


def check_classifiers_one_label(case: Case) -> None:
    with pytest.raises(ValueError, match=r"class|label"):
        case.fit(y=[(case.y or [])[0]] * len(case.X))


def check_classifiers_one_label_sample_weights(case: Case) -> None:
    weights = [1.0 if label == (case.y or [])[0] else 0.0 for label in case.y or []]
    with pytest.raises(ValueError, match=r"class|label"):
        case.fit(sample_weight=weights)


def check_classifiers_regression_target(case: Case) -> None:
    with pytest.raises(ValueError, match="continuous"):
        case.fit(y=np.linspace(0.05, 0.95, len(case.X)))


def check_classifiers_train(case: Case) -> None:
    estimator = case.fit()
    num_classes = len(set(case.y or []))
    assert estimator.score(case.X, case.y) > 0.83
    with pytest.raises(ValueError, match="do not go together"):
        case.fit(y=(case.y or [])[:-1])
    shares = estimator.predict_proba(case.X)
    assert shares.shape == (len(case.X), num_classes)
    assert estimator.classes_[shares.argmax(1)].tolist() == estimator.predict(case.X).tolist()
    np.testing.assert_allclose(shares.sum(1), 1, atol=1e-5)
    np.testing.assert_allclose(
        estimator.predict_log_proba(case.X), np.log(np.maximum(shares, 1e-300)), atol=1e-5
    )
    decided = estimator.decision_function(case.X)
    assert decided.shape == ((len(case.X),) if num_classes == 2 else shares.shape)
    best = (decided > 0).astype(int) if num_classes == 2 else decided.argmax(1)
    assert estimator.classes_[best].tolist() == estimator.predict(case.X).tolist()


def check_decision_proba_consistency(case: Case) -> None:
    y = [label == (case.y or [])[0] for label in case.y or []]
    estimator = case.fit(y=y)
    decided, shares = estimator.decision_function(case.X), estimator.predict_proba(case.X)[:, 1]
    order = np.argsort(decided, kind="stable")
    assert (np.diff(shares[order]) >= -1e-6).all()


def check_requires_y_none(case: Case) -> None:
    with pytest.raises((ValueError, TypeError), match=r"labels|None|answers|tags"):
        case.make().fit(case.X, None)


def check_supervised_y_2d(case: Case) -> None:
    """A column of labels is refused, or taken as the labels it holds."""
    column = np.array(case.y)[:, None]
    if not refused(lambda: case.fit(y=column)):
        assert_same(case.answered(case.fit(y=column)), case.answered(case.fit()))


def check_supervised_y_no_nan(case: Case) -> None:
    for wrong in (float("nan"), float("inf"), None):
        with pytest.raises(ValueError, match=r"\b3\b|inf|nan|continuous"):
            case.fit(y=objects([*(case.y or [])[:2], wrong, *(case.y or [])[3:]]))


def check_all_zero_sample_weights_error(case: Case) -> None:
    with pytest.raises(ValueError, match="sample_weight has no number above 0"):
        case.fit(sample_weight=np.zeros(len(case.X)))


def check_class_weight_classifiers(case: Case) -> None:
    """A class that weighs much more is predicted for all that could be either."""
    X, y = ["same words"] * 20, ["a", "b"] * 10
    for heavy, light in (("a", "b"), ("b", "a")):
        estimator = case.make().set_params(class_weight={heavy: 1000, light: 0.001})
        assert set(estimator.fit(X, y).predict(X).tolist()) == {heavy}
    some = case.make().set_params(class_weight={"a": 3, "absent": 2}).fit(X, y)
    assert set(some.predict(X).tolist()) == {"a"}
    with pytest.raises(ValueError, match="class_weight names 'd'"):
        case.make().set_params(class_weight={"d": 1, "e": 1}).fit(X, y)


def check_class_weight_balanced_linear_classifier(case: Case) -> None:
    """It is the same as the weights that it stands for."""
    X, y = case.X[:9], ["a"] * 6 + ["b"] * 3
    balanced = case.make().set_params(class_weight="balanced").fit(X, y)
    given = case.make().set_params(class_weight={"a": 9 / 12, "b": 9 / 6}).fit(X, y)
    assert_same(case.answered(balanced), case.answered(given))
    assert (
        balanced.predict_proba(["unknown"])[0, 1]
        > case.make().fit(X, y).predict_proba(["unknown"])[0, 1]
    )


def check_sample_weights_list(case: Case) -> None:
    weights = [1.0, 2.0] * (len(case.X) // 2)
    expected = case.answered(case.fit(sample_weight=np.array(weights)))
    assert_same(case.answered(case.fit(sample_weight=weights)), expected)


def check_sample_weights_not_an_array(case: Case) -> None:
    weights = np.array([1.0, 2.0] * (len(case.X) // 2))
    expected = case.answered(case.fit(sample_weight=weights))
    assert_same(case.answered(case.fit(sample_weight=NotAnArray(weights))), expected)


def check_sample_weights_pandas_series(case: Case) -> None:
    weights = pd.Series([1.0, 2.0] * (len(case.X) // 2), index=range(5, 5 + len(case.X)))
    expected = case.answered(case.fit(sample_weight=weights.to_numpy()))
    assert_same(case.answered(case.fit(sample_weight=weights)), expected)


def check_sample_weights_not_overwritten(case: Case) -> None:
    weights = np.array([0.0] + [2.0] * (len(case.X) - 1))
    before = weights.copy()
    case.fit(sample_weight=weights)
    np.testing.assert_array_equal(weights, before)


def check_sample_weights_shape(case: Case) -> None:
    for wrong in (np.ones((len(case.X), 2)), np.ones(len(case.X) - 1)):
        with pytest.raises(ValueError, match="give a number for each row"):
            case.fit(sample_weight=wrong)
    for number in (-1.0, np.nan, np.inf):
        with pytest.raises(ValueError, match="sample_weight 1 is"):
            case.fit(sample_weight=[number] + [1.0] * (len(case.X) - 1))


def check_sample_weight_equivalence_on_dense_data(case: Case) -> None:
    """A weight of 2 is a row twice, and one of 0 is no row."""
    weights = np.random.default_rng(0).integers(0, 3, len(case.X))
    weights[: len(set(case.y or []))] = 1
    repeated = np.repeat(np.arange(len(case.X)), weights)
    X, y = [case.X[row] for row in repeated], [(case.y or [])[row] for row in repeated]
    fine = _finely(case)
    weighed = clone(fine).fit(case.X, case.y, sample_weight=weights)
    assert_same(case.answered(weighed), case.answered(clone(fine).fit(X, y)), atol=1e-3)


def _finely(case: Case) -> Any:
    estimator = case.make()
    precise = {"tolerance": 1e-9, "max_passes": 20_000}
    return estimator.set_params(
        **{name: value for name, value in precise.items() if name in estimator.get_params()}
    )
