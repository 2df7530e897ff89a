"""Autoencoders: examples are read, a network is trained to reconstruct them, and both are kept."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray

from foretext.backbones import AUTOENCODERS
from foretext.backbones.autoencoder import Autoencoder
from foretext.backbones.base import Backbone
from foretext.base.counted import counted
from foretext.base.errors import ImageFileError, SettingError
from foretext.base.files import atomic_file
from foretext.data.images import range_note, read_images, scaled_examples
from foretext.language_model.codec import Codec
from foretext.messages import message
from foretext.objectives.reconstruction import (
    Reconstruction,
    ReconstructionConfig,
    Reconstructor,
)
from foretext.pretraining.autoencoder_examples import autoencoder_shown
from foretext.pretraining.best_weights import keeps_best
from foretext.pretraining.budget import with_training_time
from foretext.pretraining.job import PretrainingJob, Sources
from foretext.pretraining.learner import Draw, Learner, Trained
from foretext.progress.run_context import RunContext
from foretext.recipe import Recipe
from foretext.report.autoencoder_card import autoencoder_card
from foretext.report.pictures import picture_of
from foretext.shown import Shown
from foretext.training.kept_record import kept_record
from foretext.training.loop import fit
from foretext.training.model import Model
from foretext.training.settings import TrainingConfig
from foretext.training.validation import HeldOutLoss
from foretext.vectors.principal_components import principal_components

__all__ = ["AutoencoderLearner", "train_autoencoder"]

NUM_SHOWN = 12  # examples on the picture

Values = NDArray[np.float32]


class Split(NamedTuple):
    """Examples to learn from, (N, ...), and those held out, (M, ...), which may be none."""

    train: Values
    valid: Values


@dataclass(frozen=True)
class TrainedCodec(Trained):
    """An autoencoder, and its examples."""

    split: Split


class AutoencoderLearner(Learner[TrainedCodec]):
    """What learns to reconstruct examples."""

    def train(self, job: PretrainingJob) -> TrainedCodec:
        """Read the examples, and train a network to reconstruct them."""
        if job.base is not None:
            raise SettingError(message("options.pretrain.autoencoder_base"))
        examples = _examples(job.corpus)
        if note := range_note(examples, are_pictures=_answers_pictures(job.recipe)):
            job.note(note)
        split = _split(examples, job.recipe)
        job.run.note(
            f"{len(split.train):,} examples of shape {split.train.shape[1:]}, "
            f"{len(split.valid):,} held out"
        )
        codec = _begun(job.recipe, split)
        job = with_training_time(keeps_best(job, is_held_out=len(split.valid) > 0))
        with job.training_context() as context:
            history = _train(job.recipe, codec.network, split, context)
        steps, seconds = counted(history[-1]["step"], "step"), history[-1]["time"]
        job.run.note(f"trained {steps} in {seconds:.1f} s")
        if len(split.valid) and codec.components is not None:
            history[-1]["components_loss"] = codec.components_error(split.valid)
        config = cast(TrainingConfig, job.recipe.parts["training"].config)
        last = kept_record(history, keep=config.keep)
        facts = {
            "examples": len(split.train),
            "held_out_examples": len(split.valid),
            "steps": last["step"],
            "loss": last["loss"],
            "valid_loss": last.get("valid_loss"),
            "components_loss": last.get("components_loss"),
            "seconds": last["time"],
        }
        return TrainedCodec(codec, history, facts, job.recipe, split)

    def show(self, job: PretrainingJob, draw: Draw) -> Iterable[Shown]:
        """Read the examples, and show some of them and the network; see `Learner.show`."""
        if draw.tokenizer is not None:
            raise SettingError("An autoencoder reads no text; leave out the tokenizer.")
        examples = _examples(job.corpus)
        torch.manual_seed(cast(TrainingConfig, job.recipe.parts["training"].config).seed)
        network = _network(job.recipe, examples.shape[1:])
        config = cast(ReconstructionConfig, job.recipe.parts["reconstruction"].config)
        return autoencoder_shown(network, Reconstruction(config), examples, draw.number, draw.seed)

    def finish(self, job: PretrainingJob, trained: TrainedCodec) -> None:
        """Write networks, picture and card, and the mark of a finished run."""
        codec, split = trained.model, trained.split
        facts = job.facts({**codec.save(job.run.path), **trained.facts})
        if len(codec.shape) == 2:
            shown = (split.valid if len(split.valid) else split.train)[:NUM_SHOWN]
            with atomic_file(job.run.picture) as temporary:
                temporary.write_bytes(picture_of([shown, codec.reconstruct(shown)]))
        card = autoencoder_card(trained.recipe, facts, str(job.run.named))
        job.run.finish(card, facts, job.report)

    def next_command(self, model: Codec, run: str) -> str:
        """Measure it on other examples."""
        return f"evaluate {run} IMAGES"


def train_autoencoder(
    recipe: Recipe, examples: ArrayLike, context: RunContext
) -> tuple[Codec, list[dict[str, Any]]]:
    """Train an autoencoder of an array of examples (N, ...); returns it and the records.

    Raises:
        SettingError: the network does not fit the examples, or the loss is no longer a number.
        ImageFileError: these are no examples.
    """
    split = _split(_examples(examples), recipe)
    codec = _begun(recipe, split)
    return codec, _train(recipe, codec.network, split, context)


def _begun(recipe: Recipe, split: Split) -> Codec:
    """Return a network with random weights, and the principal components that it has to beat."""
    torch.manual_seed(cast(TrainingConfig, recipe.parts["training"].config).seed)
    network = _network(recipe, split.train.shape[1:])
    rows, dim = split.train.reshape(len(split.train), -1), network.code_size
    smaller = dim < rows.shape[1]
    components = principal_components(rows, dim, remove_mean=True) if smaller else None
    return Codec(network, components)


def _train(
    recipe: Recipe, network: Autoencoder, split: Split, context: RunContext
) -> list[dict[str, Any]]:
    config = cast(TrainingConfig, recipe.parts["training"].config)
    reconstruction = cast(ReconstructionConfig, recipe.parts["reconstruction"].config)
    objective = Reconstruction(reconstruction)
    validation = None
    if len(split.valid):
        held_out = objective.examples(split.valid, held_out=True)
        validation = HeldOutLoss(held_out, config.batch_examples)
    model = Model(cast(Backbone, Reconstructor(network)), objective)
    return fit(model, objective.examples(split.train), config, context, validation)


def _answers_pictures(recipe: Recipe) -> bool:
    network: type[Autoencoder] = AUTOENCODERS.resolve(str(recipe.parts["autoencoder"].name))
    return network.answers_pictures


def _network(recipe: Recipe, shape: tuple[int, ...]) -> Autoencoder:
    name, config = recipe.parts["autoencoder"]
    network: Autoencoder = AUTOENCODERS.resolve(str(name))(config, shape)
    return network


def _examples(source: Sources | ArrayLike) -> Values:
    """Read files of images, one or several; pixels of an array are scaled as those of a file."""
    paths = [source] if isinstance(source, str | Path) else source
    if not isinstance(paths, list | tuple) or not all(isinstance(p, str | Path) for p in paths):
        array = scaled_examples(cast(ArrayLike, source))
        if array.ndim < 2 or not array.size:
            raise ImageFileError(
                f"an array of shape {array.shape} cannot be learned from: give one example a row."
            )
        return array
    if not paths:
        raise ImageFileError("No images were given; give an array, or a file of images.")
    stacks = [read_images(str(path)) for path in paths]
    for path, stack in zip(paths, stacks, strict=True):
        if stack.shape[1:] != stacks[0].shape[1:]:
            raise ImageFileError(
                f"{path} has images of {stack.shape[1:]}, but {paths[0]} of {stacks[0].shape[1:]}; "
                "give files of one size."
            )
    return np.concatenate(stacks) if len(stacks) > 1 else stacks[0]


def _split(examples: Values, recipe: Recipe) -> Split:
    num_valid = min(math.ceil(recipe.data.valid_rate * len(examples)), len(examples) - 1)
    seed = cast(TrainingConfig, recipe.parts["training"].config).seed
    order = np.random.default_rng(seed).permutation(len(examples))
    return Split(examples[order[num_valid:]], examples[order[:num_valid]])
