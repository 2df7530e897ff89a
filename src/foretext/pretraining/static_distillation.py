"""A model becomes static vectors: read the texts, make the vectors, write the folder."""

from __future__ import annotations

import random
import time
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Any

from foretext.artifact import load_language_model
from foretext.base.files import atomic_file, refuse_existing
from foretext.corpus import Corpus
from foretext.corpus.texts import TextSource, found_sources
from foretext.language_model import LanguageModel
from foretext.pretraining.static_card import static_card
from foretext.pretraining.static_vectors import StaticConfig, static_vectors
from foretext.progress import Progress, is_quiet
from foretext.vectors.storage import StorageType
from foretext.vectors.token_vectors import TokenVectors

__all__ = ["distill_static"]

KIND = "word vectors"
DRAWN_FROM = 50  # times as many documents as are read


def distill_static(
    model: str | Path | LanguageModel,
    out: str | Path | None = None,
    corpus: TextSource | None = None,
    *,
    dtype: StorageType = "float32",
    overwrite: bool = False,
    quiet: bool | None = None,
    **settings: Any,
) -> TokenVectors:
    """Turn a model that embeds into static vectors of its tokens.

    Args:
        model: a language model, or a folder: of a run, of a fine-tuned network, of Hugging Face or
            of sentence-transformers.
        out: the folder to write, which model2vec and sentence-transformers open, too; None: none.
        corpus: texts to fit the vectors to: files, folders, globs, or texts in memory; None: the
            teacher reads its tokens alone.
        dtype: of the numbers in the folder.
        overwrite: write to a folder that is there.
        quiet: show no progress; None: show it on a terminal.
        settings: of `StaticConfig`.

    Raises:
        ForetextError: the model cannot be opened or does not embed, a setting does not exist, there
            is no text, or the folder cannot be written.
    """
    config = StaticConfig.checked(settings, "static")
    if out is not None:
        refuse_existing(Path(out), overwrite=overwrite)
    began = time.monotonic()
    teacher = load_language_model(model) if isinstance(model, str | Path) else model
    texts = None if corpus is None else _drawn(Corpus(found_sources(corpus)), config)
    with Progress("distilling", None, "rows", quiet=is_quiet(quiet)) as bar:
        found = static_vectors(teacher, config, texts, bar.advance)
    found.facts.update(
        kind=KIND,
        teacher=Path(model).name if isinstance(model, str | Path) else "a model in memory",
        texts=0 if texts is None else len(texts),
        seconds=round(time.monotonic() - began, 1),
        settings=config.model_dump(),
    )
    if out is not None:
        found.save(Path(out), dtype=dtype)
        with atomic_file(Path(out) / "README.md") as temporary:
            temporary.write_text(static_card(found, Path(out).name), encoding="utf-8")
    return found


def _drawn(documents: Iterable[str], config: StaticConfig) -> list[str]:
    """Draw documents so that each has the same chance, without keeping the others."""
    rng = random.Random(config.seed)
    drawn: list[str] = []
    for number, document in enumerate(islice(documents, DRAWN_FROM * config.num_texts)):
        if number < config.num_texts:
            drawn.append(document)
        elif (place := rng.randrange(number + 1)) < config.num_texts:
            drawn[place] = document
    return drawn
