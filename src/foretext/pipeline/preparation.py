"""What several recipes share of one text, made before any of them is trained.

Under a budget every recipe has to learn from the same part of the text, or a comparison of them
would be one of texts. So that is decided once, for all of them, and kept beside what they share.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, Field

from foretext.corpus import Corpus
from foretext.corpus.beginning import first_bytes
from foretext.errors import OutputError
from foretext.files import atomic_file, is_regular_file
from foretext.parsing import read_json
from foretext.pipeline.job import Sources
from foretext.pipeline.planning import ruled_by_text
from foretext.pipeline.shared import SharedFolder, SharedPart
from foretext.pipeline.word_text import SharedWords
from foretext.plan.sample import CorpusSample
from foretext.recipe import Recipe
from foretext.recipe.text_settings import suited

__all__ = ["PreparedText", "prepare_text"]

KEPT = "text.json"  # in the shared folder


class _Kept(BaseModel):
    """``text.json``."""

    text_bytes: Annotated[int, Field(ge=1)] | None


@dataclass(frozen=True)
class PreparedText:
    """What was prepared.

    Attributes:
        text_bytes: for `run_recipe`: how much of the corpus is read; None: all.
        text_rate: the same as a share of the stored bytes.
        parts: what the recipes share.
    """

    text_bytes: int | None
    text_rate: float
    parts: list[SharedPart]


def prepare_text(
    recipes: Sequence[Recipe],
    corpus: Sources,
    shared: Path,
    *,
    seconds: float | None = None,
    quiet: bool = True,
) -> PreparedText:
    """Make what `run_recipe` with a budget takes of a shared folder for these recipes.

    After a kill it goes on with as much of the text, and with what is not made yet.

    Args:
        recipes: of word vectors and language models.
        corpus: what all of them learn from.
        shared: the folder.
        seconds: for all of it, about; a text that takes longer is cut. None: all is read.
        quiet: show no progress.

    Raises:
        CorpusError: the corpus cannot be read, or there is nothing to learn in it.
        SettingError: a setting does not suit the text.
        OutputError: the folder cannot be written.
    """
    text_bytes = _decided(recipes, corpus, shared, seconds)
    folder, rate = SharedFolder(shared), 1.0
    for recipe in recipes:
        fitting = suited(recipe, Corpus(corpus, recipe.corpus))
        text = first_bytes(fitting.text, text_bytes)
        rate = min(rate, text.share)
        if recipe.is_language_model:
            from foretext.pipeline.shared_text import SharedText  # imports PyTorch

            planned = ruled_by_text(fitting.recipe, CorpusSample(text))
            SharedText(folder, text, quiet).prepared(planned)
        else:
            SharedWords.of(folder, fitting.recipe, text, quiet=quiet)
    return PreparedText(text_bytes, rate, folder.used)


def _decided(
    recipes: Sequence[Recipe], corpus: Sources, shared: Path, seconds: float | None
) -> int | None:
    """Return how much of the text is read, as an earlier process has decided it, or now."""
    path = shared / KEPT
    if not is_regular_file(path):
        decided = None if seconds is None else _affordable(recipes, corpus, seconds)
        with atomic_file(path) as temporary:
            temporary.write_text(_Kept(text_bytes=decided).model_dump_json() + "\n")
    kept: _Kept = read_json(path, OutputError, _Kept)
    return kept.text_bytes


def _affordable(recipes: Sequence[Recipe], corpus: Sources, seconds: float) -> int | None:
    from foretext.pipeline.affordable import affordable_text  # imports PyTorch

    return affordable_text(recipes, corpus, seconds)
