"""`foretext.distill`: a small, fast model out of a large one, as the verb ``distill`` makes it.

A language model distilled into a smaller network of the same form. The student starts from layers
of its teacher, and learns its answers on a text (Sanh et al. 2019, "DistilBERT"). It is a
pretraining like any other: with budget, resume, card and page.
"""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any, Literal, cast, overload

from torch import nn

from foretext.artifact import load_language_model
from foretext.backbones import BACKBONES
from foretext.backbones.base import Backbone
from foretext.base.arguments import checked_arguments
from foretext.base.config import duration_seconds
from foretext.base.errors import SettingError
from foretext.base.runtime import is_first_process
from foretext.corpus.texts import TextSource
from foretext.language_model import LanguageModel
from foretext.messages import message
from foretext.nn.device import choose_device
from foretext.nn.precision import choose_dtype
from foretext.objectives import OBJECTIVES
from foretext.objectives.base import Objective
from foretext.objectives.distilled import Distilled, DistilledWeights
from foretext.pretraining.given_texts import read_memory
from foretext.pretraining.pretraining import Pretrained, run_recipe
from foretext.pretraining.static_distillation import StaticConfig, distill_static
from foretext.recipe import Recipe
from foretext.recipe.recipe import GivenSections, given_sections
from foretext.recipe.sections import Sections
from foretext.training.model import Model
from foretext.training.settings import TrainingConfig
from foretext.training.validation import Validation
from foretext.vectors.token_vectors import TokenVectors

__all__ = ["OPEN", "ValidationOf", "distill", "distill_network", "distilled", "student_of"]

OF_NETWORK = ("layers", "width", "budget", "settings", "resume", "report")
OF_STATIC = ("dtype", *StaticConfig.model_fields)

RECIPE = "bert"  # whose settings of text and training a student has
OPEN = ("corpus", "data", "objective", "training")  # sections that a user may set


@overload
def distill(
    model: str | Path | LanguageModel,
    out: str | Path | None = None,
    corpus: TextSource | None = None,
    *,
    into: Literal["static"] = "static",
    **options: Any,
) -> TokenVectors: ...


@overload
def distill(
    model: str | Path | LanguageModel,
    out: str | Path | None = None,
    corpus: TextSource | None = None,
    *,
    into: Literal["network"],
    **options: Any,
) -> Pretrained: ...


@checked_arguments
def distill(
    model: str | Path | LanguageModel,
    out: str | Path | None = None,
    corpus: TextSource | None = None,
    *,
    into: Literal["static", "network"] = "static",
    **options: Any,
) -> TokenVectors | Pretrained:
    """Make a small, fast model out of a large one.

    Args:
        model: a language model, or a folder: of a run, of Hugging Face, of sentence-transformers.
        out: the folder to keep the result in; None: it is kept in memory alone.
        corpus: text of the kind that the small model is for; a network needs one.
        into: "static", vectors of the tokens; "network", fewer layers of the same form.
        options: of `distill_static` ("dim", "num_texts", "dtype", ...) or of `distill_network`
            ("layers", "width", "budget", ...); "overwrite" and "quiet" of both.

    Raises:
        SettingError: an option belongs to the other form, or a network lacks text or layers.
        ForetextError: as of these functions.
    """
    _check(into, corpus, options)
    if into == "static":
        return distill_static(model, out, corpus, **options)
    assert corpus is not None
    return distill_network(model, corpus, out, **options)


def _check(into: str, corpus: TextSource | None, options: dict[str, Any]) -> None:
    """Refuse options without effect, and a network without text or layers."""
    for name in OF_STATIC if into == "network" else OF_NETWORK:
        if name in options:
            raise SettingError(f"{name} has no effect on into = '{into}'; leave it out.")
    if into == "network" and (corpus is None or "layers" not in options):
        raise SettingError(message("options.distill.network"))
    if into == "static" and corpus is None and "num_texts" in options:
        raise SettingError("num_texts has no effect without corpus; leave it out.")


def distilled(model: Model[Objective], teacher: LanguageModel, config: TrainingConfig) -> Distilled:
    """Return the objective of a student with its teacher, a copy in the precision of the training.

    Raises:
        SettingError: the objective has nothing that a teacher could say.
    """
    device = choose_device(config.device)
    dtype = choose_dtype("fp32" if teacher.backbone.keeps_fp32 else config.precision, device)
    objective = teacher.objective
    assert objective is not None, "student_of() comes first"
    together = nn.ModuleList([teacher.backbone, objective])  # heads share its weights
    tokenizer = teacher.tokenizer
    theirs = copy.deepcopy(together, {id(tokenizer): tokenizer}).to(device, dtype)
    backbone, answering = cast(Backbone, theirs[0]), cast(Objective, theirs[1])
    return Distilled(model.objective, model.backbone, backbone, answering, DistilledWeights())


class ValidationOf(Validation):
    """Measures a model that shares its weights with the one that is trained.

    Args:
        inner: measures.
        model: whose objective is the one that losses are compared by.
    """

    def __init__(self, inner: Validation, model: Model) -> None:
        self.inner, self.model = inner, model
        self.judged_by, self.higher_is_better = inner.judged_by, inner.higher_is_better
        self.num_examples = inner.num_examples

    def measure(self, model: Model) -> dict[str, float]:
        """Return the figures of the own model."""
        self.model.eval()
        figures = self.inner.measure(self.model)
        self.model.train(model.training)
        return figures

    def sample(self, size: int) -> None:
        """Measure a sample."""
        self.inner.sample(size)

    def rewind(self, num_measured: int) -> None:
        """Drop what was written of later measurements."""
        self.inner.rewind(num_measured)


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
