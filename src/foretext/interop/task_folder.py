"""Folders of models that learned a task: written so that `transformers` opens them, and read.

``config.json`` has its settings and, under "foretext", ours; ``model.safetensors`` its names of
weights where it has a class of the same form, and ours where it has none.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from foretext.backbones.transformer import Transformer
from foretext.errors import ModelFileError
from foretext.interop.config_file import read_config, write_json
from foretext.interop.hugging_face import CONFIG, check_ids
from foretext.interop.own import MODEL_TYPE
from foretext.interop.own_settings import KEY, own_part
from foretext.interop.own_tasks import (
    load_own_task,
    own_task_settings,
    own_task_weights,
    reads_words,
)
from foretext.interop.sentence_transformers import is_cross_encoder, write_modules
from foretext.interop.task_conversion import task_from_family, task_to_family
from foretext.interop.weight_file import WEIGHTS, read_weights, weight_path, write_weights
from foretext.replacement import refuse_unfinished
from foretext.tasks.base import Task
from foretext.tasks.task_base import TaskBase
from foretext.tokenizers.frames import framed
from foretext.tokenizers.hf_files import load_hf_tokenizer, save_framed_tokenizer
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.tokenizers.word_tokenizer import WordTokenizer

__all__ = ["LoadedTask", "load_task", "save_task"]

TOKENIZER = "tokenizer.json"


class LoadedTask(NamedTuple):
    """All of a folder."""

    body: TaskBase  # on the CPU in float32, as is the task
    task: Task
    facts: Mapping[str, Any]  # what foretext kept with it
    unused: tuple[str, ...]  # weights of the folder that are in neither


def save_task(folder: Path, body: TaskBase, task: Task, facts: Mapping[str, Any]) -> None:
    """Write a model to a folder, file by file, config.json last.

    Args:
        folder: made where it is not there; other files in it stay.
        body: that reads texts.
        task: whose head is kept; what served its training alone is not.
        facts: what else is to be kept, as JSON has it.

    Raises:
        OutputError: the folder cannot be written.
    """
    converted = task_to_family(body, task)
    if converted is None:
        settings = {"model_type": MODEL_TYPE, "vocab_size": body.backbone.vocab_size}
        weights = own_task_weights(body, task)
    else:
        settings, weights = converted.settings, converted.weights
    folder.mkdir(parents=True, exist_ok=True)
    _save_tokenizer(folder, body, task.config.max_length)
    if converted is not None and converted.pooling is not None:
        length = body.framing(task.config.max_length).max_length
        write_modules(folder, converted.pooling, body.backbone.dim, length)
    write_weights(folder / WEIGHTS, weights)
    write_json(folder / CONFIG, {**settings, KEY: own_task_settings(body, task, facts)})


def load_task(folder: Path, *, of_pairs: bool = False) -> LoadedTask:
    """Read a folder that `save_task` wrote, or one of `transformers` with a head for a task.

    Args:
        folder: of the model.
        of_pairs: whether labels are to be those of pairs, where only `transformers` wrote the
            folder, whose files do not tell; those of a cross-encoder are, and so is a number.

    Raises:
        ModelFileError: a file is missing or damaged, the weights are a pickle, or do not fit
            config.json, or the model is of a kind that foretext does not have.
        CorpusError: the tokenizer is missing or damaged.
    """
    refuse_unfinished(folder, ModelFileError)
    path = folder / CONFIG
    config = read_config(path)
    place = weight_path(folder, (config.get("architectures") or ["AutoModel"])[0])
    weights = read_weights(place)
    if reads_words(config):
        words = WordTokenizer.load(folder / TOKENIZER)
        found = load_own_task(config, path, weights, place, words)
    else:
        tokenizer = load_hf_tokenizer(folder)
        if config.get("model_type") == MODEL_TYPE:
            found = load_own_task(config, path, weights, place, tokenizer)
        else:
            of_pairs = of_pairs or is_cross_encoder(folder, config)
            found = task_from_family(config, path, weights, place, tokenizer, of_pairs=of_pairs)
    check_ids(found.body.tokenizer, found.body.backbone, path)
    found.body.backbone.eval()
    found.task.eval()
    return LoadedTask(found.body, found.task, dict(own_part(config).get("facts", {})), found.unused)


def _save_tokenizer(folder: Path, body: TaskBase, max_length: int) -> None:
    tokenizer, backbone = body.tokenizer, body.backbone
    if not isinstance(tokenizer, SubwordTokenizer):
        tokenizer.save(folder / TOKENIZER)
        return
    framing = body.framing(max_length)
    has_segments = isinstance(backbone, Transformer) and backbone.config.num_segments > 1
    tells_frame = framed(
        tokenizer, framing.prefix, framing.between, framing.suffix, has_segments=has_segments
    )
    save_framed_tokenizer(
        tells_frame,
        folder,
        framing.max_length,
        has_segments=has_segments,
        pad=tokenizer.special.end,
    )
