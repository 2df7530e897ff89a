"""`index`: texts and a model become an index that can be searched."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from foretext.artifact import load_embedder
from foretext.base.arguments import checked_arguments
from foretext.base.errors import ForetextError, Interrupted, SettingError
from foretext.base.files import held_folder, output_error, refuse_name
from foretext.base.interruption import GO_ON, Interruption
from foretext.base.leaving import undone_when_leaving
from foretext.corpus import Corpus, CorpusConfig
from foretext.corpus.texts import TextSource, found_sources
from foretext.recipe.recipe import GivenValues, given_values
from foretext.search.building import Building
from foretext.search.folder import IndexFacts
from foretext.search.job import Job, refuse_missing_usearch
from foretext.search.search_index import SearchIndex
from foretext.search.settings import IndexConfig

__all__ = ["index"]


@checked_arguments
def index(
    model: str | Path,
    texts: TextSource,
    out: str | Path,
    *,
    text: Mapping[str, Any] | None = None,
    settings: GivenValues | None = None,
    add: bool = False,
    overwrite: bool = False,
    resume: bool = False,
    quiet: bool | None = None,
) -> SearchIndex:
    """Cut texts into passages, embed them, and keep them in the folder `out`.

    Args:
        model: path of what embeds: a run, a vector file, or a folder of another library.
        texts: files, folders, globs or URLs, or texts in memory.
        out: the folder of the index.
        text: settings of the section corpus, ``{"column": "body"}``.
        settings: of `IndexConfig`, ``{"length": 100, "dtype": "float16"}``, or
            ``["length=100", "dtype=float16"]``.
        add: add the files that are not in the index that `out` holds; the others are not embedded
            again, and the settings are those of the index.
        overwrite: replace the index in `out`, once the new one is finished.
        resume: go on with the unfinished index in `out`.
        quiet: show no progress; None: show it on a terminal and in a notebook.

    Raises:
        ForetextError: model, texts, a setting or the folder will not do; the message says why.
    """
    path = Path(out)
    config = IndexConfig.checked(given_values(settings, "index"), "index")
    refuse_missing_usearch(config.approximate)
    corpus = Corpus(found_sources(texts), CorpusConfig.checked(dict(text or {}), "corpus"))
    refuse_name(path)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise output_error(path, error) from error
    with held_folder(path), Interruption() as stop:
        building = Building(path, overwrite=overwrite, add=add, resume=resume)
        try:
            before = building.before.facts() if add else None
            with undone_when_leaving(lambda: GO_ON):
                job = Job(building, Path(model), corpus, _settings(config, before), before, stop)
                job.run(quiet=quiet)
        except Interrupted:
            raise
        except ForetextError:
            building.abandon()
            raise
    return open_index(path)


def open_index(path: str | Path) -> SearchIndex:
    """Open a finished index; its model is opened when a query needs it.

    Raises:
        ModelFileError: the folder holds no finished index, or a damaged one.
    """
    return SearchIndex(path, load_embedder)


def _settings(config: IndexConfig, before: IndexFacts | None) -> IndexConfig:
    """Return the settings of the new index: an index that grows keeps its own.

    Raises:
        SettingError: one was given that would have no effect.
    """
    if before is None:
        return config
    if without_effect := sorted(config.changed - {"approximate"}):
        raise SettingError(
            f"{without_effect[0]} has no effect with add: an index that grows keeps its settings; "
            "leave it out."
        )
    return IndexConfig.of(before).model_copy(update={"approximate": config.approximate})
