"""Logistic regression on sparse rows: one regression, or one for each label."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.progress.bar import Progress
from foretext.progress.run_context import RunContext
from foretext.tasks.classification.linear_storage import LinearConfig
from foretext.tasks.row_weights import refuse_strange_classes, row_weights

__all__ = ["Regressions", "learn_regressions"]

_CERTAIN = 20.0  # the logit of a label that every text has


class Regressions(NamedTuple):
    """What was learned of F features and C labels."""

    weights: NDArray[np.float32]  # (F, C), (F, 1) of two labels of which one is right
    bias: NDArray[np.float32]  # (C,) or (1,)
    num_passes: int  # over the rows, of the regression that took the most


def learn_regressions(
    matrix: Any,  # (N, F), sparse
    sets: Sequence[tuple[str, ...]],  # N, the right labels of each row
    labels: Sequence[str],  # C
    config: LinearConfig,
    *,
    is_multi_label: bool,
    sample_weight: NDArray[np.float64] | None = None,  # (N,)
    context: RunContext | None = None,
) -> Regressions:
    """Learn one regression of all labels or, of rows with several labels, one for each label.

    The second kind shows its progress, a label after the other, where the context shows any.

    Raises:
        SettingError: a class is weighed that no row has.
    """
    refuse_strange_classes(config.class_weight, labels)
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression

    regression = LogisticRegression(
        C=config.inverse_penalty,
        solver="sag",  # on these rows ten times as fast as lbfgs
        tol=config.tolerance,
        max_iter=config.max_passes,
        random_state=config.seed,
    )
    targets: list[list[Any]]  # a regression each
    if is_multi_label:
        targets = [[label in own for own in sets] for label in labels]
        names: list[Sequence[str | None]] = [(None, label) for label in labels]
    else:
        places = {label: place for place, label in enumerate(labels)}
        targets, names = [[places[label] for (label,) in sets]], [labels]
    coefficients, biases, passes = [], [], []
    quiet = context is None or context.quiet or not is_multi_label
    title = "" if context is None else context.title
    bar = Progress(title, len(targets), "labels", quiet=quiet)
    with bar, warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # it may stop early
        warnings.simplefilter("ignore", UserWarning)  # of many labels, which a note says better
        for target, own in zip(targets, names, strict=True):
            if len(set(target)) == 1:
                coefficients.append(np.zeros((1, matrix.shape[1])))
                biases.append(np.array([_CERTAIN]))
            else:
                weights = row_weights(target, own, config.class_weight, sample_weight)
                regression.fit(matrix, target, sample_weight=weights)
                coefficients.append(regression.coef_)
                biases.append(regression.intercept_)
                passes.append(int(max(regression.n_iter_)))
            bar.advance(1)
    found = np.ascontiguousarray(np.concatenate(coefficients).T, np.float32)
    return Regressions(found, np.concatenate(biases).astype(np.float32), max(passes, default=0))
