"""Pretraining goes on over the texts of a task, before the task is learned.

Gururangan et al. 2020, "Don't Stop Pretraining", section 4: task-adaptive pretraining. It needs no
labels, so that unlabelled texts take part.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from torch import nn

from foretext.base.config import duration_seconds
from foretext.base.errors import SettingError
from foretext.base.runtime import usable_cores
from foretext.data.rows.in_memory import RowTexts
from foretext.data.token_file import Tokens
from foretext.data.token_writer import write_tokens
from foretext.finetuning.bases import Origin
from foretext.finetuning.job import FinetuneJob
from foretext.finetuning.recipe import BaseModel
from foretext.language_model import LanguageModel
from foretext.messages import message
from foretext.objectives.base import Objective
from foretext.progress.budget import Budget
from foretext.progress.checkpoint import Checkpoints, check_arrays
from foretext.progress.run_context import RunContext
from foretext.training.loop import fit
from foretext.training.model import Model
from foretext.training.settings import TrainingConfig
from foretext.training.validation import HeldOutLoss

__all__ = ["Adaptation", "Adapted", "adaptable", "adapted", "adapting_seconds"]

FOLDER = "adapt"  # of checkpoints and tokens, among the checkpoints of the run
DONE = "adapted"  # of the weights after it
VALID_RATE = 0.02  # of the texts, to measure the loss on
MOST_HELD_OUT = 300  # texts, about
BATCH = 32  # examples
RATE = 2.0  # of fine-tuning, times the learning rate


@dataclass
class Adaptation:
    """What continued pretraining took, and what it gave.

    Attributes:
        before, after: held-out loss, in nats per prediction; None: there are too few texts.
        num_tokens: of the texts.
        steps: of the optimizer.
        seconds: that it took.
    """

    before: float | None
    after: float | None
    num_tokens: int
    steps: int
    seconds: float

    @property
    def facts(self) -> dict[str, Any]:
        """What the folder of a run keeps of it."""
        return {
            "tokens": self.num_tokens,
            "steps": self.steps,
            "seconds": self.seconds,
            "loss_before": self.before,
            "loss_after": self.after,
        }


@dataclass(frozen=True)
class Adapted:
    """A language model that has learned more, and what that took.

    Attributes:
        model: a copy of the base.
        done: what it took.
        earlier: seconds of it, in an interrupted command.
    """

    model: LanguageModel
    done: Adaptation
    earlier: float = 0.0


def adapting_seconds(chosen: float | str, budget: float | None) -> float:
    """Return how long pretraining goes on.

    Args:
        chosen: a time such as ``"2m"``, or a number below 1, which is a share of the budget.
        budget: seconds of the command; None: it has none.

    Raises:
        SettingError: it is no time, a share of nothing, or no less than the budget.
    """
    try:
        seconds = duration_seconds(chosen)
    except SettingError:
        raise SettingError(
            f"[finetuning] adapt = {chosen!r}: write a time like 90s or 10m, or a share of the "
            "budget like 0.3."
        ) from None
    if seconds < 1:
        if budget is None:
            raise SettingError(
                f"[finetuning] adapt = {chosen} is a share of the budget, and there is none; give "
                "a time, such as 2m, or --budget."
            )
        return seconds * budget
    if budget is not None and seconds >= budget:
        raise SettingError(
            f"[finetuning] adapt = {chosen!r} leaves nothing of the budget of {budget:g} s to "
            "learn the task in; give less."
        )
    return seconds


def adaptable(opened: tuple[Origin, Any], named: BaseModel) -> LanguageModel:
    """Return a base as the language model that it is.

    Args:
        opened: how a network starts, and from what.
        named: what the user called it.

    Raises:
        SettingError: it is something else, or lacks the head of its pretraining.
    """
    origin, model = opened
    if origin != "pretrained" or model.kind != LanguageModel.kind:
        raise SettingError(
            f"[finetuning] adapt continues the pretraining of a language model, and BASE = "
            f"'{named}' is none; leave it out, or give another base."
        )
    language_model: LanguageModel = model
    if language_model.objective is None:
        raise SettingError(
            f"[finetuning] adapt: BASE = '{named}' has no head to continue its pretraining with; "
            "give a base with one, such as a folder of BertForMaskedLM, or leave adapt out."
        )
    return language_model


def adapted(
    job: FinetuneJob, base: LanguageModel, texts: Sequence[str], seconds: float, seed: int
) -> Adapted:
    """Continue the pretraining of a copy of a base on texts; a resumed run goes on with it.

    Args:
        job: of the run.
        base: of `adaptable`; it stays as it is.
        texts: to learn from.
        seconds: for all of it.
        seed: of the random draws.
    """
    learned = copy.deepcopy(base, {id(base.tokenizer): base.tokenizer})
    network = nn.ModuleList([learned.backbone, cast(Objective, learned.objective)])
    kept = Checkpoints(job.run.checkpoints / DONE, job.note)
    found = kept.newest(Adaptation) if job.resume else None
    if found is not None:
        check_arrays(_arrays(network), found.arrays)
        weights = {name: torch.from_numpy(array) for name, array in found.arrays.items()}
        network.load_state_dict(weights)
        return Adapted(learned, found.state, found.state.seconds)
    done, earlier = _continued(job, learned, texts, seconds, seed)
    kept.save(0, _arrays(network), done)
    return Adapted(learned, done, earlier)


def _continued(
    job: FinetuneJob, learned: LanguageModel, texts: Sequence[str], seconds: float, seed: int
) -> tuple[Adaptation, float]:
    """Continue a pretraining in place; return what it took, and seconds of an earlier command."""
    began = time.monotonic()
    folder = job.run.checkpoints / FOLDER
    objective = cast(Objective, learned.objective)
    config, tokens = objective.config, _tokens(learned, texts, folder / "tokens", seed)
    config, note = objective.text_rules.possible(
        config, [part for part in tokens if part is not None]
    )
    if note is not None:
        job.note(note)
    own = type(objective)(config, learned.backbone, learned.tokenizer)
    own.start_from(objective)
    model = Model(learned.backbone, own)
    held_out = _held_out(model, tokens)
    before = _loss(model, held_out)
    context = RunContext(
        job.run.path,
        title=message("progress.pretraining_on_the_texts"),
        checkpoints=Checkpoints(folder, job.note),
        resume=job.resume,
        quiet=job.quiet,
        note=job.note,
        warn=job.warn,
        budget=Budget.started(max(seconds - (time.monotonic() - began), 1e-3)),
    )
    training = _training(learned, seconds, seed)
    last = fit(model, own.examples(tokens.train), training, context)[-1]
    objective.start_from(own)
    took, num_tokens = time.monotonic() - began, tokens.train.num_tokens
    earlier = max(float(last["time"]) - took, 0.0)
    after = _loss(model, held_out)
    return Adaptation(before, after, num_tokens, int(last["step"]), took + earlier), earlier


def _tokens(model: LanguageModel, texts: Sequence[str], folder: Path, seed: int) -> Tokens:
    """Encode texts, a few of them held out."""
    objective = cast(Objective, model.objective)
    return write_tokens(
        RowTexts(texts),
        model.tokenizer,
        folder,
        valid_rate=min(VALID_RATE, MOST_HELD_OUT / len(texts)),
        seed=seed,
        workers=usable_cores(),
        segmenter=objective.text_rules.segmenter(objective.config, model.tokenizer),
    )


def _arrays(network: nn.Module) -> dict[str, np.ndarray]:
    return {name: weight.cpu().numpy() for name, weight in network.state_dict().items()}


def _training(model: LanguageModel, seconds: float, seed: int) -> TrainingConfig:
    usual = model.backbone.fine_tuning_defaults(pretrained=True)
    rate = RATE * float(usual.get("learning_rate", 5e-4))
    chosen = {
        "budget_seconds": seconds,
        "batch_examples": BATCH,
        "learning_rate": rate,
        "checkpoint_seconds": 60.0,
        "seed": seed,
    }
    return TrainingConfig.checked(chosen, "training")


def _held_out(model: Model, tokens: Tokens) -> HeldOutLoss | None:
    if tokens.valid is None:
        return None
    examples = model.objective.examples(tokens.valid, held_out=True)
    return HeldOutLoss(examples, BATCH, continues=model.objective.carries_state)


def _loss(model: Model, held_out: HeldOutLoss | None) -> float | None:
    if held_out is None:
        return None
    model.eval()
    return held_out.measure(model)["valid_loss"]
