"""How much each row counts in a regression: its own weight, times that of its class.

"balanced" weighs a class by N / (C * rows of the class), as scikit-learn does; rows count by their
own weights.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import SettingError, did_you_mean

__all__ = ["ClassWeight", "refuse_strange_classes", "row_weights"]

ClassWeight: TypeAlias = Literal["balanced"] | Mapping[str, float] | None
Weights: TypeAlias = NDArray[np.float64]

_SHOWN = 3  # classes in a message


def row_weights(
    targets: Sequence[int],
    names: Sequence[str | None],
    class_weight: ClassWeight,
    sample_weight: Weights | None,
) -> Weights | None:
    """Return the weight of each row, (N,); None: all count the same.

    Args:
        targets: (N,) the class of each row, by its place among the names.
        names: of C classes; None: what is no label, and weighs 1.
        class_weight: of the classes; a name that is missing weighs 1.
        sample_weight: (N,) of the rows.
    """
    if class_weight is None:
        return sample_weight
    classes = np.asarray(targets, np.int64)
    own = np.ones(len(classes)) if sample_weight is None else sample_weight
    if class_weight == "balanced":
        totals = np.bincount(classes, own, len(names))
        present = totals > 0
        each = np.divide(own.sum() / present.sum(), totals, out=np.ones(len(names)), where=present)
    else:
        each = np.array([1.0 if name is None else class_weight.get(name, 1.0) for name in names])
    found: Weights = own * each[classes]
    return found


def refuse_strange_classes(class_weight: ClassWeight, names: Sequence[str]) -> None:
    """Refuse weights none of which is of a class of the rows; a fold may lack a rare class.

    Raises:
        SettingError: all of them are of other classes.
    """
    if (
        not class_weight
        or class_weight == "balanced"
        or any(each in names for each in class_weight)
    ):
        return
    named = [*class_weight]
    listed = ", ".join(f"'{name}'" for name in named[:_SHOWN])
    more = ", ..." if len(named) > _SHOWN else ""
    raise SettingError(
        f"class_weight names {listed}{more}, and no label of the rows."
        f"{did_you_mean(named[0], names)}"
    )
