"""Folders of models that have learned a task, written so that `transformers` opens them, and read.

``config.json`` has its settings and, under "foretext", ours; ``model.safetensors`` has its names of
weights where it has a class of the same form, and ours where it has none.

Tasks that write texts, as the classes of `transformers` that their objectives are saved as. A
translator is a language model there, too: a `MarianMTModel`, a `T5ForConditionalGeneration`, or a
`GPT2LMHeadModel` that continues a source. What makes it a task is kept under "foretext".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast, get_args

from torch import Tensor

from foretext.base.errors import ModelFileError, SettingError
from foretext.base.replacement import refuse_unfinished
from foretext.generation import Decoding
from foretext.heads.base import Head, TaskBase
from foretext.interop.config_file import read_config, write_json
from foretext.interop.conversion import Converted, from_family, to_family
from foretext.interop.families import family_of
from foretext.interop.generation_config import write_generation
from foretext.interop.hugging_face import CONFIG, check_ids
from foretext.interop.loaded import LoadedTask
from foretext.interop.own import MODEL_TYPE, Resolve
from foretext.interop.own_settings import KEY, own_part
from foretext.interop.own_tasks import (
    load_own_task,
    made_task,
    own_task_settings,
    own_task_weights,
    reads_words,
)
from foretext.interop.sentence_transformers import (
    PoolingMode,
    SentenceEncoding,
    is_cross_encoder,
    write_modules,
)
from foretext.interop.task_conversion import task_from_family, task_to_family
from foretext.interop.text_ends import with_ends
from foretext.interop.weight_file import (
    WEIGHTS,
    by_transformers,
    read_weights,
    weight_path,
    write_weights,
)
from foretext.tokenizers.frames import framed
from foretext.tokenizers.hf_files import (
    load_hf_tokenizer,
    load_target_tokenizer,
    save_framed_tokenizer,
    save_target_tokenizer,
)
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.tokenizers.word_tokenizer import WordTokenizer

__all__ = ["load_task", "save_task"]

TOKENIZER = "tokenizer.json"

TASK = "text_to_text"  # of their classes that write texts
SEARCH = (  # settings of the task that are those of `Decoding`
    "num_beams",
    "max_new_tokens",
    "min_new_tokens",
    "length_penalty",
    "early_stopping",
    "no_repeat_ngram_size",
)


def save_task(
    folder: Path, base: TaskBase, head: Head, name: str, facts: Mapping[str, Any]
) -> None:
    """Write a model to a folder, file by file, config.json last.

    Args:
        folder: created if missing; other files in it stay.
        base: of the model.
        head: is kept, without what only its training used.
        name: of the task, by which `load_task` finds the class of its head.
        facts: what else is kept, as JSON has it.

    Raises:
        OutputError: the folder cannot be written.
    """
    converted = task_to_family(base, head, name) or _writer_to_family(base, head)
    if converted is None:
        settings = {"model_type": MODEL_TYPE, "vocab_size": base.backbone.vocab_size}
        weights = own_task_weights(base, head)
    else:
        settings, weights = converted.settings, converted.weights
    folder.mkdir(parents=True, exist_ok=True)
    _save_tokenizer(folder, base, head)
    save_target_tokenizer(cast(SubwordTokenizer | None, base.target_tokenizer), folder)
    if converted is not None and head.writer is not None and base.backbone.reads_source:
        writer: Any = head.writer
        write_generation(folder, writer, _decoding_of(head, base.backbone.max_length))
    if (pooling := _modules_pooling(base, head, converted)) is not None:
        length = base.framing(head.config.max_length).max_length
        sentence = SentenceEncoding(pooling, normalize=head.normalizes, text_length=length)
        write_modules(folder, sentence, base.backbone.dim)
    write_weights(folder / WEIGHTS, weights)
    write_json(folder / CONFIG, {**settings, KEY: own_task_settings(base, head, name, facts)})


def load_task(folder: Path, resolve: Resolve, *, of_pairs: bool = False) -> LoadedTask:
    """Read a folder that `save_task` wrote, or one of `transformers` with a head for a task.

    Args:
        folder: of the model.
        resolve: finds the class of a task's head by the name that a file says.
        of_pairs: whether labels belong to pairs of texts, where `transformers` wrote the folder and
            its files do not say it; those of a cross-encoder do, and so does a single number.

    Raises:
        ModelFileError: a file is missing or damaged, the weights are a pickle or do not fit
            config.json, or foretext has no such model.
        CorpusError: the tokenizer is missing or damaged.
    """
    refuse_unfinished(folder, ModelFileError)
    path = folder / CONFIG
    config = read_config(path)
    place = weight_path(folder, by_transformers((config.get("architectures") or [None])[0]))
    weights = read_weights(place)
    if reads_words(config):
        words = WordTokenizer.load(folder / TOKENIZER)
        found = load_own_task(config, path, weights, place, words, resolve)
    else:
        tokenizer, target = (
            with_ends(load_hf_tokenizer(folder), config, folder),
            load_target_tokenizer(folder),
        )
        if config.get("model_type") == MODEL_TYPE:
            found = load_own_task(config, path, weights, place, tokenizer, resolve, target)
        elif _writes_texts(config, path, resolve):
            both = tokenizer, target
            found = _writer_from_family(config, path, weights, place, both, resolve)
        else:
            of_pairs = of_pairs or is_cross_encoder(folder, config)
            found = task_from_family(
                config, path, weights, place, tokenizer, resolve, of_pairs=of_pairs
            )
    check_ids(found.base.tokenizer, found.base.backbone, path, found.base.target_tokenizer)
    found.base.backbone.eval()
    found.head.eval()
    return replace(found, facts=dict(own_part(config).get("facts", {})))


def _modules_pooling(base: TaskBase, head: Head, converted: Converted | None) -> PoolingMode | None:
    """Return the pooling of a folder of a sentence encoder; None: it is none.

    A model that no family has is one for foretext alone.
    """
    if converted is not None:
        return converted.pooling
    is_encoder = head.group == 1 and head.sentence_pooling in get_args(PoolingMode)
    if not is_encoder or base.tokenizer.kind == "words":
        return None
    return cast(PoolingMode, head.sentence_pooling)


def _save_tokenizer(folder: Path, base: TaskBase, head: Head) -> None:
    """Write the tokenizer with the template of the rows that the task reads."""
    tokenizer, backbone = base.tokenizer, base.backbone
    if not isinstance(tokenizer, SubwordTokenizer):
        tokenizer.save(folder / TOKENIZER)
        return
    if head.writer is not None:
        source = head.writer.reading(()).source or ()
        before, behind = source[: len(source) - 1], source[-1:]
        tells_frame = framed(tokenizer, before, behind, behind, has_segments=False)
        save_framed_tokenizer(tells_frame, folder, backbone.max_length, has_segments=False)
        return
    framing = base.framing(head.config.max_length)
    has_segments = backbone.num_segments > 1
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


def _writer_to_family(base: TaskBase, head: Head) -> Converted | None:
    """Return a task that writes texts as a family has it; None: it is none, or no family has it."""
    if head.writer is None or not isinstance(base.tokenizer, SubwordTokenizer):
        return None
    return to_family(base.backbone, head.writer, base.tokenizer)


def _writes_texts(theirs: Mapping[str, Any], path: Path, resolve: Resolve) -> bool:
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


def _writer_from_family(
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


def _decoding_of(head: Head, positions: int) -> Decoding:
    """Return how a task searches for texts, which have as many tokens at most as positions."""
    chosen = {name: getattr(head.config, name) for name in SEARCH}
    most = min(cast(Any, head).max_new_tokens, positions)
    return Decoding(**{**chosen, "max_new_tokens": most})
