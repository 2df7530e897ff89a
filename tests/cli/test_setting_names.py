from __future__ import annotations

import pytest

from foretext.base.registry import imported
from foretext.cli.setting_names import settings_in_source
from foretext.finetuning.setting_groups import known_names, setting_groups

GROUPS = [group for name in known_names() for group in setting_groups(name)]
CLASSES = sorted({path for group in GROUPS for path in group.classes.values()})


@pytest.mark.parametrize("path", CLASSES)
def test_the_source_says_what_the_class_says(path: str) -> None:
    fields = imported(path).model_fields
    assert settings_in_source(path) == {name: field.description for name, field in fields.items()}


def test_a_class_that_is_not_found_has_none() -> None:
    assert settings_in_source("foretext.training.settings:NoSuchClass") == {}
    assert settings_in_source("foretext.training.settings:TrainingConfig.Config") == {}
    assert settings_in_source("outside.module:Class.Config") == {}
