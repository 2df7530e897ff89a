"""Which answers to an input are returned."""

from __future__ import annotations

from typing import NamedTuple

from foretext.base.errors import SettingError

__all__ = ["Top", "refuse_options"]


class Top(NamedTuple):
    """Which answers to an input are returned."""

    k: int | None = 1  # at most so many; None: any number
    threshold: float = 0.0  # least probability of each


def refuse_options(what: str, k: int | None, threshold: float | None) -> None:
    """Refuse options that are given and have no effect on `what`.

    Raises:
        SettingError: one is given.
    """
    for option, given in (("-k", k), ("--threshold", threshold)):
        if given is not None:
            raise SettingError(f"{option} has no effect on {what}; leave it out.")
