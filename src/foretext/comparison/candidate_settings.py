"""Settings that the user gives to one candidate, sorted by what they set up."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from foretext.comparison.candidate import Candidate, Sections
from foretext.errors import SettingError
from foretext.finetuning.recipe import SECTIONS
from foretext.recipe import Recipe
from foretext.registry import imported

__all__ = ["configured"]

# Sections of a candidate's pretraining. [training] is that of the fine-tuning.
OF_PRETRAINING = {
    "vectors": ("corpus", "tokenizer", "data", "vectors"),
    "pretrained": ("corpus", "tokenizer", "data", "backbone", "objective"),
}
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
        SettingError: it has no such section, or a setting is unknown or wrong.
    """
    own = OF_PRETRAINING.get(candidate.group, ()) if candidate.pretrains else ()
    pretraining = {name: values for name, values in sections.items() if name in own}
    others = {name: values for name, values in sections.items() if name not in own}
    for name, values in others.items():
        if name not in SECTIONS or name == "rows":
            known = sorted({*own, *SECTIONS} - {"rows"})
            raise SettingError(
                f"--set '{candidate.name}:{name}.…': a candidate has no such section. "
                f"There are: {', '.join(known)}."
            )
        if name in CHECKED:
            imported(CHECKED[name]).checked(dict(values), name)
    found = replace(
        candidate,
        pretraining=_over(candidate.pretraining, pretraining),
        settings=_over(candidate.settings, others),
    )
    if found.recipe is not None and pretraining:
        _check_recipe(found.recipe, found.pretraining)
    return found


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
