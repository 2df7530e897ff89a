"""Tasks that write texts, as the classes of `transformers` that their objectives are saved as.

A translator is a language model there, too: a `MarianMTModel`, a `T5ForConditionalGeneration`, or a
`GPT2LMHeadModel` that continues a source. What makes it a task is kept under "foretext".
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from torch import Tensor

from foretext.base.errors import ModelFileError, SettingError
from foretext.generation import Decoding
from foretext.heads.base import Head
from foretext.heads.task_base import TaskBase
from foretext.interop.conversion import Converted, from_family, to_family
from foretext.interop.families import family_of
from foretext.interop.loaded import LoadedTask
from foretext.interop.own_parts import Resolve
from foretext.interop.own_settings import own_part
from foretext.interop.own_tasks import made_task
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer

__all__ = ["decoding_of", "writer_from_family", "writer_to_family", "writes_texts"]

TASK = "text_to_text"  # of their classes that write texts
SEARCH = (  # settings of the task that are those of `Decoding`
    "num_beams",
    "max_new_tokens",
    "min_new_tokens",
    "length_penalty",
    "early_stopping",
    "no_repeat_ngram_size",
)


def writer_to_family(base: TaskBase, head: Head) -> Converted | None:
    """Return a task that writes texts as a family has it; None: it is none, or no family has it."""
    if head.writer is None or not isinstance(base.tokenizer, SubwordTokenizer):
        return None
    return to_family(base.backbone, head.writer, base.tokenizer)


def writes_texts(theirs: Mapping[str, Any], path: Path, resolve: Resolve) -> bool:
    """Whether the folder of a family is that of a task that writes texts.

    Where "foretext" names no task, it is if the class reads a source with an encoder.

    Args:
        theirs: the config.json at `path`.
        path: for error messages.
        resolve: finds the class of a task's head.
    """
    family = family_of(dict(theirs), path)
    named = (own_part(theirs).get("task") or {}).get("name")
    if any(head.named(theirs) and head.has_layers for head in family.task_heads):
        return False
    if isinstance(named, str):
        return bool(resolve(named, path).writes_texts)
    return bool(family.backbone.reads_source)


def writer_from_family(
    theirs: dict[str, Any],
    config_path: Path,
    weights: dict[str, Tensor],
    weight_path: Path,
    tokenizers: tuple[SubwordTokenizer, SubwordTokenizer | None],
    resolve: Resolve,
) -> LoadedTask:
    """Build our task from the folder of a family.

    Args:
        theirs: its config.json, which is at `config_path`.
        config_path: for error messages.
        weights: of `weight_path`.
        weight_path: for error messages.
        tokenizers: of sources, and of targets where they have one of their own.
        resolve: finds the class of a task's head.

    Raises:
        ModelFileError: foretext has no such settings, or the weights do not fit them.
    """
    tokenizer, target = tokenizers
    network = from_family(theirs, config_path, weights, weight_path, tokenizer)
    if network.objective is None:
        raise ModelFileError(
            f"{config_path}: {(theirs.get('architectures') or ['the model'])[0]} has no head that "
            "predicts tokens, so it writes no texts; use it as a base."
        )
    base = TaskBase(
        tokenizer,
        network.backbone,
        network.visibility,
        *network.objective.for_tasks,
        target_tokenizer=target,
        objective=network.objective,
    )
    own = own_part(theirs)
    said = own if own.get("task") else {"task": _settings(network.decoding)}
    try:
        name, head = made_task(said, base, config_path, resolve)
    except SettingError as error:
        raise ModelFileError(f"{config_path}: {error}") from error
    return LoadedTask(name, base, head, network.unused)


def _settings(decoding: Decoding | None) -> dict[str, Any]:
    """Return the task of a folder that names none: it searches as the folder says."""
    search = decoding or Decoding.checked({}, "decoding")
    return {"name": TASK, **{name: getattr(search, name) for name in SEARCH}}


def decoding_of(head: Head, positions: int) -> Decoding:
    """Return how a task searches for texts, which have as many tokens at most as positions."""
    chosen = {name: getattr(head.config, name) for name in SEARCH}
    most = min(cast(Any, head).max_new_tokens, positions)
    return Decoding(**{**chosen, "max_new_tokens": most})
