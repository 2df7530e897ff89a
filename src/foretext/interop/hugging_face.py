"""Model folders of the library `transformers`, written and read.

``config.json`` has its settings and, under "foretext", ours; ``model.safetensors`` has weights in
float32 under its names. The tokenizer's files are beside them. The known families are the rows of
`FAMILIES`; any other model keeps our own names, and only foretext opens it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from foretext._version import __version__
from foretext.backbones.base import Backbone
from foretext.base.errors import ModelFileError
from foretext.base.replacement import refuse_unfinished
from foretext.data.framing import Framing
from foretext.generation import Decoding
from foretext.interop.config_file import read_config, write_json
from foretext.interop.conversion import from_family, to_family
from foretext.interop.generation_config import write_generation
from foretext.interop.loaded import Loaded, LoadedNetwork
from foretext.interop.own import MODEL_TYPE, load_own, own_settings, own_weights
from foretext.interop.own_settings import KEY, own_part
from foretext.interop.sentence_transformers import (
    SentenceEncoding,
    check_width,
    read_modules,
    write_modules,
)
from foretext.interop.text_ends import with_ends
from foretext.interop.weight_file import (
    WEIGHTS,
    by_transformers,
    read_apart,
    read_weights,
    weight_path,
    write_apart,
    write_weights,
)
from foretext.objectives.base import Objective
from foretext.objectives.sequence_to_sequence import SequenceToSequence
from foretext.tokenizers.base import Tokenizer
from foretext.tokenizers.frames import FrameKind
from foretext.tokenizers.hf_files import (
    load_hf_tokenizer,
    load_target_tokenizer,
    save_hf_tokenizer,
    save_target_tokenizer,
)
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer

__all__ = ["CONFIG", "check_ids", "load_hugging_face", "save_hugging_face"]

CONFIG = "config.json"


def save_hugging_face(
    folder: Path,
    tokenizer: SubwordTokenizer,
    backbone: Backbone,
    objective: Objective | None,
    facts: Mapping[str, Any],
    sentence: SentenceEncoding | None = None,
    *,
    target_tokenizer: SubwordTokenizer | None = None,
    decoding: Decoding | None = None,
) -> None:
    """Write a model to a folder, file by file, config.json last.

    Args:
        folder: created if missing; other files in it stay.
        tokenizer: that the model was trained with.
        backbone: of the model.
        objective: whose head is kept, or None.
        facts: what else is kept, as JSON has it.
        sentence: how a sentence encoder makes one vector of a text; None: it is none.
        target_tokenizer: of what a source becomes; None: that of the source.
        decoding: how a model with an encoder searches for texts; None: as by default.

    Raises:
        OutputError: the folder cannot be written.
    """
    converted = to_family(backbone, objective, tokenizer)
    frame: FrameKind
    if converted is None:
        settings = {"model_type": MODEL_TYPE, "vocab_size": backbone.vocab_size}
        weights = own_weights(backbone, objective)
        frame = _frame(objective)
    else:
        settings, weights = converted.settings, converted.weights
        frame = converted.family.frame
    own = {"version": __version__, **own_settings(backbone, objective, facts)}
    folder.mkdir(parents=True, exist_ok=True)
    has_segments = backbone.num_segments > 1
    save_hf_tokenizer(tokenizer, folder, backbone.max_length, frame, has_segments=has_segments)
    save_target_tokenizer(target_tokenizer, folder)
    if converted is not None and backbone.reads_source and objective is not None:
        write_generation(folder, cast(SequenceToSequence, objective), decoding)
    if sentence is not None:
        write_modules(folder, sentence, backbone.dim)
    write_weights(folder / WEIGHTS, weights)
    write_apart(folder, {} if converted is None else converted.apart)
    write_json(folder / CONFIG, {**settings, KEY: own})


def load_hugging_face(folder: Path) -> Loaded:
    """Read a model folder of `transformers`, `sentence-transformers` or foretext.

    Raises:
        ModelFileError: a file is missing or damaged, the weights are a pickle or do not fit
            config.json, or foretext has no such model.
        CorpusError: the tokenizer is missing or damaged.
        SettingError: the tokenizer lacks a token that the model's head needs.
    """
    refuse_unfinished(folder, ModelFileError)
    folder, sentence = read_modules(folder)
    path = folder / CONFIG
    config = read_config(path)
    if own_part(config).get("tokenizer") == "words":
        raise ModelFileError(
            f"{folder} contains a network over whole words, which has learned one task and cannot "
            "learn another; use it with predict."
        )
    place = weight_path(folder, by_transformers((config.get("architectures") or [None])[0]))
    tokenizer, target = (
        with_ends(load_hf_tokenizer(folder), config, folder),
        load_target_tokenizer(folder),
    )
    load = load_own if config.get("model_type") == MODEL_TYPE else from_family
    weights = {**read_weights(place), **read_apart(folder)}
    network = load(config, path, weights, place, tokenizer)
    check_ids(tokenizer, network.backbone, path, target)
    check_room(tokenizer, network, path)
    network.backbone.eval()
    if network.objective is not None:
        network.objective.eval()
    facts = own_part(config).get("facts", {})
    loaded = Loaded(tokenizer, **network._asdict(), target_tokenizer=target, facts=dict(facts))
    if sentence is None:
        return loaded
    check_width(sentence, network.backbone.dim, path)
    return replace(loaded, **sentence._asdict())


def _frame(objective: Objective | None) -> FrameKind:
    """The special tokens around a text, where no family says it."""
    if objective is not None and objective.frame is not None:
        return objective.frame
    return "bert" if objective is not None and objective.visibility == "full" else "gpt"


def check_ids(
    tokenizer: Tokenizer, backbone: Backbone, path: Path, target: Tokenizer | None = None
) -> None:
    """Check that every id has a vector.

    Args:
        tokenizer: of texts, or of sources.
        backbone: of the model.
        path: of config.json, for error messages.
        target: tokenizer of what sources become, where they have one of their own.

    Raises:
        ModelFileError: the tokenizer belongs to another model.
    """
    source_size: int = backbone.arguments.get("source_vocab_size", backbone.vocab_size)
    pairs = [(tokenizer, source_size)]
    if target is not None:
        pairs.append((target, backbone.vocab_size))
    for each, num_vectors in pairs:
        if each.vocab_size > num_vectors:
            raise ModelFileError(
                f"{path}: the tokenizer has ids up to {each.vocab_size - 1}, but the model has "
                f"{num_vectors} token vectors; use the tokenizer that belongs to the model."
            )


def check_room(tokenizer: SubwordTokenizer, network: LoadedNetwork, path: Path) -> None:
    """Check that a text fits beside the special tokens around it.

    Raises:
        ModelFileError: the model has too few positions.
    """
    framing = Framing.of(tokenizer, network.visibility, network.backbone.max_length)
    if framing.room < 1:
        raise ModelFileError(
            f"{path}: a model of {framing.max_length} positions has no room for a text beside the "
            "special tokens around it."
        )
