"""Language models: a tokenizer is learned, the text is encoded, and a network is trained."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from foretext.artifact import load_language_model
from foretext.base.counted import counted, number_of
from foretext.base.errors import SettingError
from foretext.base.parsing import parse_toml
from foretext.base.runtime import usable_cores
from foretext.corpus import Corpus
from foretext.data.token_file import TokenFile, Tokens, described
from foretext.data.token_writer import write_tokens
from foretext.interop.hugging_face import save_hugging_face
from foretext.language_model import LanguageModel
from foretext.messages import language, listed, message
from foretext.nn.device import DeviceName, choose_device
from foretext.objectives.base import Objective
from foretext.pretraining.best_weights import ending_warning, keeps_best
from foretext.pretraining.budget import begun, reading, with_training_time
from foretext.pretraining.building import (
    build_model,
    check_model,
    objective_class,
    training_config,
)
from foretext.pretraining.distill import ValidationOf, distilled
from foretext.pretraining.job import Base, PretrainingJob
from foretext.pretraining.language_model_examples import given_tokenizer, shown_examples
from foretext.pretraining.learner import Draw, Learner, Trained
from foretext.pretraining.plan.sample import CorpusSample
from foretext.pretraining.planning import (
    plan_network,
    resumed_recipe,
    ruled_by_text,
    ruled_recipe,
    wants_plan,
)
from foretext.pretraining.sampled_validation import SampledValidation
from foretext.pretraining.shared import SharedFolder
from foretext.pretraining.shared_text import SharedText, learned_tokenizer
from foretext.progress import Progress
from foretext.progress.checkpoint import Checkpoints
from foretext.progress.run_context import RunContext
from foretext.recipe import Recipe
from foretext.report.model_card import model_card
from foretext.run_folder import RunFolder
from foretext.shown import Shown
from foretext.tokenizers.frames import with_frame
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.training.kept_record import kept_record
from foretext.training.loop import fit
from foretext.training.model import Model
from foretext.training.optimizer import is_fully_sharded
from foretext.training.processes import Processes
from foretext.training.settings import TrainingConfig
from foretext.training.validation import HeldOutLoss, Validation

if TYPE_CHECKING:
    from foretext.pretraining.affordable import Work

__all__ = ["LanguageModelLearner"]

MANY_UNKNOWN = 0.01  # share of the tokens
MOST_HELD_OUT = 50_000  # tokens, measured 20 times in a training in about a second each


@dataclass(frozen=True)
class TrainedModel(Trained):
    """A language model, and the records of the weights that are kept."""

    kept: Mapping[str, Any]


class LanguageModelLearner(Learner[TrainedModel]):
    """What learns language models: a tokenizer, then a network by an objective."""

    def check(self, recipe: Recipe, base: Base) -> None:
        """Refuse a backbone and an objective that do not fit."""
        if base is None:
            check_model(recipe)

    def start(self, job: PretrainingJob, budget: float | None) -> PretrainingJob:
        """Plan the network, unless the recipe says how long it learns; see `Learner.start`."""
        if job.resume:
            recipe = resumed_recipe(job.recipe, job.run)
        elif wants_plan(job.recipe, job.base, budget):
            return _planned(job.opened(), budget)
        else:
            recipe = ruled_recipe(job.recipe)
        return super().start(replace(job, recipe=recipe), budget)

    def prepare(self, shared: SharedFolder, recipe: Recipe, text: Corpus, *, quiet: bool) -> None:
        """Learn a tokenizer and encode the text; see `Learner.prepare`."""
        SharedText(shared, text, quiet).prepared(ruled_by_text(recipe, CorpusSample(text)))

    def time_reading(self, work: Work, recipe: Recipe, sample: CorpusSample) -> None:
        """Measure both on a sample; see `Learner.time_reading`."""
        work.add_subwords(ruled_by_text(recipe, sample), sample)

    def train(self, job: PretrainingJob) -> TrainedModel:
        """Learn the tokenizer, encode the text, and train the network."""
        base = _base_model(job)
        job = _with_rows_for_time(job, base)
        if not (job.resume and job.run.tokens.is_dir()):
            job = job.opened()
        tokenizer = _tokenizer(job, base)
        tokens = _tokens(job, tokenizer)
        recipe = _possible(job, tokens)
        model = build_model(recipe, tokenizer, base)
        warnings = model.objective.cautions(tokens.train)
        for warning in warnings:
            job.note(warning)
        is_held_out = tokens.valid is not None
        job = with_training_time(keeps_best(job, is_held_out=is_held_out), _num_bytes(model))
        config = training_config(job.recipe)
        recipe = recipe.with_config("training", config)
        processes = Processes(choose_device(config.device))
        processes.broadcast(recipe.text())
        processes.agree(job.resume)
        examples = model.objective.examples(tokens.train)
        if base is None:
            model.objective.begin(model.backbone, examples)
        valid = tokens.valid
        validation = None if valid is None else _validation(job, model, tokenizer, valid)
        with job.training_context() as context:
            history = fit(_taught(job, model), examples, config, context, validation)
        last = history[-1]
        job.run.note(f"trained {counted(last['step'], 'step')} in {last['time']:.1f} s")
        if (ending := ending_warning(history, keep=config.keep)) is not None:
            job.note(ending)
            warnings = [*warnings, ending]
        kept = kept_record(history, keep=config.keep)
        facts = {
            "vocab_size": tokenizer.vocab_size,
            "parameters": sum(parameter.numel() for parameter in model.parameters()),
            "tokens": tokens.train.num_tokens,
            "documents": tokens.train.num_documents,
            "held_out_tokens": tokens.valid.num_tokens if tokens.valid else 0,
            **job.used_text,
            "steps": last["step"],
            "loss": last["loss"],
            "valid_loss": kept.get("valid_loss"),
            "seconds": last["time"],
            **({"warnings": list(warnings)} if warnings else {}),
        }
        device = _device_after(config)
        learned = LanguageModel(tokenizer, model.backbone, model.objective, device=device)
        return TrainedModel(learned, history, job.facts(facts), recipe, kept)

    def finish(self, job: PretrainingJob, trained: TrainedModel) -> None:
        """Write the model, then the card, which names what opens the folder."""
        run, model = job.run, trained.model
        parts = model.backbone, model.objective
        save_hugging_face(run.path, model.tokenizer, *parts, trained.facts)
        named, their_class = str(run.named), run.their_class
        card = model_card(trained.recipe, *parts, trained.facts, trained.kept, named, their_class)
        run.finish(card, report=job.report)

    def help_to_train(self, job: PretrainingJob) -> Trained:
        """Train beside the first process; see `Learner.help_to_train`.

        It waits until the first one has read the text, and writes nothing.
        """
        processes = Processes(choose_device(training_config(job.recipe).device))
        settings = parse_toml(processes.broadcast(""), "the recipe", SettingError)
        resume = processes.agree(False)  # or not: the first process alone knows
        recipe, run = Recipe.from_sections(settings), RunFolder.unfinished(job.run.named)
        base, config = _base_model(job), training_config(recipe)
        tokenizer = _kept_tokenizer(run, base)
        tokens = Tokens.open(run.tokens, vocab_size=tokenizer.vocab_size)
        model = build_model(recipe, tokenizer, base)
        examples = model.objective.examples(tokens.train)
        if base is None:
            model.objective.begin(model.backbone, examples)
        validation = None
        if tokens.valid is not None:
            validation = _held_out_loss(model, tokens.valid, config)
        checkpoints = Checkpoints(run.checkpoints)  # to resume from; the first process saves
        context = RunContext(run.path, checkpoints=checkpoints, resume=resume)
        history = fit(model, examples, config, context, validation)
        device = _device_after(config)
        learned = LanguageModel(tokenizer, model.backbone, model.objective, device=device)
        return Trained(learned, history, {}, recipe)

    def show(self, job: PretrainingJob, draw: Draw) -> Iterable[Shown]:
        """Learn the tokenizer, encode the text, and draw examples; see `Learner.show`."""
        job = replace(job, recipe=ruled_by_text(job.recipe, CorpusSample(job.text())))
        tokenizer = given_tokenizer(job.recipe, draw.tokenizer_file) or _tokenizer(job, None)
        return shown_examples(job.recipe, tokenizer, _tokens(job, tokenizer).train, draw)

    def next_command(self, model: LanguageModel, run: str) -> str:
        """Do what the objective is for: fill a mask, or write a text."""
        return cast(Objective, model.objective).command.format(run=run)


def _device_after(config: TrainingConfig) -> DeviceName:
    """Where the learned model stays: what was fully sharded may not fit one device."""
    is_full = is_fully_sharded(config, Processes(choose_device(config.device)))
    return "cpu" if is_full else config.device


def _taught(job: PretrainingJob, model: Model[Objective]) -> Model:
    """Return the model with a teacher's answers in its loss, if the job has a teacher."""
    if job.teacher is None:
        return model
    objective = distilled(model, job.teacher, training_config(job.recipe))
    return Model(model.backbone, objective)


def _planned(job: PretrainingJob, budget: float | None) -> PretrainingJob:
    used = time.monotonic() - job.began
    plan = plan_network(
        job.recipe,
        job.text(),
        budget,
        used=used,
        page=job.report is not None,
        shared=job.shared,
        is_fixed=job.is_fixed,
    )
    for sentence in plan.sentences():
        job.note(message("notes.pretrain.plan", said=sentence))
    if job.keep:
        plan.save(job.run.plan)
    job = begun(replace(job, recipe=plan.applied(job.recipe)), plan.budget_seconds)
    return job.shortened(plan.text_rate)


def _base_model(job: PretrainingJob) -> LanguageModel | None:
    if job.base is None:
        return None
    base = load_language_model(job.base) if isinstance(job.base, str | Path) else job.base
    if training_config(job.recipe).stacking_rate:
        raise SettingError(
            "[training] stacking_rate would write over layers that the base has learned; leave it "
            "out."
        )
    if base.kind != LanguageModel.kind:
        raise SettingError(
            f"A network cannot be pretrained further from {base.kind}; give the run or folder of "
            "a language model as the base."
        )
    return cast(LanguageModel, base)


def _with_rows_for_time(job: PretrainingJob, base: LanguageModel | None) -> PretrainingJob:
    """Return the job with rows and batches for its budget, as a plan gives them to a new network.

    A recipe's own are so large that a base of usual size takes one step in a minute.
    """
    if base is None or job.budget is None:
        return job
    from foretext.pretraining.plan.open_settings import settings_by_time, with_sections

    seconds, length = job.budget.seconds, base.backbone.max_length
    found = {
        name: each for name, each in settings_by_time(job.recipe, seconds, length).items() if each
    }
    if not found:
        return job
    values = [
        f"{name}.{key} = {value}" for name, each in found.items() for key, value in each.items()
    ]
    said = " and ".join(values) if language() == "en" else listed(values)
    job.note(message("notes.pretrain.by_time", settings=said))
    return replace(job, recipe=with_sections(job.recipe, found))


def _tokenizer(job: PretrainingJob, base: LanguageModel | None) -> SubwordTokenizer:
    """Learn the tokenizer, unless a base or an interrupted run has one."""
    if job.resume and job.run.tokenizer.is_file():
        return _kept_tokenizer(job.run, base)
    if base is not None:
        tokenizer: SubwordTokenizer = base.tokenizer
    else:
        if (shared := _shared_text(job)) is not None:
            tokenizer = shared.tokenizer(job.recipe)
        else:
            with reading(job, passes=2):
                tokenizer = learned_tokenizer(
                    job.recipe, job.text(), quiet=job.quiet, shards=job.shards
                )
        wanted = job.recipe.parts["tokenizer"].settings()["vocab_size"]
        if tokenizer.vocab_size < wanted:
            job.note(
                message(
                    "notes.pretrain.few_tokens",
                    tokens=number_of("token", tokenizer.vocab_size),
                    wanted=wanted,
                )
            )
    frame = objective_class(job.recipe).frame
    tokenizer = tokenizer if frame is None else with_frame(tokenizer, frame)
    tokenizer.save(job.run.tokenizer)
    return tokenizer


def _kept_tokenizer(run: RunFolder, base: LanguageModel | None) -> SubwordTokenizer:
    """Open the tokenizer of an unfinished run; how a text ends is what the base says."""
    kept = SubwordTokenizer.load(run.tokenizer)
    return kept if base is None else SubwordTokenizer(kept.library, base.tokenizer.ends)


def _tokens(job: PretrainingJob, tokenizer: SubwordTokenizer) -> Tokens:
    """Encode the text; a resumed run finds it in its folder."""
    objective = job.recipe.parts["objective"].config
    segmenter = objective_class(job.recipe).text_rules.segmenter(objective, tokenizer)
    if job.resume and job.run.tokens.is_dir():
        job.drop_shards()
        tokens = Tokens.open(job.run.tokens, vocab_size=tokenizer.vocab_size)
        if segmenter is not None:
            segmenter.check(tokens.train)
        return tokens
    text, shared = job.text(), _shared_text(job)
    encoded = None
    if shared is not None:
        encoded = shared.ids(job.recipe, tokenizer)
        shared.folder.keep_used(job.run)
    with (
        reading(job, passes=1),
        Progress(
            message("progress.encoding_text"), text.num_bytes, "bytes", quiet=job.quiet
        ) as bar,
    ):
        tokens = write_tokens(
            text,
            tokenizer,
            job.run.tokens,
            valid_rate=_valid_rate(job.recipe, text),
            seed=training_config(job.recipe).seed,
            workers=usable_cores(),
            progress=bar,
            segmenter=segmenter,
            encoded=encoded,
            shards=job.shards,
        )
    job.drop_shards()
    job.run.note(
        f"{text}: {counted(tokens.train.num_documents, 'document')}, "
        f"{counted(tokens.train.num_tokens, 'token')} to "
        f"train on, {tokenizer.vocab_size:,} in the vocabulary"
    )
    if tokens.train.units is not None:
        job.note(message("notes.pretrain.units", units=described(tokens.train.units)))
    _note_unknown_tokens(job, tokenizer, tokens.train)
    return tokens


def _shared_text(job: PretrainingJob) -> SharedText | None:
    return None if job.shared is None else SharedText(job.shared, job.text(), job.quiet)


def _note_unknown_tokens(job: PretrainingJob, tokenizer: SubwordTokenizer, text: TokenFile) -> None:
    """Warn where the tokenizer cannot encode much of the text."""
    unknown = tokenizer.special.unknown
    if unknown is None:
        return
    rate = float(np.mean(text.ids == unknown))
    if rate > MANY_UNKNOWN:
        key = "unknown_words" if tokenizer.expects_unknown else "unknown_letters"
        job.note(message(f"notes.pretrain.{key}", rate=rate, token=tokenizer.tokens[unknown]))


def _valid_rate(recipe: Recipe, text: Corpus) -> float:
    """Share of the text to hold out: what the recipe says, but no more than is needed."""
    tokens_about = (text.num_bytes or 0) / 4  # four bytes a token, about
    return min(recipe.data.valid_rate, MOST_HELD_OUT / max(tokens_about, 1))


def _possible(job: PretrainingJob, tokens: Tokens) -> Recipe:
    """Return the recipe without what this text does not allow; a note says what that is."""
    section = job.recipe.parts["objective"]
    texts = [part for part in tokens if part is not None]
    config, note = objective_class(job.recipe).text_rules.possible(section.config, texts)
    if note is not None:
        job.note(note)
    return job.recipe.with_config("objective", config)


def _validation(
    job: PretrainingJob, model: Model[Objective], tokenizer: SubwordTokenizer, held_out: TokenFile
) -> Validation:
    """The held-out loss; in a run that is kept, with samples of what the model answers.

    There are no samples where the first process has a share of the weights only.
    """
    config = training_config(job.recipe)
    measured: Validation = _held_out_loss(model, held_out, config)
    if job.keep and not is_fully_sharded(config, Processes(choose_device(config.device))):
        samples = job.run.samples
        measured = SampledValidation(measured, tokenizer, config.device, held_out, samples)
    return measured if job.teacher is None else ValidationOf(measured, model)


def _held_out_loss(model: Model[Objective], text: TokenFile, config: TrainingConfig) -> HeldOutLoss:
    examples = model.objective.examples(text, held_out=True)
    continues = model.objective.carries_state
    return HeldOutLoss(examples, config.batch_examples, continues=continues)


def _num_bytes(model: Model[Objective]) -> int:
    """Bytes of the model's file."""
    return sum(weights.nbytes for weights in model.parameters())
