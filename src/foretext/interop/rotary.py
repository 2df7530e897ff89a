"""Rotary positions in a config.json, as old and new releases write them."""

from __future__ import annotations

from typing import Any

__all__ = ["read_rotary"]


def read_rotary(theirs: dict[str, Any], kind: str | None, older: str, default: float) -> float:
    """Return the base of the rotations.

    Args:
        theirs: a config.json.
        kind: of layer, where ``rope_parameters`` has an entry for each kind.
        older: name of the setting in releases without ``rope_parameters``.
        default: where config.json does not say it.

    Raises:
        ValueError: with half a sentence, positions are scaled, or a part of each head rotates.
    """
    said = theirs.get("rope_parameters") or {}
    said = said.get(kind) or {} if kind is not None else said
    if not isinstance(said, dict):
        raise ValueError(  # noqa: TRY004  like all wrong settings
            f"rope_parameters of {kind} = {said!r} is not supported"
        )
    scaling = theirs.get("rope_scaling") or {}
    found = said.get("rope_type", scaling.get("rope_type", scaling.get("type", "default")))
    if found != "default":
        raise ValueError(f"rotary positions of type {found!r} are not supported, only 'default' is")
    if theirs.get("partial_rotary_factor", said.get("partial_rotary_factor", 1.0)) != 1.0:
        raise ValueError("rotation of a part of each head is not supported")
    base: float = said.get("rope_theta", theirs.get(older, default))
    return base
