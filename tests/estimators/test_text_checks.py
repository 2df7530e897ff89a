"""Every check of scikit-learn, by name, on every estimator of texts: it passes, or cannot apply."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
import sklearn
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import estimator_checks_generator

from tests.estimators.case import Case
from tests.estimators.text_cases import CLASSIFIERS, SLOW, TRANSFORMERS
from tests.estimators.text_checks import NOT_OF_TEXTS, ON_TEXTS

MORE = {  # functions of its module that are run on transformers beside the list
    "check_set_output_transform",
    "check_set_output_transform_pandas",
    "check_global_output_transform_pandas",
    "check_transformer_get_feature_names_out",
}


def names_of(estimator: Any) -> set[str]:
    """Return the names of its checks of an estimator."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        checks = [check for _, check in estimator_checks_generator(estimator)]
    return {str(getattr(check, "func", check).__name__) for check in checks}


OF_CLASSIFIERS, OF_TRANSFORMERS = names_of(LogisticRegression()), names_of(PCA()) | MORE


def asked(case: Case) -> list[str]:
    """Return the names of the checks of a case."""
    names = OF_TRANSFORMERS if case.y is None else OF_CLASSIFIERS
    return sorted(names - NOT_OF_TEXTS.keys())


CASES = [(case, name) for case in [*CLASSIFIERS, *TRANSFORMERS] for name in asked(case)]


@pytest.mark.skipif(sklearn.__version__[:3] != "1.9", reason="the table is that of version 1.9")
def test_every_check_is_on_texts_or_of_numbers() -> None:
    assert ON_TEXTS.keys() | NOT_OF_TEXTS.keys() == OF_CLASSIFIERS | OF_TRANSFORMERS
    assert not ON_TEXTS.keys() & NOT_OF_TEXTS.keys()
    for case in [*CLASSIFIERS, *TRANSFORMERS]:
        assert set(case.exempt) <= set(asked(case))


@pytest.mark.parametrize(
    ("case", "name"),
    [
        pytest.param(
            case, name, id=f"{case}-{name}", marks=pytest.mark.slow if case in SLOW else ()
        )
        for case, name in CASES
        if name not in case.exempt
    ],
)
@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::FutureWarning")
def test_a_check_passes(case: Case, name: str) -> None:
    ON_TEXTS[name](case)
