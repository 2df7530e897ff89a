"""Our tasks as classes of a family, and the other way round."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, cast

from torch import Tensor

from foretext.base.errors import ModelFileError
from foretext.heads.base import Head, TaskBase
from foretext.interop.buffers import check_buffers
from foretext.interop.conversion import Converted, backbone_config, further_keys
from foretext.interop.families import FAMILIES, family_of
from foretext.interop.family import Family, Settings
from foretext.interop.loaded import LoadedTask
from foretext.interop.no_init import no_init
from foretext.interop.own import Resolve
from foretext.interop.own_settings import own_part
from foretext.interop.own_tasks import made_task, task_weights
from foretext.interop.sentence_transformers import PoolingMode
from foretext.interop.task_heads import TaskHead
from foretext.interop.their_names import canonical_names
from foretext.interop.transfer import NO_HEADS, Row, fill_weights, renamed_weights
from foretext.tokenizers.base import Tokenizer

__all__ = ["task_from_family", "task_to_family"]

ONE_LABEL, LABEL_SETS, NUMBER = (
    "single_label_classification",
    "multi_label_classification",
    "regression",
)
UNMARKED: Settings = {"shared_tokens": False}  # their programs mark no tokens
MIN_LENGTH = 16  # of a row, in the settings of every task


def task_to_family(base: TaskBase, task: Head, name: str) -> Converted | None:
    """Return a model as a family has it; None where no family has such a model.

    Args:
        base: of the model.
        task: whose head stands on the base.
        name: of the task; no family has one from outside.
    """
    if base.tokenizer.kind == "words":
        return None
    for family in FAMILIES.values():
        fits = (head for head in family.task_heads if head.fits(name, task, family.visibility))
        suits = family.fits(base.backbone) and family.suits(base.tokenizer)
        if suits and (head := next(fits, None)) is not None:
            theirs = family.theirs(base.backbone.config, None)
            if theirs is not None:
                return _converted(family, head, theirs, base, task)
    return None


def task_from_family(
    theirs: Settings,
    config_path: Path,
    weights: dict[str, Tensor],
    weight_path: Path,
    tokenizer: Tokenizer,
    resolve: Resolve,
    *,
    of_pairs: bool,
) -> LoadedTask:
    """Build our task from the folder of a family.

    Args:
        theirs: its config.json, which is at `config_path`.
        config_path: for error messages.
        weights: of `weight_path`.
        weight_path: for error messages.
        tokenizer: of the folder.
        resolve: finds the class of a task's head.
        of_pairs: whether labels belong to pairs of texts, where the files do not say it.

    Raises:
        ModelFileError: foretext has no such class or settings, or the weights do not fit them.
    """
    family = family_of(theirs, config_path)
    head = _head(family, theirs, config_path)
    weights = canonical_names(family, weights)
    config = backbone_config(family, theirs, config_path)
    check_buffers(weights, config, family.buffers, weight_path)
    said = _said(family, theirs, head, weights, (config_path, weight_path), of_pairs=of_pairs)
    with no_init(weights, config_path):
        backbone = family.build(config, theirs, config_path)
        base = TaskBase(tokenizer, backbone, family.visibility)
        name, task = made_task(said, base, config_path, resolve)
    rows, flag = _rows(family, head, config, family.prefix, theirs), partial(family.flag, theirs)
    ours = task_weights(base, task)
    expected = rf"{family.unused}|{_pretrained(family)}"
    unused = fill_weights(ours, rows, flag, weights, expected, weight_path)
    return LoadedTask(name, base, task, unused)


def _converted(
    family: Family, head: TaskHead, theirs: Settings, base: TaskBase, task: Head
) -> Converted:
    """A model as a family has it; `theirs` are the settings of its backbone."""
    config = base.backbone.config
    theirs |= further_keys(family, None, base.backbone, base.tokenizer)
    theirs |= _task_keys(head, task)
    if head.has_layers:
        theirs |= family.task_keys(task, config)
    theirs["pad_token_id"] = _pad(base.tokenizer)
    rows = _rows(family, head, config, family.prefix if head.has_layers else "", theirs)
    weights = renamed_weights(task_weights(base, task), rows, partial(family.flag, theirs))
    pooling = None if head.has_layers else cast(PoolingMode, head.pooling)
    return Converted(family, theirs, weights, pooling)


def _rows(family: Family, head: TaskHead, config: Any, prefix: str, theirs: Settings) -> list[Row]:
    of_task = [row.prefixed("task.", "") for row in head.rows]
    return [*family.rows(config, prefix, NO_HEADS, theirs), *of_task]


def _pretrained(family: Family) -> str:
    """Return an expression for names of heads of pretraining, which a task does not have."""
    rows = (*family.head_rows, *family.pair_head_rows)
    names = {name for row in rows for name in row.theirs}
    return "|".join(map(re.escape, {*names, family.decoder, *(family.decoder_twin or ())}))


def _pad(tokenizer: Tokenizer) -> int | None:
    """The padding token: the last token that differs from it is the one that they pool."""
    special = tokenizer.special
    return special.end if special.pad is None else special.pad


def _head(family: Family, theirs: Settings, path: Path) -> TaskHead:
    said = own_part(theirs).get("task") or {}
    named = [head for head in family.task_heads if head.named(theirs)]
    fits = [head for head in named if head.has_layers or said]
    if fits:
        return next((head for head in fits if said.get("name") in head.tasks), fits[0])
    name = (theirs.get("architectures") or [None])[0]
    known = dict.fromkeys(head.their_class for head in family.task_heads if head.has_layers)
    raise ModelFileError(
        f"{path}: {name} is of no task that foretext has; the known classes of "
        f"{family.model_type} are {', '.join(known)}."
    )


def _said(
    family: Family,
    theirs: Settings,
    head: TaskHead,
    weights: dict[str, Tensor],
    paths: tuple[Path, Path],
    *,
    of_pairs: bool,
) -> Settings:
    """The value of "foretext", where theirs agree with it; else what theirs say.

    Args:
        family: of the model.
        theirs: config.json.
        head: its class.
        weights: of the folder.
        paths: of config.json and of the weights.
        of_pairs: whether labels belong to pairs of texts, where the files do not say it.
    """
    own, num_outputs = own_part(theirs), _num_outputs(head, weights, paths[1])
    bias = head.has_layers and f"{head.last_weight.removesuffix('weight')}bias" in weights
    try:
        of_family = family.task_settings(theirs) if head.has_layers else {}
        if _says_same(theirs, head, num_outputs, own) and of_family.items() <= own["task"].items():
            return own
        said = _said_of_task(theirs, head, num_outputs, bias=bias, of_pairs=of_pairs)
    except ValueError as error:
        raise ModelFileError(f"{paths[0]}: {error}.") from error
    return {"task": {"name": said.name, **said.settings, **of_family}, "found": said.found}


def _num_outputs(head: TaskHead, weights: dict[str, Tensor], path: Path) -> int:
    if not head.has_layers:
        return 0
    last = weights.get(head.last_weight)
    if last is None or last.dim() != 2:
        raise ModelFileError(
            f"{path}: the matrix '{head.last_weight}' is missing, from which "
            f"{head.their_class} computes its answers."
        )
    return len(last)


class _Said(NamedTuple):
    """The name, settings and findings of a task of ours."""

    name: str
    settings: Settings
    found: dict[str, Any]


def _task_keys(head: TaskHead, task: Head) -> Settings:
    """Return their settings for a task of ours."""
    keys: Settings = {"architectures": [head.their_class], **head.marks}
    if head.dropout is not None:
        keys[head.dropout] = task.config.dropout
    if not head.has_layers:
        return keys
    if head.pooling is not None:
        keys["problem_type"] = _problem_type(task.found)
    labels = task.found.get("labels")
    if labels:
        keys["id2label"] = {str(place): label for place, label in enumerate(labels)}
        keys["label2id"] = {label: place for place, label in enumerate(labels)}
    elif head.pooling is not None:
        keys |= {"id2label": {"0": "LABEL_0"}, "label2id": {"LABEL_0": 0}}  # one number
    return keys


def _said_of_task(
    theirs: Settings, head: TaskHead, num_outputs: int, *, bias: bool, of_pairs: bool
) -> _Said:
    """Return the task that a folder of theirs describes.

    Args:
        theirs: its settings.
        head: its class.
        num_outputs: of its last layer.
        bias: whether that layer has one.
        of_pairs: whether labels belong to pairs of texts, which no setting says.

    Raises:
        ValueError: with half a sentence, foretext has no such task.
    """
    if not head.has_layers:
        raise ValueError(f'{head.their_class} has no head, and "foretext" names no task')
    length: int = theirs.get("max_position_embeddings") or theirs.get("n_positions") or 512
    settings: Settings = {"max_length": max(MIN_LENGTH, length)}
    if head.dropout is not None:
        dropout = theirs.get(head.dropout)
        settings["dropout"] = theirs.get("hidden_dropout_prob", 0.1) if dropout is None else dropout
    if head.tasks[0] == "span_qa":
        if num_outputs != 2:
            raise ValueError(f"{num_outputs} scores for a position are not the two ends of a span")
        return _Said("span_qa", settings | UNMARKED, {})
    labels = _labels(theirs, num_outputs)
    if head.pooling is None:
        return _Said("tagging", settings, {"labels": labels})
    settings |= {"pooling": head.pooling, "bias": bias}
    kind = theirs.get("problem_type") or (NUMBER if num_outputs == 1 else ONE_LABEL)
    if kind == NUMBER:
        if num_outputs > 1:
            raise ValueError(f"{num_outputs} numbers for an answer are not supported, only one is")
        return _Said("matching", settings | UNMARKED | {"mode": "pair"}, {})
    if of_pairs and kind == ONE_LABEL:
        return _Said("matching", settings | UNMARKED | {"mode": "pair"}, {"labels": labels})
    return _Said("classification", settings, {"labels": labels, "multi_label": kind == LABEL_SETS})


def _says_same(theirs: Settings, head: TaskHead, num_outputs: int, own: Settings) -> bool:
    """Whether "foretext" still describes a folder that others may have changed.

    Raises:
        ValueError: with half a sentence, its labels cannot be used.
    """
    task, found = own.get("task"), own.get("found")
    if not (isinstance(task, dict) and isinstance(found, dict) and task.get("name") in head.tasks):
        return False
    if not head.has_layers:
        return True
    if head.pooling is not None and (head.pooling, theirs.get("problem_type")) != (
        task.get("pooling"),
        _problem_type(found),
    ):
        return False
    labels = found.get("labels")
    return not labels or _labels(theirs, num_outputs) == labels


def _labels(theirs: Settings, num_outputs: int) -> list[str]:
    """Return their labels in order; `LABEL_0` and so on where labels have no names.

    Raises:
        ValueError: with half a sentence, there are not as many as outputs, or two are equal.
    """
    names = theirs.get("id2label")
    if names is None:
        return [f"LABEL_{place}" for place in range(num_outputs)]
    if not isinstance(names, dict) or set(names) != {str(place) for place in range(num_outputs)}:
        raise ValueError(f"id2label does not name the {num_outputs} outputs, from 0")
    labels = [str(names[str(place)]) for place in range(num_outputs)]
    if len(set(labels)) < num_outputs:
        raise ValueError("id2label gives the same name to two outputs")
    return labels


def _problem_type(found: dict[str, Any]) -> str:
    if not found.get("labels"):
        return NUMBER
    return LABEL_SETS if found.get("multi_label") else ONE_LABEL
