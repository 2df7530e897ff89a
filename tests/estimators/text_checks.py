"""scikit-learn's checks of estimators, by name, in a form on texts.

Its own checks give estimators arrays of random numbers, and run on text one check alone. Here each
is said again with texts, pairs or lists of words; those that look at no data run as they are.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.estimators import checks_of_transformers, checks_of_x, checks_of_y
from tests.estimators.case import Case
from tests.lazy_import import lazy_import

estimator_checks = lazy_import("sklearn.utils.estimator_checks")


def as_it_is(name: str) -> Callable[[Case], None]:
    def check(case: Case) -> None:
        getattr(estimator_checks, name)(type(case.make()).__name__, case.make())

    return check


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
    **{
        name: check
        for module in (checks_of_x, checks_of_y, checks_of_transformers)
        for name, check in vars(module).items()
        if name.startswith("check_")
    },
    "check_transformers_unfitted": checks_of_x.check_estimators_unfitted,
}

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
