"""Our models as models of a family, and the other way round."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, cast

from torch import Tensor

from foretext.backbones import BACKBONES
from foretext.backbones.base import Backbone
from foretext.base.errors import ModelFileError, SettingError
from foretext.interop.buffers import check_buffers
from foretext.interop.families import FAMILIES, family_of
from foretext.interop.family import Family, Settings
from foretext.interop.generation_config import IN_CONFIG, generation_keys, read_generation
from foretext.interop.loaded import LoadedNetwork
from foretext.interop.no_init import no_init
from foretext.interop.own import config_of, read_part, renamed_own
from foretext.interop.own_settings import own_part
from foretext.interop.sentence_transformers import PoolingMode
from foretext.interop.their_names import canonical_names, found_heads
from foretext.interop.transfer import (
    NO_HEADS,
    Heads,
    Row,
    fill_weights,
    named_weights,
    renamed_weights,
)
from foretext.interop.weight_file import OURS
from foretext.objectives import OBJECTIVES
from foretext.objectives.base import Objective
from foretext.objectives.sequence_to_sequence import SequenceToSequence
from foretext.tokenizers.base import Tokenizer
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer

__all__ = ["Converted", "backbone_config", "from_family", "further_keys", "to_family"]


class Converted(NamedTuple):
    """A model of ours as a family has it."""

    family: Family
    settings: Settings  # of config.json
    weights: dict[str, Tensor]
    pooling: PoolingMode | None = None  # how a backbone without a head makes one vector of a text
    apart: Mapping[str, Tensor] = MappingProxyType({})  # what their class does not have


def to_family(
    backbone: Backbone, objective: Objective | None, tokenizer: SubwordTokenizer
) -> Converted | None:
    """Return a model as a family has it; None where no family has such a model."""
    head: Any = None if objective is None else config_of(objective)
    for family in chain.from_iterable(each.variants for each in FAMILIES.values()):
        if family.fits(backbone, objective) and family.suits(tokenizer):
            theirs = family.theirs(backbone.config, head)
            if theirs is not None:
                theirs |= further_keys(family, head, backbone, tokenizer)
                if backbone.reads_source and objective is not None:
                    keys = generation_keys(cast(SequenceToSequence, objective))
                    theirs |= {name: keys[name] for name in IN_CONFIG}
                return _converted(family, theirs, backbone, objective)
    if objective is None or not objective.kept_apart:
        return None
    body = to_family(backbone, None, tokenizer)
    ours = named_weights(backbone=backbone, objective=objective)
    apart = {name: weight for name, weight in ours.items() if name.startswith(OURS)}
    return body and body._replace(apart=renamed_own(apart))


def from_family(
    theirs: Settings,
    config_path: Path,
    weights: dict[str, Tensor],
    weight_path: Path,
    tokenizer: SubwordTokenizer,
) -> LoadedNetwork:
    """Build our model from the folder of a family.

    Raises:
        ModelFileError: foretext has no such settings, or the weights do not fit them.
    """
    family = family_of(theirs, config_path)
    apart = {name: weights.pop(name) for name in [*weights] if name.startswith(OURS)}
    weights = canonical_names(family, weights)
    heads = found_heads(family, theirs, weights)._replace(apart=bool(apart))
    config, head = _configs(family, theirs, heads, config_path)
    check_buffers(weights, config, family.buffers, weight_path)
    with no_init(weights, config_path):
        backbone = family.build(config, theirs, config_path)
        objective = (
            family.objective_of(head)(head, backbone, tokenizer)
            if heads.head
            else _objective_apart(theirs, heads, backbone, tokenizer, config_path)
        )
    flag, ours = partial(family.flag, theirs), named_weights(backbone=backbone, objective=objective)
    rows = [*family.rows(config, family.prefix, heads, theirs)]
    rows += _rows_apart(ours, rows)
    unused = fill_weights(
        ours, rows, flag, weights | apart, rf"{family.unused}|{OURS}.+", weight_path
    )
    found = LoadedNetwork(backbone, objective, family.visibility, unused)
    if not backbone.reads_source or objective is None:
        return found
    writer = cast(SequenceToSequence, objective)
    generation = read_generation(config_path.parent, theirs, writer, backbone.vocab_size)
    return found._replace(unused=(*unused, *generation.unread), decoding=generation.decoding)


def backbone_config(family: Family, theirs: Settings, path: Path) -> Any:
    """Return the settings of our backbone.

    Raises:
        ModelFileError: foretext has no such settings.
    """
    return _configs(family, theirs, NO_HEADS, path)[0]


def further_keys(family: Family, head: Any, backbone: Backbone, tokenizer: Tokenizer) -> Settings:
    """Return their settings that do not follow from ours."""
    return {
        "model_type": family.model_type,
        "architectures": [family.backbone_class if head is None else family.head_class(head)],
        **family.size_keys(backbone),
        "tie_word_embeddings": _heads(family, head).tied,
        "dtype": "float32",
        **family.tokenizer_keys(backbone.config, tokenizer),
    }


def _converted(
    family: Family, theirs: Settings, backbone: Backbone, objective: Objective | None
) -> Converted:
    """Return a model with the weights that their class has, and those that are kept apart."""
    heads = _heads(family, None if objective is None else config_of(objective))
    prefix = family.prefix if heads.head else ""
    rows = [*family.rows(backbone.config, prefix, heads, theirs)]
    flag, ours = partial(family.flag, theirs), named_weights(backbone=backbone, objective=objective)
    apart = {row.ours: ours.pop(row.ours) for row in _rows_apart(ours, rows)} if heads.apart else {}
    weights = renamed_weights(ours, rows, flag)
    if family.decoder_twin is not None and not heads.tied:
        first, second = family.decoder_twin
        weights[second] = weights[first].clone()
    return Converted(family, theirs, weights, apart=renamed_own(apart))


def _objective_apart(
    theirs: Settings, heads: Heads, backbone: Backbone, tokenizer: SubwordTokenizer, path: Path
) -> Objective | None:
    """Build the objective of a folder whose class has no head; its weights are all kept apart."""
    own = own_part(theirs)
    part = read_part(own, "objective", OBJECTIVES.resolve, path) if heads.apart else None
    return None if part is None else part.component(part.config, backbone, tokenizer)


def _rows_apart(ours: Iterable[str], rows: Iterable[Row]) -> list[Row]:
    """Return a row with the same names for each weight of an objective that has none."""
    written = {row.ours for row in rows}
    return [Row(name, (name,)) for name in ours if name.startswith(OURS) and name not in written]


def _heads(family: Family, head: Any) -> Heads:
    """Which heads a model has, by the settings of its objective; None: it has no objective."""
    return NO_HEADS if head is None else family.heads(head)


def _configs(family: Family, theirs: Settings, heads: Heads, path: Path) -> tuple[Any, Any]:
    """Settings of our backbone and objective: the kept ones, where they still agree with theirs."""
    try:
        found = family.ours(theirs)
        head_found = family.head_settings(theirs) | {"tied": heads.tied} if heads.head else {}
        if heads.pair_head:
            head_found["next_sentence"] = True
        config, head = _kept(family, theirs, heads, path)
        if config is None:
            config = family.backbone_config.checked(found, "backbone")
        if head is None and heads.head:
            head = family.head_config.checked(head_found, "objective")
    except (ValueError, SettingError) as error:
        raise ModelFileError(f"{path}: {str(error).removesuffix('.')}.") from error
    except (TypeError, ArithmeticError) as error:
        raise ModelFileError(f"{path}: a setting has no possible value ({error}).") from error
    return config, head


def _kept(family: Family, theirs: Settings, heads: Heads, path: Path) -> tuple[Any, Any]:
    """The settings under "foretext", where theirs agree with them; None where they do not."""
    own = own_part(theirs)
    backbone = read_part(own, "backbone", BACKBONES.resolve, path)
    objective = read_part(own, "objective", OBJECTIVES.resolve, path)
    if backbone is None or backbone.component is not family.backbone:
        return None, None
    has_head = heads.head and objective is not None and objective.component in family.objectives
    head = objective.config if has_head and objective is not None else None
    written = family.theirs(backbone.config, head)
    if written is None or family.ours(written) != family.ours(theirs):
        return None, None
    same_head = _heads(family, head) == heads and (
        family.head_settings(written) == family.head_settings(theirs)
    )
    return backbone.config, head if same_head else None
