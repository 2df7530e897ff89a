"""One verb for all that can be pretrained."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from foretext._version import __version__
from foretext.config import duration_seconds
from foretext.errors import SettingError
from foretext.files import atomic_file
from foretext.pipeline.job import Base, PretrainingJob, Sources, check_same
from foretext.pipeline.planning import (
    plan_network,
    resumed_recipe,
    ruled_recipe,
    wants_plan,
)
from foretext.pipeline.runs import run_folder
from foretext.pipeline.word_vectors import learn_vectors
from foretext.recipe import Recipe
from foretext.report.run_report import write_report
from foretext.run_folder import RunFolder
from foretext.runtime import is_first_process
from foretext.vectors.word_vectors import WordVectors

if TYPE_CHECKING:
    from foretext.codec import Codec
    from foretext.language_model import LanguageModel

__all__ = ["Pretrained", "pretrain", "run_recipe"]


@dataclass(frozen=True)
class Pretrained:
    """What one run gave."""

    model: WordVectors | LanguageModel | Codec
    recipe: Recipe
    history: list[dict[str, Any]]  # the records of metrics.jsonl

    @property
    def size(self) -> dict[str, int]:
        """How much was learned."""
        if isinstance(self.model, WordVectors):
            return {"words": len(self.model), "vector_size": self.model.vector_size}
        from foretext.codec import Codec  # PyTorch is there: a network was trained

        if isinstance(self.model, Codec):
            return self.model.size
        network = self.model.backbone
        return {
            "parameters": sum(weights.numel() for weights in network.parameters()),
            "vocab_size": network.vocab_size,
        }

    @property
    def vectors(self) -> WordVectors:
        """The word vectors that were learned."""
        assert isinstance(self.model, WordVectors), self.model
        return self.model


def pretrain(
    recipe: str | Path | Recipe,
    corpus: Sources,
    out: str | Path | None = None,
    *,
    budget: str | float | None = None,
    base: Base = None,
    overwrite: bool = False,
    resume: bool = False,
    quiet: bool = True,
) -> WordVectors | LanguageModel | Codec:
    """Learn from a corpus by a recipe; keep the run in `out` where it is given.

    Args:
        recipe: a name such as ``"word2vec"`` or ``"bert-mini"``, a TOML file, or a `Recipe`.
        corpus: files, folders, globs or URLs of text.
        out: the run's folder; it must not hold a run already, unless `overwrite` or `resume`.
        budget: wall-clock time, ``"10m"``, in place of epochs: for the training of word vectors;
            for everything, where a language model is planned to fit it.
        base: what to go on from: a run, a file or folder of somebody else's, or the thing itself.
        overwrite: replace the run in `out`, once the new one is finished.
        resume: go on with the unfinished run in `out`.
        quiet: show no progress.

    Raises:
        ForetextError: the corpus, the recipe or the folder will not do; the message says why.
    """
    return run_recipe(
        recipe if isinstance(recipe, Recipe) else Recipe.load(recipe),
        corpus,
        out,
        budget=None if budget is None else duration_seconds(budget),
        base=base,
        overwrite=overwrite,
        resume=resume,
        quiet=quiet,
    ).model


def run_recipe(
    recipe: Recipe,
    corpus: Sources,
    out: str | Path | None = None,
    *,
    budget: float | None = None,
    base: Base = None,
    overwrite: bool = False,
    resume: bool = False,
    quiet: bool = True,
    report: bool = False,
) -> Pretrained:
    """Do what `pretrain` does, and return the recipe and the history as well.

    With `report` the run has a page before it is finished.
    """
    if not is_first_process():
        return _helped(recipe, out, base, resume=resume)
    with run_folder(out, overwrite=overwrite, resume=resume) as run:
        page = write_report if report else None
        job = PretrainingJob(
            run=run,
            recipe=recipe,
            corpus=corpus,
            base=base,
            keep=out is not None,
            resume=resume,
            quiet=quiet,
            report=page,
        )
        job = _settled(job, budget)
        if resume:
            check_same(job.recipe, run)
        with atomic_file(run.recipe) as temporary:
            job.recipe.save(temporary)
        run.note(f"foretext {__version__}: {recipe.name}{', resumed' if resume else ''}")
        model, history = _learner(recipe)(job)
        return Pretrained(model, job.recipe, history)


def _helped(recipe: Recipe, out: str | Path | None, base: Base, *, resume: bool) -> Pretrained:
    """Do what another process than the first does of those that torchrun started."""
    from foretext.pipeline.language_models import help_to_learn  # imports PyTorch

    if out is None or not recipe.is_network or recipe.is_autoencoder:
        raise SettingError(
            "torchrun trains language models, into a run's folder; start this without it."
        )
    run = RunFolder(out)
    job = PretrainingJob(run=run, recipe=recipe, corpus=(), base=base, keep=False, resume=resume)
    model, history = help_to_learn(job)
    return Pretrained(model, recipe, history)


def _settled(job: PretrainingJob, budget: float | None) -> PretrainingJob:
    """Settle what the recipe leaves open: by a plan, by the run that is resumed, or by rules."""
    recipe = job.recipe
    if not recipe.is_network:
        return job if budget is None else replace(job, recipe=recipe.with_budget(budget))
    if job.resume:
        return replace(job, recipe=resumed_recipe(recipe, job.run, budget))
    if not wants_plan(recipe, job.base, budget):
        recipe = recipe if budget is None else recipe.with_budget(budget)
        return replace(job, recipe=ruled_recipe(recipe))
    job = job.opened()
    plan = plan_network(recipe, job.text(), budget)
    for sentence in plan.sentences():
        job.note(f"plan: {sentence}")
    if job.keep:
        plan.save(job.run.plan)
    return replace(job, recipe=plan.applied(recipe), budget=plan.budget_seconds)


def _learner(recipe: Recipe) -> Callable[[PretrainingJob], tuple[Any, list[dict[str, Any]]]]:
    if recipe.is_autoencoder:
        from foretext.pipeline.autoencoders import learn_autoencoder  # imports PyTorch

        return learn_autoencoder
    if not recipe.is_network:
        return learn_vectors
    from foretext.pipeline.language_models import learn_language_model  # imports PyTorch

    return learn_language_model
