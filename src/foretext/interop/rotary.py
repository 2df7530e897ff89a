"""What a config.json says of rotary positions, in either of the ways that there are."""

from __future__ import annotations

from typing import Any

__all__ = ["read_rotary"]


def read_rotary(theirs: dict[str, Any], kind: str | None, older: str, default: float) -> float:
    """Return the base of the rotations.

    Args:
        theirs: a config.json.
        kind: of layer whose entry of ``rope_parameters`` is meant, where they are told apart.
        older: name of the setting before there were ``rope_parameters``.
        default: where nothing is said.

    Raises:
        ValueError: with half a sentence, positions are scaled, or only a part of a head rotates.
    """
    said = theirs.get("rope_parameters") or {}
    said = said.get(kind) or {} if kind is not None else said
    if not isinstance(said, dict):
        raise ValueError(  # noqa: TRY004  as for all that is said wrongly here
            f"rope_parameters of {kind} = {said!r} are no settings"
        )
    scaling = theirs.get("rope_scaling") or {}
    found = said.get("rope_type", scaling.get("rope_type", scaling.get("type", "default")))
    if found != "default":
        raise ValueError(f"rotary positions of type {found!r} are not supported, only 'default' is")
    if theirs.get("partial_rotary_factor", said.get("partial_rotary_factor", 1.0)) != 1.0:
        raise ValueError("rotations of a part of a head are not supported")
    base: float = said.get("rope_theta", theirs.get(older, default))
    return base
