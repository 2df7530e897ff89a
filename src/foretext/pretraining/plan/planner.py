"""From a recipe, a corpus and a budget to a plan: a sample is encoded, and sizes are tried."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, cast

import torch

from foretext.base.runtime import num_processes, usable_cores
from foretext.base.sizes import Size, size_of
from foretext.corpus import Corpus
from foretext.data.token_file import TokenFile
from foretext.data.token_writer import write_tokens
from foretext.nn.device import choose_device
from foretext.nn.precision import choose_dtype
from foretext.objectives import OBJECTIVES
from foretext.pretraining.plan.memory import free_bytes, training_bytes
from foretext.pretraining.plan.open_settings import (
    chosen_shape,
    default_budget,
    merged_sections,
    settings_by_choice,
    settings_by_model,
    settings_by_rules,
    with_sections,
)
from foretext.pretraining.plan.plan import Plan
from foretext.pretraining.plan.sample import CorpusSample
from foretext.pretraining.plan.size import SHAPES, Candidate, Circumstances, choose, shape_name
from foretext.pretraining.plan.stopwatch import Timer, measure_speed
from foretext.pretraining.plan.times import LOADING_SECONDS, READING_RATE, Closing, training_seconds
from foretext.progress.run_context import RunContext
from foretext.recipe import Recipe
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.tokenizers.subwords import SUBWORDS, learn_subwords
from foretext.training.activations import activation_bytes, score_bytes
from foretext.training.model import Model
from foretext.training.settings import TrainingConfig

__all__ = ["Trials", "make_plan"]

LEAST_READING_RATE = 0.1  # of a budget, however long the planning took
TRIAL_RATE = 0.012  # of a budget, for each size that is tried
TRIAL_SECONDS = (0.2, 1.5)  # at least, at most

Build = Callable[[Recipe, SubwordTokenizer], Model]  # what the training itself builds with

# The tokenizer of a recipe, and all of the text as its ids
Prepare: TypeAlias = Callable[[Recipe], tuple[SubwordTokenizer, TokenFile]]


def make_plan(
    recipe: Recipe,
    corpus: Corpus,
    build: Build,
    budget: float | None = None,
    *,
    used: float = 0.0,
    page: bool = True,
    timer: Timer = time.monotonic,
    prepare: Prepare | None = None,
    is_fixed: bool = False,
) -> Plan:
    """Plan what `recipe` leaves open.

    Args:
        recipe: of a network that learns from text.
        corpus: what it learns from.
        build: makes the model of a recipe.
        budget: seconds for all, this planning too; None: by the size of the text.
        used: seconds of it that are gone already.
        page: whether the run is to write a page.
        timer: counts seconds.
        prepare: returns tokenizer and ids of all of the text, where these are ready, or are made
            now.
        is_fixed: whether all of the text is read, however long that takes.

    Raises:
        CorpusError: the corpus cannot be read.
        SettingError: no size, or not the one that was chosen, fits into memory, or the budget is
            too short.
    """
    began = timer() - used
    sample = CorpusSample(corpus)
    seconds = budget or default_budget(sample.corpus_bytes)
    closing = Closing.fitting(seconds, page=page, word_map=False)
    after = closing.seconds() + closing.page * LOADING_SECONDS
    by_rules = settings_by_rules(recipe, sample.corpus_bytes, seconds)
    shortest, longest = TRIAL_SECONDS
    trial_seconds = min(max(TRIAL_RATE * seconds, shortest), longest)
    with tempfile.TemporaryDirectory(prefix="foretext-") as folder:
        ruled = with_sections(recipe, by_rules)
        trials = Trials(ruled, sample, Path(folder), build, trial_seconds, timer, prepare)
        text_rate = _text_rate(trials.preparation_seconds, seconds, timer() - began)
        text_rate = 1.0 if is_fixed else text_rate
        preparation = text_rate * trials.preparation_seconds
        text_tokens = round(text_rate * trials.corpus_tokens)
        given = Circumstances(
            _loss_law(recipe),
            training_seconds(seconds, timer() - began + preparation, after),
            text_tokens,
            free_bytes(trials.device),
        )
        candidates = choose(trials.candidates(), given, trials.tokens_per_second)
        chosen = next(each for each in candidates if each.chosen)
        by_model = trials.settings_of_beginning(chosen)
    planning = timer() - began
    return Plan(
        recipe=recipe.name,
        budget_seconds=seconds,
        chosen_budget=budget is not None,
        planning_seconds=planning,
        preparation_seconds=preparation,
        training_seconds=training_seconds(seconds, planning + preparation, after),
        corpus_bytes=sample.corpus_bytes,
        corpus_tokens=text_tokens,
        text_rate=text_rate,
        vocab_size=trials.tokenizer.vocab_size,
        candidates=candidates,
        settings=merged_sections(
            merged_sections(by_rules, settings_by_choice(recipe, chosen, text_tokens)), by_model
        ),
    )


def _loss_law(recipe: Recipe) -> str | None:
    """Return the law of the objective; None of whole words, since the laws are of sub-words."""
    tokenizer = SUBWORDS.resolve(str(recipe.parts["tokenizer"].name))
    law: str | None = OBJECTIVES.resolve(recipe.name).loss_law
    return law if tokenizer.plans_vocabulary else None


def _text_rate(preparation: float, budget: float, used: float) -> float:
    """Return the share of the text that there is time to learn a tokenizer of and to encode."""
    allowed = max(READING_RATE * budget - used, LEAST_READING_RATE * budget)
    return min(allowed / max(preparation, 1e-9), 1.0)


class Trials:
    """A recipe with one size after another.

    Args:
        recipe: with all but the size.
        sample: of the text.
        folder: an empty one, for the sample's tokens.
        build: makes a model.
        seconds: to train each size for.
        timer: counts seconds.
        prepare: returns what the training itself reads, where that is ready; None: the sample is
            encoded.

    Attributes:
        tokenizer: learned from the sample; of a small corpus, the one that training will have.
        corpus_tokens: of all the text, about.
        preparation_seconds: to learn the tokenizer of all the text and to encode it, at most.
    """

    def __init__(
        self,
        recipe: Recipe,
        sample: CorpusSample,
        folder: Path,
        build: Build,
        seconds: float,
        timer: Timer = time.monotonic,
        prepare: Prepare | None = None,
    ) -> None:
        if prepare is not None:
            encoded = Encoded(*prepare(recipe), sample.corpus_bytes, 0.0)
        else:
            if not sample.whole:  # the time is extrapolated: load kernels first
                _encode(recipe, sample.beginning(), folder / "warm", timer)
            encoded = _encode(recipe, sample, folder / "tokens", timer)
        self.tokenizer, self.text = encoded.tokenizer, encoded.tokens
        self.preparation_seconds = encoded.seconds
        self.corpus_tokens = round(self.text.num_tokens * sample.corpus_bytes / encoded.num_bytes)
        self.recipe = _possible(recipe, self.text)
        self.folder, self.build, self.seconds, self.timer = folder, build, seconds, timer
        self.device = choose_device(self._training.device)

    def candidates(self) -> list[Candidate]:
        """Return all sizes, from small to large, or the one that the user chose."""
        if not chosen_shape(self.recipe):
            return [self._candidate(shape) for shape in SHAPES]
        return [self._candidate(None)]

    def tokens_per_second(self, candidate: Candidate) -> float:
        """Train a size for a moment; the first steps, which are slower, do not count."""
        model = self.build(self._sized(candidate), self.tokenizer)
        examples = model.objective.examples(self.text)
        context = RunContext(self.folder)
        speed = measure_speed(model, examples, self._training, context, self.seconds, self.timer)
        return speed.tokens_per_second

    def settings_of_beginning(self, candidate: Candidate) -> Mapping[str, Mapping[str, Any]]:
        """Return how the training of a size begins, as far as its rows and layers allow."""
        return settings_by_model(self.recipe, self._without_memory(candidate))

    def _without_memory(self, shape: Size | Candidate | None) -> Model:
        """Build the model of a size without memory for its weights; None: that of the recipe."""
        with torch.device("meta"):
            return self.build(self.recipe if shape is None else self._sized(shape), self.tokenizer)

    @property
    def _training(self) -> TrainingConfig:
        return cast(TrainingConfig, self.recipe.parts["training"].config)

    def _candidate(self, shape: Size | None) -> Candidate:
        """Count the weights of a size; None: the one that the recipe has."""
        model = self._without_memory(shape)
        backbone, training = model.backbone, self._training
        found = shape or size_of(backbone.config)
        shape = found or Size(backbone.num_layers, backbone.dim, 0)
        length = model.objective.row_length or backbone.usual_length
        tokens = (training.micro_batch_examples or training.batch_examples) * length
        dtype = choose_dtype(training.precision, self.device)
        parameters = sum(weights.numel() for weights in model.parameters())
        layers = sum(weights.numel() for weights in backbone.parameters())
        return Candidate(
            shape_name(shape),
            *shape,
            parameters=parameters,
            layer_parameters=layers - backbone.embedding.numel(),
            memory_bytes=training_bytes(
                parameters,
                backbone.depth,
                backbone.dim,
                tokens,
                dtype,
                sharers=1 if training.sharding == "none" else num_processes(),
            )
            + sum(
                activation_bytes(network.depth, network.dim, tokens, dtype)
                for network in model.objective.networks.values()
            )
            + sum(
                score_bytes(network, tokens // length, length, dtype)
                for network in (backbone, *model.objective.networks.values())
            ),
        )

    def _sized(self, shape: Size | Candidate) -> Recipe:
        if chosen_shape(self.recipe):
            return self.recipe
        sizes = {name: getattr(shape, name) for name in Size._fields}
        return self.recipe.with_settings("backbone", **sizes)


class Encoded(NamedTuple):
    """A sample of a text as ids."""

    tokenizer: SubwordTokenizer
    tokens: TokenFile
    num_bytes: int  # of the text that the tokens are of
    seconds: float  # that the same takes with all of the text, about


def _encode(recipe: Recipe, text: CorpusSample, folder: Path, timer: Timer) -> Encoded:
    """Learn the tokenizer of a text and encode it, or its beginning where words take long."""
    kind, config = recipe.parts["tokenizer"]
    workers, began = usable_cores(), timer()
    tokenizer = learn_subwords(str(kind), config.model_dump(), text, workers=workers)
    learned = timer()
    name, config = recipe.parts["objective"]
    segmenter = OBJECTIVES.resolve(str(name)).text_rules.segmenter(config, tokenizer)
    is_slow = segmenter is not None and segmenter.is_slow and not text.whole
    part = text.beginning() if is_slow else text
    ready = timer()
    tokens = write_tokens(part, tokenizer, folder, workers=workers, segmenter=segmenter).train
    learning = (learned - began) * text.corpus_bytes / text.num_bytes
    encoding = (timer() - ready) * text.corpus_bytes / part.num_bytes
    encoding /= workers if is_slow else 1  # this process cuts a little text, several cut much
    return Encoded(tokenizer, tokens, part.num_bytes, learning + (ready - learned) + encoding)


def _possible(recipe: Recipe, text: TokenFile) -> Recipe:
    """Return the recipe without what the text does not allow."""
    name, config = recipe.parts["objective"]
    possible, _ = OBJECTIVES.resolve(str(name)).text_rules.possible(config, [text])
    return recipe.with_config("objective", possible)
