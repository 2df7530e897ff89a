"""scikit-learn's own checks of estimators on `Autoencoder`, which learns from arrays of numbers."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
from sklearn.utils.estimator_checks import estimator_checks_generator

import foretext as ft
from tests.estimators.case import Case
from tests.estimators.checks_of_transformers import (
    check_global_output_transform_pandas,
    check_set_output_transform,
    check_transformer_get_feature_names_out,
)

OTHER_LIBRARIES = {"check_array_api_input"}  # skipped unless SCIPY_ARRAY_API is set


def linear() -> ft.Autoencoder:
    return ft.Autoencoder("linear", dim=2, epochs=3.0)


with warnings.catch_warnings():  # that it is no BaseEstimator: it has the same methods
    warnings.simplefilter("ignore", UserWarning)
    CHECKS = [
        (estimator, check)
        for estimator, check in estimator_checks_generator(linear())
        if getattr(check, "func", check).__name__ not in OTHER_LIBRARIES
    ]


@pytest.mark.parametrize(
    ("estimator", "check"),
    CHECKS,
    ids=lambda each: getattr(each, "func", each).__name__ if callable(each) else "linear",
)
@pytest.mark.filterwarnings("ignore")
def test_a_check_passes(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize(
    "check",
    [
        check_set_output_transform,
        check_global_output_transform_pandas,
        check_transformer_get_feature_names_out,
    ],
)
def test_codes_in_tables(check: Any) -> None:
    rows = [[float(row % 3), row / 9.0, 1.0] for row in range(18)]
    check(Case("autoencoder", linear, rows, None, ("transform",)))


def test_images_have_no_number_of_columns() -> None:
    import numpy as np

    fitted = linear().fit(np.random.default_rng(0).random((8, 4, 4)), quiet=True)
    assert not hasattr(fitted, "n_features_in_")
    with pytest.raises(AttributeError, match="have no number of columns"):
        _ = fitted.n_features_in_
