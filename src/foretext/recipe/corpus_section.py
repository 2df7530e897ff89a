"""Only the section ``[corpus]``, for verbs that read text."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from foretext.base.errors import ModelFileError, SettingError
from foretext.base.parsing import read_toml
from foretext.corpus import CorpusConfig

__all__ = ["corpus_config", "corpus_of_run"]


def corpus_config(settings: Mapping[str, Any]) -> CorpusConfig:
    """Check the settings of ``[corpus]``."""
    return CorpusConfig.checked(dict(settings), "corpus")


def corpus_of_run(path: Path) -> CorpusConfig:
    """Read how a run read its text from the recipe that it keeps; no other section is looked at.

    Whether lines are wrapped is left open: that is seen from the file that is read.

    Raises:
        ModelFileError: the file is missing or damaged.
    """
    sections = read_toml(path, ModelFileError)
    try:
        return corpus_config({**sections.get("corpus", {}), "lines": "auto"})
    except SettingError as error:
        raise ModelFileError(f"{path}: {error}") from error
