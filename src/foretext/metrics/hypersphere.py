"""How vectors of length 1 lie on their sphere (Wang and Isola 2020, section 4).

Alignment is the mean squared distance of texts that belong together. Uniformity is the logarithm of
the mean of exp(-2 x squared distance) over all pairs of texts: lowest where they are spread over
the whole sphere, and 0 where all are one point. Lower is better for both.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

__all__ = ["alignment", "uniformity"]


def alignment(cosines: ArrayLike) -> float:
    """Return the mean squared distance of pairs with these cosines, (N,); 0 of none."""
    distances = 2 - 2 * np.asarray(cosines, np.float64)
    return float(distances.mean()) if distances.size else 0.0


def uniformity(cosines: ArrayLike) -> float:
    """Return the uniformity of N texts from the cosines of all with all, (N, N); 0 of one."""
    table = np.asarray(cosines, np.float64)
    above = table[np.triu_indices(len(table), 1)]
    return float(np.log(np.exp(-2 * (2 - 2 * above)).mean())) if above.size else 0.0
