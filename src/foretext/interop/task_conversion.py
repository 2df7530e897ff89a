"""Our tasks as classes of a family, and the other way round."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import Any, cast

from torch import Tensor

from foretext.base.errors import ModelFileError
from foretext.heads.base import Head
from foretext.heads.task_base import TaskBase
from foretext.interop.buffers import check_buffers
from foretext.interop.conversion import Converted, backbone_config, further_keys
from foretext.interop.families import FAMILIES, family_of
from foretext.interop.family import Family, Settings
from foretext.interop.heads import NO_HEADS
from foretext.interop.loaded import LoadedTask
from foretext.interop.no_init import no_init
from foretext.interop.own_parts import Resolve
from foretext.interop.own_settings import own_part
from foretext.interop.own_tasks import made_task, task_weights
from foretext.interop.rows import Row
from foretext.interop.sentence_transformers import PoolingMode
from foretext.interop.task_heads import TaskHead
from foretext.interop.their_names import canonical_names
from foretext.interop.their_tasks import said_of_task, says_same, task_keys
from foretext.interop.transfer import fill_weights, renamed_weights
from foretext.tokenizers.base import Tokenizer

__all__ = ["task_from_family", "task_to_family"]


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
    theirs |= task_keys(head, task)
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
        if says_same(theirs, head, num_outputs, own) and of_family.items() <= own["task"].items():
            return own
        said = said_of_task(theirs, head, num_outputs, bias=bias, of_pairs=of_pairs)
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
