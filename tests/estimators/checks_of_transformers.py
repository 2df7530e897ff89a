"""scikit-learn's checks of transformers, said again on texts."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags

from tests.estimators.case import Case, NotAnArray, assert_same, held, objects


def check_transformer_data_not_an_array(case: Case) -> None:
    X = NotAnArray(objects(case.X))
    assert_same(case.answered(case.fit(X=X), X), case.answered(case.fit()))


def check_transformer_general(case: Case) -> None:
    """`fit_transform` is `fit` and `transform`, and a generator is read once."""
    expected = case.answered(case.fit())
    for X in (case.X, tuple(case.X), (each for each in case.X)):
        assert_same({"transform": held(case.make().fit_transform(X, case.y))}, expected)


def check_transformer_preserve_dtypes(case: Case) -> None:
    """Of texts there is no type to preserve: vectors are float32."""
    assert get_tags(case.make()).transformer_tags.preserves_dtype == []
    assert case.answered(case.fit())["transform"].dtype == np.float32


def check_set_output_transform(case: Case) -> None:
    estimator = case.fit()
    plain = estimator.transform(case.X)
    assert estimator.set_output(transform="default") is estimator
    np.testing.assert_array_equal(plain, estimator.transform(case.X))


def check_set_output_transform_pandas(case: Case) -> None:
    plain = case.fit().transform(case.X)
    index = [f"row {number}" for number in range(len(case.X))]
    for estimator in (case.fit(), clone(case.make().set_output(transform="pandas"))):
        estimator.set_output(transform="pandas")
        X = pd.Series(case.X, index=index)
        for table in (case.fit(estimator, X=X).transform(X), estimator.fit_transform(X, case.y)):
            assert isinstance(table, pd.DataFrame)
            assert table.index.tolist() == index
            assert table.columns.tolist() == estimator.get_feature_names_out().tolist()
            np.testing.assert_allclose(table.to_numpy(), plain, atol=1e-6)


def check_global_output_transform_pandas(case: Case) -> None:
    import sklearn

    estimator = case.fit()
    with sklearn.config_context(transform_output="pandas"):
        assert isinstance(estimator.transform(case.X), pd.DataFrame)
    assert isinstance(estimator.transform(case.X), np.ndarray)


def check_transformer_get_feature_names_out(case: Case) -> None:
    with pytest.raises(NotFittedError):
        case.make().get_feature_names_out()
    estimator = case.fit()
    names = estimator.get_feature_names_out()
    assert names.dtype == object
    assert len(set(names)) == len(names) == estimator.transform(case.X).shape[1]
