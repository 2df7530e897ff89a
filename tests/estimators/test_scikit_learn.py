"""Our classifiers of texts under the tools of scikit-learn, and its own checks of estimators.

Its checks give estimators arrays of numbers. Where a check says something of classifiers of texts,
too, it runs here with a text for each row of numbers; where not, the table says why.
"""

import pickle
import warnings
from typing import Any

import numpy as np
import pytest
import sklearn
from numpy.typing import NDArray
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
from sklearn.utils import InputTags
from sklearn.utils.estimator_checks import estimator_checks_generator

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


class OnNumbers:
    """Lets a classifier of texts take rows of numbers, each as a text of words for its cells."""

    def fit(self, X: Any, y: Any) -> Any:  # noqa: N803  its name
        return super().fit(_texts(X), y)  # type: ignore[misc]

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: N803
        return np.asarray(super().predict(_texts(X)))  # type: ignore[misc]

    def predict_proba(self, X: Any) -> NDArray[Any]:  # noqa: N803
        return super().predict_proba(_texts(X))  # type: ignore[misc,no-any-return]

    def score(self, X: Any, y: Any) -> float:  # noqa: N803
        return super().score(_texts(X), y)  # type: ignore[misc,no-any-return]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags = InputTags()
        return tags


def _texts(rows: Any) -> list[str]:
    return [
        " ".join(f"f{column}v{round(float(value) * 2)}".replace("-", "m") for column, value in row)
        for row in map(enumerate, np.asarray(rows))
    ]


class LinearOnNumbers(OnNumbers, ft.LinearClassifier):
    pass


RUNS = "runs"
NUMBERS = "is about arrays of numbers, their columns, types or missing values; X are texts here"
AT_ONCE = "our constructors and set_params refuse a wrong setting at once, with a sentence"
CHECKS = {
    "check_array_api_input": NUMBERS,
    "check_classifier_data_not_an_array": RUNS,
    "check_classifiers_classes": RUNS,
    "check_classifiers_one_label": "a single label is refused: nothing can be learned from it",
    "check_classifiers_one_label_sample_weights": "there are no sample weights",
    "check_classifiers_regression_target": RUNS,
    "check_classifiers_train": NUMBERS,
    "check_complex_data": NUMBERS,
    "check_decision_proba_consistency": "there is no decision_function",
    "check_dict_unchanged": RUNS,
    "check_do_not_raise_errors_in_init_or_set_params": AT_ONCE,
    "check_dont_overwrite_parameters": "what was learned has public names: weights, bias, idf",
    "check_dtype_object": NUMBERS,
    "check_estimator_cloneable": RUNS,
    "check_estimator_repr": RUNS,
    "check_estimator_sparse_array": NUMBERS,
    "check_estimator_sparse_matrix": NUMBERS,
    "check_estimator_sparse_tag": NUMBERS,
    "check_estimator_tags_renamed": RUNS,
    "check_estimators_dtypes": NUMBERS,
    "check_estimators_empty_data_messages": NUMBERS,
    "check_estimators_fit_returns_self": RUNS,
    "check_estimators_nan_inf": NUMBERS,
    "check_estimators_overwrite_params": RUNS,
    "check_estimators_partial_fit_n_features": "there is no partial_fit",
    "check_estimators_pickle": RUNS,
    "check_estimators_unfitted": RUNS,
    "check_f_contiguous_array_estimator": NUMBERS,
    "check_fit1d": NUMBERS,
    "check_fit2d_1feature": NUMBERS,
    "check_fit2d_1sample": RUNS,
    "check_fit2d_predict1d": NUMBERS,
    "check_fit_check_is_fitted": RUNS,
    "check_fit_idempotent": RUNS,
    "check_fit_score_takes_y": RUNS,
    "check_get_params_invariance": RUNS,
    "check_methods_sample_order_invariance": RUNS,
    "check_methods_subset_invariance": RUNS,
    "check_mixin_order": RUNS,
    "check_n_features_in": NUMBERS,
    "check_n_features_in_after_fitting": NUMBERS,
    "check_no_attributes_set_in_init": "settings are kept checked, as `config`",
    "check_non_transformer_estimators_n_iter": RUNS,
    "check_parameters_default_constructible": RUNS,
    "check_pipeline_consistency": RUNS,
    "check_positive_only_tag_during_fit": NUMBERS,
    "check_readonly_memmap_input": NUMBERS,
    "check_requires_y_none": "a missing y is a sentence of our own",
    "check_set_params": AT_ONCE,
    "check_supervised_y_2d": "a column of labels is taken as it is, without a warning",
    "check_supervised_y_no_nan": RUNS,
    "check_valid_tag_types": RUNS,
}
with warnings.catch_warnings():  # that it is no BaseEstimator: it has the same methods
    warnings.simplefilter("ignore", UserWarning)
    ITS_CHECKS = list(estimator_checks_generator(LinearOnNumbers()))


def name_of(check: Any) -> str:
    return str(getattr(check, "func", check).__name__)


@pytest.mark.skipif(sklearn.__version__[:3] != "1.9", reason="the table is that of version 1.9")
def test_every_check_of_the_suite_is_decided_on() -> None:
    assert {name_of(check) for _, check in ITS_CHECKS} == set(CHECKS)


@pytest.mark.parametrize(
    ("estimator", "check"),
    [each for each in ITS_CHECKS if CHECKS.get(name_of(each[1])) == RUNS],
    ids=lambda each: name_of(each) if callable(each) else "linear",
)
@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::UserWarning")
def test_a_check_of_the_suite_passes(estimator: Any, check: Any) -> None:
    check(estimator)
