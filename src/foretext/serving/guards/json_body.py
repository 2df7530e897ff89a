"""JSON that different readers would read differently, or that costs far more than its bytes.

Python's reader takes NaN, keys that come twice and half characters, and an empty list of two bytes
becomes an object of 56. All that is refused here, before anything else sees it (RFC 8259, sections
4, 8.1 and 9).
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, NoReturn

from foretext.base.errors import ForetextError

__all__ = ["MAX_DEPTH", "OddJsonError", "check_json"]

MAX_DEPTH = 32  # lists and objects within each other
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_HALF = re.compile(r"[\ud800-\udfff]")


class OddJsonError(ForetextError):
    """A body that is no JSON, or such that no client should send it."""


def check_json(body: bytes, max_values: int) -> None:
    """Refuse a body that is not plain JSON.

    Args:
        body: the whole body.
        max_values: numbers, texts, lists and objects that it may hold, all together.

    Raises:
        OddJsonError: the sentence says what is wrong; it repeats nothing of the body.
    """
    _check_size(body, max_values)
    try:
        text = body.decode("utf-8")
        value = _DECODER.decode(text)
    except UnicodeDecodeError:
        raise OddJsonError("The body is not UTF-8; encode JSON as UTF-8.") from None
    except json.JSONDecodeError as error:
        raise OddJsonError(f"The body is not JSON: {error.msg} at character {error.pos}.") from None
    except RecursionError:
        raise _too_deep() from None
    except ValueError:
        raise OddJsonError("The body has a number of thousands of digits.") from None
    if b"\\ud" in body or b"\\uD" in body:  # the only way for half a character
        _check_characters(value)


def _check_size(body: bytes, max_values: int) -> None:
    """Count values and depth without making a value; strings are left out where it matters."""
    num_openings = body.count(b"[") + body.count(b"{")
    if num_openings <= MAX_DEPTH and body.count(b",") < max_values:
        return
    bare = _STRING.sub(b"", body)
    num_values = bare.count(b",") + bare.count(b"[") + bare.count(b"{")
    if num_values > max_values:
        raise OddJsonError(
            f"The body has more than {max_values:,} values; send fewer in a request."
        )
    depth = 0
    for byte in re.findall(rb"[\[\]{}]", bare):
        depth += 1 if byte in b"[{" else -1
        if depth > MAX_DEPTH:
            raise _too_deep()


def _check_characters(value: Any) -> None:
    """Refuse texts with half a character, which no encoding of Unicode can write."""
    if isinstance(value, str):
        if _HALF.search(value):
            raise OddJsonError(
                "The body has half a character (a lone surrogate such as \\ud800); write the "
                "character itself, or both halves."
            )
    elif isinstance(value, dict):
        for key, held in value.items():
            _check_characters(key)
            _check_characters(held)
    elif isinstance(value, list):
        for held in value:
            _check_characters(held)


def _too_deep() -> OddJsonError:
    return OddJsonError(f"The body has more than {MAX_DEPTH} lists or objects within each other.")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        raise OddJsonError("An object of the body has the same key twice.")
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise OddJsonError(f"The body has {name}, which JSON has no number for.")


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise OddJsonError("The body has a number beyond the range of a double.")
    return value


_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique, parse_constant=_refuse_constant, parse_float=_finite
)
