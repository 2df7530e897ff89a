"""scikit-learn's checks of what is learned from, said again on texts."""

from __future__ import annotations

import inspect
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.utils.validation import check_is_fitted as refuse_unfitted

from tests.estimators.case import Case, assert_same, held, objects, refused


def check_dict_unchanged(case: Case) -> None:
    estimator = case.fit()
    before = {**vars(estimator)}
    case.answered(estimator)
    assert vars(estimator).keys() == before.keys()
    assert all(vars(estimator)[name] is before[name] for name in before)


def check_dont_overwrite_parameters(case: Case) -> None:
    estimator = case.make()
    before = {**vars(estimator)}
    case.fit(estimator)
    new = [name for name in vars(estimator) if name not in before]
    assert [name for name in new if not (name.startswith("_") or name.endswith("_"))] == []
    assert [name for name in before if vars(estimator)[name] is not before[name]] == []


def check_estimators_overwrite_params(case: Case) -> None:
    estimator = case.make()
    before = {name: pickle.dumps(value) for name, value in estimator.get_params().items()}
    case.fit(estimator)
    assert {name: pickle.dumps(value) for name, value in estimator.get_params().items()} == before


def check_estimators_pickle(case: Case) -> None:
    estimator = case.fit()
    again = pickle.loads(pickle.dumps(estimator))
    assert_same(case.answered(estimator), case.answered(again))


def check_estimators_unfitted(case: Case) -> None:
    for name in case.answers:
        with pytest.raises(NotFittedError) as caught:
            held(getattr(case.make(), name)(case.X))
        assert isinstance(caught.value, ValueError)
        assert isinstance(caught.value, AttributeError)


def check_estimators_fit_returns_self(case: Case) -> None:
    estimator = case.make()
    assert case.fit(estimator) is estimator


def check_fit_check_is_fitted(case: Case) -> None:
    estimator = case.make()
    with pytest.raises(NotFittedError):
        refuse_unfitted(estimator)
    refuse_unfitted(case.fit(estimator))


def check_fit_idempotent(case: Case) -> None:
    estimator = case.fit()
    once = case.answered(estimator)
    assert_same(once, case.answered(case.fit(estimator)))


def check_fit_score_takes_y(case: Case) -> None:
    """By position, as pipelines and searches give it; other arguments have defaults."""
    estimator = case.make()
    for name in ("fit", "fit_transform", "partial_fit", "score"):
        if (method := getattr(estimator, name, None)) is None:
            continue
        parameters = [*inspect.signature(method).parameters.values()]
        first, second, *others = parameters
        assert first.default is first.empty, name
        assert second.kind is second.POSITIONAL_OR_KEYWORD, name
        assert all(each.default is not each.empty for each in others), name


def check_methods_sample_order_invariance(case: Case) -> None:
    estimator = case.fit()
    order = np.random.default_rng(0).permutation(len(case.X))
    whole = case.answered(estimator)
    turned = case.answered(estimator, [case.X[place] for place in order])
    picked = {
        name: found[order] if isinstance(found, np.ndarray) else [found[place] for place in order]
        for name, found in whole.items()
    }
    assert_same(picked, turned)


def check_methods_subset_invariance(case: Case) -> None:
    estimator = case.fit()
    whole = case.answered(estimator)
    parts = [case.answered(estimator, [each]) for each in case.X]
    joined = {
        name: np.concatenate([part[name] for part in parts])
        if isinstance(found, np.ndarray)
        else [part[name][0] for part in parts]
        for name, found in whole.items()
    }
    assert_same(whole, joined)


def check_pipeline_consistency(case: Case) -> None:
    alone, piped = case.fit(), make_pipeline(case.make())
    piped.fit(case.X, case.y)
    if hasattr(alone, "score") and case.y is not None:
        assert piped.score(case.X, case.y) == pytest.approx(alone.score(case.X, case.y))
    if hasattr(alone, "fit_transform"):
        once = {"": held(make_pipeline(case.make()).fit_transform(case.X, case.y))}
        assert_same(once, {"": held(case.fit().transform(case.X))})


def check_readonly_memmap_input(case: Case) -> None:
    X = objects(case.X)
    X.flags.writeable = False
    y = None if case.y is None else objects(case.y)
    if y is not None:
        y.flags.writeable = False
    assert_same(case.answered(case.fit(X=X, y=y), X), case.answered(case.fit()))


def check_dtype_object(case: Case) -> None:
    assert_same(
        case.answered(case.fit(X=objects(case.X)), objects(case.X)), case.answered(case.fit())
    )
    with pytest.raises(ValueError, match="1"):
        case.fit(X=objects([{"foo": "bar"}] * len(case.X)))


def check_estimators_dtypes(case: Case) -> None:
    expected = case.answered(case.fit())
    columns = [tuple(case.X), pd.Series(case.X, index=range(7, 7 + len(case.X)))]
    if all(isinstance(each, str) for each in case.X):
        columns += [np.array(case.X), pd.Series(case.X, dtype="string")]
    for X in columns:
        assert_same(case.answered(case.fit(X=X), X), expected)


def check_complex_data(case: Case) -> None:
    with pytest.raises(ValueError, match=r"1|complex|numbers"):
        case.fit(X=np.array([1j] * len(case.X)))


def check_estimators_empty_data_messages(case: Case) -> None:
    with pytest.raises(ValueError, match=r"no (text|pair|sentence)|No corpus|No rows"):
        case.make().fit([], None if case.y is None else [])


def check_estimators_nan_inf(case: Case) -> None:
    """What is no text is refused with the number of its row, by `fit` and by every answer."""
    estimator = case.fit()
    for wrong in case.bad:
        X = [*case.X[:2], wrong, *case.X[3:]]
        with pytest.raises(ValueError, match=r"\b3\b"):
            case.fit(X=X)
        for name in case.answers:
            with pytest.raises(ValueError, match=r"\b3\b"):
                held(getattr(estimator, name)(X))


def check_fit1d(case: Case) -> None:
    with pytest.raises(ValueError, match=r"single|there is no|is a file"):
        case.make().fit("one text alone that is no list", case.y)


def check_fit2d_1feature(case: Case) -> None:
    """A column of a table is (N,); (N, 1) is refused or read as such."""
    X = objects(case.X)[:, None]
    if not refused(lambda: case.fit(X=X)):
        assert_same(case.answered(case.fit(X=X)), case.answered(case.fit()))


def check_fit2d_1sample(case: Case) -> None:
    """A single row teaches something, or is refused with a sentence."""
    y = None if case.y is None else case.y[:1]
    assert refused(lambda: case.make().fit(case.X[:1], y)) or case.y is None


def check_fit2d_predict1d(case: Case) -> None:
    """A single text has a single answer, or is refused."""
    estimator = case.fit()
    for name in case.answers:
        method = getattr(estimator, name)
        if not refused(lambda method=method: held(method(case.X[0]))):
            np.testing.assert_allclose(
                np.asarray(method(case.X[0]), float), np.asarray(method(case.X[:1])[0], float)
            ) if name != "predict" else None
            assert name != "predict" or method(case.X[0]) == method(case.X[:1])[0]
