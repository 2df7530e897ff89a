"""scikit-learn's checks of estimators, by name, in a form on texts.

Its own checks give estimators arrays of random numbers, and run on text one check alone. Here each
is said again with texts, pairs or lists of words; those that look at no data run as they are.
"""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from tests.lazy_import import lazy_import

estimator_checks = lazy_import("sklearn.utils.estimator_checks")


@dataclass(frozen=True)
class Case:
    """An estimator with data that it learns in no time."""

    name: str
    make: Callable[[], Any]
    X: list[Any]
    y: list[Any] | None
    answers: tuple[str, ...]
    takes_weights: bool = False
    bad: Sequence[Any] = (None, float("nan"), 3)  # no element of X
    exempt: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.name

    def fit(self, estimator: Any = None, X: Any = None, y: Any = None, **more: Any) -> Any:  # noqa: N803
        """Return an estimator that has learned."""
        made = self.make() if estimator is None else estimator
        return made.fit(self.X if X is None else X, self.y if y is None else y, **more)

    def answered(self, estimator: Any, X: Any = None) -> dict[str, Any]:  # noqa: N803
        """Return what each method answers, as numpy or lists."""
        given = self.X if X is None else X
        return {name: _held(getattr(estimator, name)(given)) for name in self.answers}

    @property
    def classifies(self) -> bool:
        return "predict_proba" in self.answers


def _held(found: Any) -> Any:
    return found if isinstance(found, np.ndarray) else list(found)


def assert_same(left: dict[str, Any], right: dict[str, Any], atol: float = 1e-6) -> None:
    assert left.keys() == right.keys()
    for name, found in left.items():
        other = right[name]
        if isinstance(found, np.ndarray) and found.dtype.kind == "f":
            np.testing.assert_allclose(found, other, atol=atol, rtol=1e-4, err_msg=name)
        elif isinstance(found, np.ndarray):
            assert found.tolist() == other.tolist(), name
        else:
            for each, its in zip(found, other, strict=True):
                np.testing.assert_array_equal(each, its, err_msg=name)


class NotAnArray:
    """What can become an array, and is none."""

    def __init__(self, values: Any) -> None:
        self.values = values

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.values

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        raise TypeError(f"{func.__name__} is not for this")


def objects(values: Sequence[Any]) -> Any:
    """Return an array (N,) of objects, whatever they are."""
    array = np.empty(len(values), object)
    array[:] = list(values)
    return array


def refused(learn: Callable[[], Any]) -> bool:
    """Whether something is refused with a sentence."""
    try:
        learn()
    except (ValueError, TypeError) as error:
        return bool(str(error))
    return False


# --- what looks at no data: as it is


def as_it_is(name: str) -> Callable[[Case], None]:
    def check(case: Case) -> None:
        getattr(estimator_checks, name)(type(case.make()).__name__, case.make())

    return check


# --- X


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
            _held(getattr(case.make(), name)(case.X))
        assert isinstance(caught.value, ValueError)
        assert isinstance(caught.value, AttributeError)


def check_estimators_fit_returns_self(case: Case) -> None:
    estimator = case.make()
    assert case.fit(estimator) is estimator


def check_fit_check_is_fitted(case: Case) -> None:
    estimator = case.make()
    with pytest.raises(NotFittedError):
        check_is_fitted(estimator)
    check_is_fitted(case.fit(estimator))


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
        once = {"": _held(make_pipeline(case.make()).fit_transform(case.X, case.y))}
        assert_same(once, {"": _held(case.fit().transform(case.X))})


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
                _held(getattr(estimator, name)(X))


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
        if not refused(lambda method=method: _held(method(case.X[0]))):
            np.testing.assert_allclose(
                np.asarray(method(case.X[0]), float), np.asarray(method(case.X[:1])[0], float)
            ) if name != "predict" else None
            assert name != "predict" or method(case.X[0]) == method(case.X[:1])[0]


# --- y, classes and weights


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


# --- transformers


def check_transformer_data_not_an_array(case: Case) -> None:
    X = NotAnArray(objects(case.X))
    assert_same(case.answered(case.fit(X=X), X), case.answered(case.fit()))


def check_transformer_general(case: Case) -> None:
    """`fit_transform` is `fit` and `transform`, and a generator is read once."""
    expected = case.answered(case.fit())
    for X in (case.X, tuple(case.X), (each for each in case.X)):
        assert_same({"transform": _held(case.make().fit_transform(X, case.y))}, expected)


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


AS_THEY_ARE = [
    "check_do_not_raise_errors_in_init_or_set_params",
    "check_estimator_cloneable",
    "check_estimator_repr",
    "check_estimator_tags_renamed",
    "check_get_params_invariance",
    "check_mixin_order",
    "check_no_attributes_set_in_init",
    "check_non_transformer_estimators_n_iter",
    "check_parameters_default_constructible",
    "check_set_params",
    "check_transformer_n_iter",
    "check_valid_tag_types",
]
ON_TEXTS: dict[str, Callable[[Case], None]] = {
    **{name: as_it_is(name) for name in AS_THEY_ARE},
    **{name: check for name, check in globals().items() if name.startswith("check_")},
}
ON_TEXTS.pop("check_is_fitted")
ON_TEXTS["check_transformers_unfitted"] = check_estimators_unfitted

NUMBERS = "is about arrays of numbers: their columns, memory, libraries or sparse forms"
NOT_OF_TEXTS = {
    "check_array_api_input": NUMBERS,
    "check_array_api_mixed_inputs": NUMBERS,
    "check_array_api_same_namespace": NUMBERS,
    "check_estimator_sparse_array": NUMBERS,
    "check_estimator_sparse_matrix": NUMBERS,
    "check_estimator_sparse_tag": NUMBERS,
    "check_estimators_partial_fit_n_features": "counts columns of numbers; texts have none",
    "check_f_contiguous_array_estimator": NUMBERS,
    "check_n_features_in": "counts columns of numbers; texts have none, and no n_features_in_",
    "check_n_features_in_after_fitting": "counts columns of numbers; texts have none",
    "check_positive_only_tag_during_fit": NUMBERS,
    "check_sample_weight_equivalence_on_sparse_data": NUMBERS,
    "check_sparsify_coefficients": "weights are dense: files and explanations read them",
}
