"""Settings that the user gives to one candidate, sorted by what they set up."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from foretext.base.errors import SettingError
from foretext.base.registry import imported
from foretext.comparison.candidate import Candidate, Sections
from foretext.finetuning.recipe import LENGTHS, SECTIONS
from foretext.recipe import Recipe

__all__ = ["configured"]

# Sections of a candidate's pretraining. [training] is that of the fine-tuning.
OF_PRETRAINING = {
    "vectors": ("corpus", "tokenizer", "data", "vectors"),
    "pretrained": ("corpus", "tokenizer", "data", "backbone", "objective"),
}
TIMED = ("training", "vectors")  # sections of what learns until its time is over
CHECKED = {
    "finetuning": "foretext.finetuning.settings:FinetuningConfig",
    "training": "foretext.training.settings:TrainingConfig",  # imports PyTorch
}


def configured(candidate: Candidate, sections: Sections) -> Candidate:
    """Return a candidate with settings of the user's over its own.

    Args:
        candidate: any.
        sections: settings of its pretraining and of its fine-tuning; [training] is that of the
            fine-tuning.

    Raises:
        SettingError: it has no such section; a setting is unknown or wrong, or a length of time.
    """
    own = OF_PRETRAINING.get(candidate.group, ()) if candidate.pretrains else ()
    for name, values in sections.items():
        _check(f"--set '{candidate.name}:{name}", name, values, own)
    pretraining = {name: values for name, values in sections.items() if name in own}
    others = {name: values for name, values in sections.items() if name not in own}
    found = replace(
        candidate,
        pretraining=_over(candidate.pretraining, pretraining),
        settings=_over(candidate.settings, others),
    )
    if found.recipe is not None and pretraining:
        _check_recipe(found.recipe, found.pretraining)
    return found


def _check(option: str, section: str, values: Mapping[str, Any], own: Sequence[str]) -> None:
    """Refuse a section that a candidate does not have, and settings that can have no effect.

    Args:
        option: what the user wrote.
        section: its name.
        values: its settings.
        own: sections of the candidate's pretraining.

    Raises:
        SettingError: there is such a one.
    """
    known = {*own, *SECTIONS} - {"rows"}
    if section not in known:
        raise SettingError(
            f"{option}': a candidate has no such section. There are: {', '.join(sorted(known))}."
        )
    if lengths := sorted(LENGTHS & values.keys() if section in TIMED else ()):
        raise SettingError(
            f"{option}.{lengths[0]}': the budget of a comparison says how long everybody learns; "
            "leave it out."
        )
    if section not in own and section in CHECKED:
        imported(CHECKED[section]).checked(dict(values), section)


def _over(sections: Sections, chosen: Sections) -> dict[str, dict[str, Any]]:
    merged = {name: dict(values) for name, values in sections.items()}
    for name, values in chosen.items():
        merged.setdefault(name, {}).update(values)
    return merged


def _check_recipe(recipe: str, sections: Sections) -> None:
    """Refuse what the recipe does not have, before anything is trained by it."""
    assignments = [
        f"{section}.{name}={json.dumps(value, ensure_ascii=False)}"
        for section, values in sections.items()
        for name, value in values.items()
    ]
    Recipe.load(recipe, assignments)
