"""``foretext distill --into network``: a smaller network of the same form."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from foretext.base.errors import SettingError

__all__ = ["into_network", "refuse_other_options"]

OF_NETWORK = ("layers", "width", "budget", "set", "resume")
OF_STATIC = ("num_texts", "dim", "dtype")


def refuse_other_options(into: str, given: dict[str, Any]) -> None:
    """Refuse options of the other form.

    Args:
        into: what the model becomes.
        given: the options that were given, by name.

    Raises:
        SettingError: one has no effect, or the layers of a network are missing.
    """
    others = OF_STATIC if into == "network" else OF_NETWORK
    for name in others:
        if name in given:
            raise SettingError(
                f"--{name.replace('_', '-')} has no effect on --into {into}; leave it out."
            )
    if into == "network":
        for name in ("corpus", "layers"):
            if name not in given:
                raise SettingError(f"--into network needs --{name}.")


def into_network(
    teacher: Path, output: Path, *, resume: bool = False, **options: Any
) -> dict[str, Any]:
    """Train a smaller network, and return what to say of it."""
    from foretext.pretraining.network_distillation import OPEN, distill_network
    from foretext.recipe import read_overrides

    settings = read_overrides(options.pop("set", []), OPEN)
    corpus = options.pop("corpus")
    learned = distill_network(
        teacher, corpus, output, settings=settings, resume=resume, report=True, **options
    )
    last = learned.history[-1]
    return {
        "output": str(output),
        **learned.size,
        "layers": learned.recipe.parts["backbone"].settings()["num_layers"],
        "loss": last.get("loss"),
        "valid_loss": last.get("valid_loss"),
        "seconds": last["time"],
    }
