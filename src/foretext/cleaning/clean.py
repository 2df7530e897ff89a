"""`clean`: a corpus becomes a clean one, and a list of what was dropped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from foretext.base.arguments import checked_arguments
from foretext.base.errors import CorpusError, ForetextError, Interrupted, OutputError, SettingError
from foretext.base.files import held_folder, output_error, refuse_name
from foretext.base.interruption import GO_ON, Interruption
from foretext.base.leaving import undone_when_leaving
from foretext.base.terminal import say
from foretext.cleaning.building import Building
from foretext.cleaning.cleaned import Cleaned
from foretext.cleaning.documents import unit_of
from foretext.cleaning.job import CleaningJob
from foretext.cleaning.languages import means_for
from foretext.cleaning.quality_rules import ChineseRules, QualityRules
from foretext.cleaning.settings import CleaningConfig
from foretext.cleaning.shard_cleaning import Request, SourceName, refuse_missing_ftfy
from foretext.cleaning.short_texts import ShortTexts, short_texts
from foretext.corpus import Corpus, CorpusConfig
from foretext.corpus.sources import STANDARD_INPUT, find_sources
from foretext.corpus.texts import SourceNames, TextSource, found_sources
from foretext.recipe.recipe import GivenValues, given_values
from foretext.shards import ShardEngine, chosen_engine

__all__ = ["clean"]

Settings = Mapping[str, Any]


@checked_arguments
def clean(
    corpus: TextSource,
    out: str | Path,
    *,
    against: str | Path | Sequence[str | Path] = (),
    text: Settings | None = None,
    settings: GivenValues | None = None,
    rules: GivenValues | None = None,
    chinese_rules: GivenValues | None = None,
    workers: int | None = None,
    engine: ShardEngine | None = None,
    overwrite: bool = False,
    resume: bool = False,
    quiet: bool | None = None,
) -> Cleaned:
    """Keep the good documents of a corpus in the folder `out`, and list all others with a reason.

    The result does not depend on the number of workers, nor on where they are.

    Args:
        corpus: files, folders, globs or URLs, or texts in memory.
        out: the folder of the results; ``out/kept`` is the clean corpus.
        against: files of test sets, whose text is to be removed.
        text: settings of the section corpus, ``{"column": "body"}``.
        settings: of `CleaningConfig`, ``{"languages": ["en"], "mask": ["email"]}``, or
            ``['languages=["en"]']``.
        rules: of `QualityRules`, ``{"min_words": 20}``.
        chinese_rules: of `ChineseRules`, the same for text without blanks between words.
        workers: processes of this machine; None: as many as cores.
        engine: who cleans the shards in their place, ``RayEngine("auto")``.
        overwrite: replace what `out` holds, once the new corpus is finished.
        resume: go on with the unfinished cleaning in `out`.
        quiet: show no progress; None: show it on a terminal and in a notebook.

    Raises:
        ForetextError: corpus, a setting or the folder will not do, or nothing is left; the message
            says why.
    """
    path = Path(out)
    config = CleaningConfig.checked(_tuples(given_values(settings, "clean")), "clean")
    checked_rules = QualityRules.checked(_tuples(given_values(rules, "rules")), "rules")
    checked_chinese = ChineseRules.checked(
        _tuples(given_values(chinese_rules, "chinese_rules")), "chinese_rules"
    )
    if engine is not None and workers is not None:
        raise SettingError(f"workers = {workers} has no effect beside an engine; give it to that.")
    does = chosen_engine(workers=workers) if engine is None else engine
    if config.fix_text:
        refuse_missing_ftfy()
    means = means_for(config.languages, config.language_by, config.language_model)
    names = found_sources(corpus)
    source = Corpus(names, CorpusConfig.checked(dict(text or {}), "corpus"))
    tests = [against] if isinstance(against, str | Path) else list(against)
    _refuse_inside(path, names, source)
    short = (
        short_texts(source, checked_rules, checked_chinese)
        if config.rules
        else ShortTexts(frozenset(), (), None)
    )
    request = Request(
        config=config,
        rules=checked_rules,
        chinese=checked_chinese,
        normalization=source.config.normalization,
        language_means=means,
        against=tuple(map(str, tests)),
        sources=tuple(
            SourceName(
                name=each.name,
                unit=unit_of(source, number),
                has_short_texts=number in short.sources,
            )
            for number, each in enumerate(source.sources)
        ),
        without_in_short_texts=short.without,
        identity=_identity(source, tests, config.language_model),
    )
    refuse_name(path)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise output_error(path, error) from error
    try:
        with held_folder(path), Interruption() as stop:
            building = Building(path, overwrite=overwrite, resume=resume)
            with undone_when_leaving(lambda: GO_ON):
                _run(building, source, request, stop, does, short.note, quiet=quiet)
    except ForetextError:
        with suppress(OSError):  # it stays where anything is in it
            path.rmdir()
        raise
    return Cleaned(path)


def _run(
    building: Building,
    corpus: Corpus,
    request: Request,
    stop: Interruption,
    engine: ShardEngine,
    note: str | None,
    *,
    quiet: bool | None,
) -> None:
    if note is not None and not quiet:
        say(f"note: {note}", error=True)
    try:
        CleaningJob(building, corpus, request, stop, note).run(engine, quiet=quiet)
    except Interrupted:
        raise
    except ForetextError:
        building.abandon()
        raise


def _tuples(settings: Settings) -> dict[str, Any]:
    """Return settings with tuples for the lists of TOML and Python."""
    return {
        name: tuple(value) if isinstance(value, list) else value for name, value in settings.items()
    }


def _refuse_inside(out: Path, names: SourceNames, corpus: Corpus) -> None:
    """Refuse to write into the corpus, or to read what is written.

    Raises:
        OutputError: the folder is within one of the corpus, or holds a file of it.
    """
    whole = out.resolve()
    given = [names] if isinstance(names, str | Path) else names
    for name in given if isinstance(given, Sequence) else ():
        if Path(str(name)).is_dir() and whole.is_relative_to(Path(str(name)).resolve()):
            raise OutputError(f"{out} is inside the corpus {name}; choose a folder beside it.")
    for source in corpus.sources:
        file = Path(source.name)
        if file.exists() and file.resolve().is_relative_to(whole):
            raise OutputError(
                f"{source.name}, a file of the corpus, is inside {out}; choose another folder."
            )


def _identity(corpus: Corpus, tests: Sequence[str | Path], model: str | None) -> str:
    """Return what changes with the files that are read.

    Raises:
        CorpusError: there is no such file of a test set, or it is standard input.
    """
    if STANDARD_INPUT in map(str, tests):
        raise CorpusError(
            "A test set cannot come from standard input, because several processes read it; save "
            "it as a file."
        )
    read = find_sources(tests) if tests else []
    if model is not None and Path(model).exists():
        read += find_sources(model) if Path(model).is_file() else []
    return " ".join([corpus.fingerprint, *(source.identity for source in read)])
