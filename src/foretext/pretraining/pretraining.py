"""`pretrain`: from a corpus and a recipe to a model, whatever kind it is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from foretext._version import __version__
from foretext.base.arguments import checked_arguments
from foretext.base.config import duration_seconds
from foretext.base.errors import SettingError
from foretext.base.files import atomic_file
from foretext.base.runtime import command_began, is_first_process
from foretext.corpus.text_shards import TextShards
from foretext.corpus.texts import TextSource
from foretext.corpus.wrong_encoding import encoding_doubt
from foretext.messages import message
from foretext.pretraining.budget import keep_budget
from foretext.pretraining.given_texts import keep_memory, read_memory
from foretext.pretraining.job import (
    Base,
    PretrainingJob,
    Sources,
    goes_on_after_restart,
    keep_job,
    run_folder,
)
from foretext.pretraining.learner import FREE_TO_CHANGE, Learner, learner_of
from foretext.pretraining.shared import SharedFolder
from foretext.progress import is_quiet
from foretext.progress.budget import tell_of_compiling
from foretext.recipe import Recipe
from foretext.recipe.recipe import GivenSections, given_sections
from foretext.recipe.same_settings import check_same
from foretext.recipe.text_settings import resolved_as, suited
from foretext.report.run_report import write_report
from foretext.run_folder import RunFolder
from foretext.shards import ShardEngine
from foretext.vectors.document_vectors import DocumentVectors
from foretext.vectors.word_vectors import WordVectors

if TYPE_CHECKING:
    from foretext.language_model import LanguageModel
    from foretext.language_model.codec import Codec

__all__ = ["Pretrained", "pretrain", "run_recipe"]

SAMPLE = 1 << 16  # characters that show a wrong encoding


@dataclass(frozen=True)
class Pretrained:
    """What one run gave."""

    model: Any  # of the class that the kind of the recipe opens
    recipe: Recipe
    history: list[dict[str, Any]]  # the records of metrics.jsonl

    @property
    def size(self) -> dict[str, int]:
        """How much was learned."""
        size: dict[str, int] = self.model.size
        return size


def _opened(recipe: str | Path | Recipe, settings: GivenSections | None) -> Recipe:
    """Return a recipe with settings over its own.

    Raises:
        SettingError: there is no such recipe or setting, or the recipe is read already.
    """
    given = given_sections(settings)
    if isinstance(recipe, str | Path):
        return Recipe.load(recipe, given)
    if given:
        raise SettingError(
            "settings: a Recipe object takes no settings; give the name of the recipe instead, or "
            "Recipe.load(NAME, settings)."
        )
    return recipe


@checked_arguments
def pretrain(
    recipe: str | Path | Recipe,
    corpus: TextSource,
    out: str | Path | None = None,
    *,
    budget: str | float | None = None,
    base: Base = None,
    settings: GivenSections | None = None,
    overwrite: bool = False,
    resume: bool = False,
    quiet: bool | None = None,
    auto: bool = False,
    engine: ShardEngine | None = None,
) -> WordVectors | DocumentVectors | LanguageModel | Codec:
    """Learn from a corpus by a recipe; keep the run in `out` where it is given.

    Args:
        recipe: a name such as ``"word2vec"`` or ``"bert-mini"``, a TOML file, or a `Recipe`.
        corpus: files, folders, globs or URLs of text; or texts in memory, as strings in a list, a
            generator, a column or a table (`foretext.texts`); for word vectors lists of words, too.
        out: the run's folder; it must not hold a run already, unless `overwrite` or `resume`.
        budget: wall-clock time of everything from this call on, ``"10m"``, in place of epochs. The
            size of a language model is planned to fit. Of a text that takes too long to read the
            beginning is used, and a note says how much.
        base: what to pretrain further: a run, a file or folder of another library, or the model.
        settings: over those of the recipe, by section, ``{"training": {"epochs": 3}}``, or
            ``["training.epochs=3"]``.
        overwrite: replace the run in `out` when the new one is finished.
        resume: continue the unfinished run in `out`.
        quiet: show no progress; None: show it on a terminal and in a notebook.
        auto: take the settings that `foretext inspect` proposes for the text, where the recipe
            leaves them open.
        engine: whose processes count words and encode text, ``LocalEngine(8)``; the results are the
            same bytes, and what is done of the text is there after a kill. The processes of
            word2vec and fastText (``vectors.processes``) learn on the nodes of a ``RayEngine``.
            None: threads.

    Raises:
        ForetextError: the corpus, the recipe or the folder cannot be used; the message says why.
    """
    opened = _opened(recipe, settings)
    model: WordVectors | DocumentVectors | LanguageModel | Codec = run_recipe(
        *read_memory(opened, corpus),
        out,
        budget=None if budget is None else duration_seconds(budget),
        base=base,
        overwrite=overwrite,
        resume=resume,
        quiet=quiet,
        auto=auto,
        engine=engine,
    ).model
    return model


def run_recipe(
    recipe: Recipe,
    corpus: Sources,
    out: str | Path | None = None,
    *,
    budget: float | None = None,
    base: Base = None,
    overwrite: bool = False,
    resume: bool = False,
    quiet: bool | None = None,
    report: bool = False,
    auto: bool = False,
    engine: ShardEngine | None = None,
    shared: Path | None = None,
    text_bytes: int | None = None,
    teacher: LanguageModel | None = None,
) -> Pretrained:
    """Do what `pretrain` does, and return the recipe and the history too.

    With `report` the run gets its page before it is finished; with `auto` it takes the settings
    that `foretext inspect` proposes, where the user chose none.

    With `shared`, a folder, the run takes tokenizer and ids from there, or makes them there for
    others (`foretext.pretraining.shared`). So that all have the same text, `text_bytes` says how
    much of it is read, in stored bytes from its beginning, and no budget cuts it; None: what the
    folder says, or all.

    With a `teacher` a language model learns its answers beside the text
    (`foretext.pretraining.distill`).
    """
    began = command_began()
    tell_of_compiling(quiet=is_quiet(quiet))
    learner = learner_of(recipe)
    if not is_first_process():
        return _helped(learner, recipe, out, base)
    resume = resume or goes_on_after_restart(out)
    _refuse_without_effect(recipe, budget, engine, auto=auto)
    learner.check(recipe, base)
    with run_folder(out, overwrite=overwrite, resume=resume) as run:
        job = PretrainingJob(
            run=run,
            recipe=recipe,
            corpus=corpus,
            base=base,
            teacher=teacher,
            keep=out is not None,
            resume=resume,
            quiet=is_quiet(quiet),
            report=write_report if report else None,
            began=began,
            shards=None if engine is None else TextShards(engine, run.shards),
        )
        job = _with_text_settings(job, auto=auto)
        if recipe.kind.reads_text and (shared is not None or text_bytes is not None):
            folder = None if shared is None else SharedFolder(shared)
            decided = None if folder is None else folder.text_bytes
            job = replace(job.fixed(text_bytes or decided), shared=folder)
        job = learner.start(job, budget)
        if resume:
            before = Recipe.of_run(run.recipe).sections()
            check_same(run.named, before, job.recipe.sections(), FREE_TO_CHANGE)
        keep_job(run)
        keep_memory(job)
        with atomic_file(run.recipe) as temporary:
            job.recipe.save(temporary)
        keep_budget(job)
        run.note(f"foretext {__version__}: {recipe.name}{', resumed' if resume else ''}")
        _note_wrong_encoding(job)
        trained = learner.train(job)
        if job.keep:
            learner.finish(job, trained)
        return Pretrained(trained.model, job.recipe, trained.history)


def _note_wrong_encoding(job: PretrainingJob) -> None:
    """Say where the beginning of the text has words of no language."""
    if not job.recipe.kind.reads_text or job.resume or job.text().num_bytes is None:
        return  # a stream can be read once
    sample = next(job.text().blocks(SAMPLE), "")[:SAMPLE]
    if (doubt := encoding_doubt(sample)) is not None:
        job.note(message("findings.size.warning", said=doubt))


def _helped(
    learner: Learner[Any], recipe: Recipe, out: str | Path | None, base: Base
) -> Pretrained:
    """Do the part of a process that torchrun started and that is not the first."""
    if out is None:
        raise SettingError(message("options.pretrain.torchrun"))
    run = RunFolder(out)
    job = PretrainingJob(run=run, recipe=recipe, corpus=(), base=base, keep=False)
    trained = learner.help_to_train(job)
    return Pretrained(trained.model, recipe, trained.history)


def _refuse_without_effect(
    recipe: Recipe, budget: float | None, engine: ShardEngine | None, *, auto: bool
) -> None:
    """Refuse what has nothing to do: processes for a text, settings of one.

    Raises:
        SettingError: with the reason.
    """
    if engine is not None and budget is not None:
        raise SettingError(message("options.pretrain.shards_budget"))
    if recipe.kind.reads_text:
        return
    if engine is not None:
        raise SettingError(f"{recipe.kind.at_first} reads no text; leave out --workers (engine).")
    if auto:
        raise SettingError(message("options.pretrain.auto_images"))


def _with_text_settings(job: PretrainingJob, *, auto: bool = False) -> PretrainingJob:
    """Return the job with a value for each setting that is "auto", and its corpus open.

    Notes say what becomes of case, accents and width, and what `auto` has changed. A resumed run
    keeps the values that it began with.

    Args:
        job: what is learned.
        auto: take the settings that `foretext inspect` proposes, where the user chose none.

    Raises:
        CorpusError: there is no text, or a file cannot be read.
    """
    recipe = job.recipe
    if not recipe.kind.reads_text:
        return job
    if job.resume:
        return replace(job, recipe=resolved_as(recipe, Recipe.of_run(job.run.recipe), auto=auto))
    found = suited(recipe, job.text(), auto=auto)
    for sentence in found.notes:
        job.note(sentence)
    return replace(job, recipe=found.recipe, found=found.text)
