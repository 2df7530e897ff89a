"""Elementary functions of sixteen float32 lanes, and what one number is made of them.

The definitions are in `foretext.kernels.elementary_lanes`.
"""

from __future__ import annotations

from typing import Any

from foretext.kernels.compile import Intrinsic

__all__ = ["by_sign", "exponential", "lane_max", "lane_sum", "maximum", "root"]

by_sign: Any = Intrinsic("foretext.kernels.elementary_lanes", "by_sign")
exponential: Any = Intrinsic("foretext.kernels.elementary_lanes", "exponential")
lane_max: Any = Intrinsic("foretext.kernels.elementary_lanes", "lane_max")
lane_sum: Any = Intrinsic("foretext.kernels.elementary_lanes", "lane_sum")
maximum: Any = Intrinsic("foretext.kernels.elementary_lanes", "maximum")
root: Any = Intrinsic("foretext.kernels.elementary_lanes", "root")
