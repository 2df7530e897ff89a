"""A language model distilled into a smaller network of the same form.

The student starts from layers of its teacher, and learns its answers on a text (Sanh et al. 2019,
"DistilBERT"). It is a pretraining like any other: with budget, resume, card and page.
"""

from __future__ import annotations

from pathlib import Path

from foretext.artifact import load_language_model
from foretext.backbones import BACKBONES
from foretext.base.config import duration_seconds
from foretext.base.errors import SettingError
from foretext.base.runtime import is_first_process
from foretext.corpus.texts import TextSource
from foretext.language_model import LanguageModel
from foretext.objectives import OBJECTIVES
from foretext.objectives.base import Objective
from foretext.pretraining.memory import read_memory
from foretext.pretraining.pretraining import Pretrained, run_recipe
from foretext.recipe import Recipe
from foretext.recipe.recipe import GivenSections, given_sections
from foretext.recipe.sections import Sections

__all__ = ["OPEN", "distill_network", "student_of"]

RECIPE = "bert"  # whose settings of text and training a student has
OPEN = ("corpus", "data", "objective", "training")  # sections that a user may set


def distill_network(
    teacher: str | Path | LanguageModel,
    corpus: TextSource,
    out: str | Path | None = None,
    *,
    layers: int,
    width: int | None = None,
    budget: str | float | None = None,
    settings: GivenSections | None = None,
    overwrite: bool = False,
    resume: bool = False,
    quiet: bool | None = None,
    report: bool = False,
) -> Pretrained:
    """Teach a smaller network what a language model knows; keep the run in `out`.

    Args:
        teacher: a run, a folder of Hugging Face, or the model; it has to fill masks.
        corpus: text to learn on, as `pretrain` reads it; best of the teacher's kind.
        out: the run's folder.
        layers: of the student.
        width: of its states; None: the teacher's. Then it starts from the teacher's weights.
        budget: wall-clock time of everything; None: ten epochs.
        settings: of `[corpus]`, `[data]`, `[objective]` and `[training]`, by section, or a
            list such as ``["training.batch_examples=16"]``.
        overwrite: replace the run in `out` when the new one is finished.
        resume: continue the unfinished run in `out`.
        quiet: show no progress; None: show it on a terminal and in a notebook.
        report: write the page of the run.

    Raises:
        SettingError: the teacher cannot teach, or the student would not be smaller.
        ForetextError: as of `pretrain`.
    """
    if not is_first_process():
        raise SettingError("A student is trained by one process; start it without torchrun.")
    opened = load_language_model(teacher) if isinstance(teacher, str | Path) else teacher
    student = student_of(opened, layers, width)
    seconds = None if budget is None else duration_seconds(budget)
    recipe, sources = read_memory(_recipe(student, given_sections(settings)), corpus)
    return run_recipe(
        recipe, sources, out, budget=seconds, base=student, teacher=opened,
        overwrite=overwrite, resume=resume, quiet=quiet, report=report,
    )  # fmt: skip


def student_of(teacher: LanguageModel, layers: int, width: int | None = None) -> LanguageModel:
    """Return a smaller language model that starts from its teacher, as far as their shapes agree.

    Raises:
        SettingError: the teacher cannot teach, or has no smaller form.
    """
    own = _objective(teacher)
    backbone = teacher.backbone.student(layers, width)
    objective = type(own)(own.config, backbone, teacher.tokenizer)
    objective.start_from(own)
    return LanguageModel(teacher.tokenizer, backbone, objective)


def _objective(model: LanguageModel) -> Objective:
    """Return the objective of a teacher.

    Raises:
        SettingError: it has none, or one that fills no masks.
    """
    if model.objective is None or not model.objective.fills or model.objective.token_head is None:
        raise SettingError(
            "The teacher fills no masks, and a student learns its answers to these; give a masked "
            "language model with its head, or distil into static vectors."
        )
    return model.objective


def _recipe(student: LanguageModel, settings: Sections) -> Recipe:
    """Return the settings of the training, with the student's own shape and objective."""
    if fixed := sorted(settings.keys() - OPEN):
        raise SettingError(
            f"[{fixed[0]}] cannot be chosen: a student has the form and the tokenizer of its "
            f"teacher. There are: {', '.join(OPEN)}."
        )
    objective, backbone = _objective(student), student.backbone
    shape = {"name": BACKBONES.name_of(type(backbone))}
    learned = {"name": OBJECTIVES.name_of(type(objective))}
    sections = {
        **Recipe.load(RECIPE).sections(),
        "backbone": {**shape, **backbone.config.kept()},
        "objective": {**learned, **objective.config.kept()},
    }
    for name, chosen in settings.items():
        sections[name] = {**sections[name], **chosen}
    named = frozenset(f"{name}.{each}" for name, chosen in settings.items() for each in chosen)
    return Recipe.from_sections(sections, named)
