"""What several recipes share of one text, made before any of them is trained.

Under a budget every recipe has to learn from the same part of the text, or a comparison of them
would be one of texts. So that is decided once, for all of them, and kept beside what they share.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from foretext.corpus import Corpus
from foretext.corpus.blocks import first_bytes
from foretext.pretraining.job import Sources
from foretext.pretraining.learner import learner_of
from foretext.pretraining.shared import LEFT_TO_RUNS, SharedFolder, SharedPart
from foretext.recipe import Recipe
from foretext.recipe.text_settings import suited

__all__ = ["PreparedText", "prepare_text"]


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

    After a kill it goes on with as much of the text, and with what is not made yet. A recipe that
    cannot learn from the text is left out here: its run says why.

    Args:
        recipes: of word vectors and language models.
        corpus: what all of them learn from.
        shared: the folder.
        seconds: for all of it, about; a text that takes longer is cut. None: all is read.
        quiet: show no progress.

    Raises:
        CorpusError: there is no such file.
        OutputError: the folder cannot be written.
    """
    folder, rate = SharedFolder(shared), 1.0
    if not folder.has_decided:
        folder.decide(None if seconds is None else _affordable(recipes, corpus, seconds))
    text_bytes = folder.text_bytes
    for recipe in recipes:
        text = first_bytes(Corpus(corpus, recipe.corpus), text_bytes)
        rate = min(rate, text.share)
        with suppress(*LEFT_TO_RUNS):
            _prepare(folder, recipe, corpus, quiet=quiet)
    return PreparedText(text_bytes, rate, folder.used)


def _prepare(folder: SharedFolder, recipe: Recipe, corpus: Sources, *, quiet: bool) -> None:
    fitting = suited(recipe, Corpus(corpus, recipe.corpus))
    text = first_bytes(fitting.text, folder.text_bytes)
    learner_of(recipe).prepare(folder, fitting.recipe, text, quiet=quiet)


def _affordable(recipes: Sequence[Recipe], corpus: Sources, seconds: float) -> int | None:
    from foretext.pretraining.affordable import affordable_text

    return affordable_text(recipes, corpus, seconds)
