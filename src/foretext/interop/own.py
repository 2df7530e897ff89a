"""Models as foretext describes them: the key "foretext" of a config.json.

It has what the settings of `transformers` cannot say, and everything where no family has the model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol, cast

from torch import Tensor

from foretext.backbones import BACKBONES
from foretext.backbones.base import Backbone
from foretext.base.config import Config
from foretext.base.errors import ModelFileError, SettingError
from foretext.data.batch import Visibility
from foretext.interop.config_file import read_vocab_size
from foretext.interop.loaded import LoadedNetwork
from foretext.interop.no_init import no_init
from foretext.interop.own_settings import KEY, own_part
from foretext.interop.transfer import Row, fill_weights, named_weights, renamed_weights
from foretext.objectives import OBJECTIVES
from foretext.objectives.base import Objective
from foretext.objectives.criterion import Criterion
from foretext.tokenizers.base import Tokenizer
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer

__all__ = [
    "MODEL_TYPE",
    "Part",
    "Resolve",
    "backbone_settings",
    "config_of",
    "described",
    "fill_own",
    "load_own",
    "own_backbone",
    "own_settings",
    "own_visibility",
    "own_weights",
    "read_part",
    "renamed_own",
]

MODEL_TYPE = "foretext"  # of folders that belong to no family
TASK_WEIGHTS = r"task\..+"  # of a folder of which only the backbone is wanted

Resolve = Callable[[str, Path], Any]  # from a name, and the file that says it, to a class


def own_settings(
    backbone: Backbone, objective: Objective | None, facts: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the value of "foretext"."""
    said = objective and described(OBJECTIVES.name_of(type(objective)), objective)
    return {**backbone_settings(backbone), "objective": said, "facts": dict(facts)}


def backbone_settings(backbone: Backbone) -> dict[str, Any]:
    """Return the part of "foretext" that `own_backbone` reads."""
    settings: dict[str, Any] = {"backbone": described(BACKBONES.name_of(type(backbone)), backbone)}
    if backbone.reads_words:
        settings["num_characters"] = backbone.num_characters
    if backbone.arguments:
        settings["arguments"] = dict(backbone.arguments)
    return settings


def own_weights(backbone: Backbone, objective: Objective | None) -> dict[str, Tensor]:
    """Return the weights under our names, float32 on the CPU."""
    return renamed_own(named_weights(backbone=backbone, objective=objective))


def renamed_own(ours: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return float32 copies of weights on the CPU, under the same names."""
    return renamed_weights(ours, _same_names(ours), _always)


def fill_own(
    ours: Mapping[str, Tensor], weights: dict[str, Tensor], unused: str, path: Path
) -> tuple[str, ...]:
    """Copy weights of the same names to ours.

    Args:
        ours: the weights that are written to.
        weights: of `path`; taken out one by one.
        unused: expression for the names of weights that may be there and are left out.
        path: for error messages.

    Returns:
        The names of the weights that were left out.

    Raises:
        ModelFileError: weights are missing, of wrong shape, or unknown.
    """
    return fill_weights(ours, _same_names(ours), _always, weights, unused, path)


def own_backbone(config: Mapping[str, Any], path: Path, tokenizer: Tokenizer) -> Backbone:
    """Build a backbone over a tokenizer; its weights are filled in later.

    Raises:
        ModelFileError: config.json describes none, or one that foretext does not have.
    """
    own = own_part(config)
    part = read_part(own, "backbone", BACKBONES.resolve, path)
    if part is None:
        raise ModelFileError(f'{path} does not describe a backbone under "{KEY}".')
    arguments = {"num_characters": own.get("num_characters", 0), **own.get("arguments", {})}
    vocab_size = read_vocab_size(dict(config), path)
    try:
        made: Backbone = part.component.build(part.config, vocab_size, **arguments)
        made.spell(tokenizer.tokens)
    except (SettingError, AttributeError, TypeError, ValueError) as error:
        raise ModelFileError(f"{path}: no backbone can be built from this ({error}).") from error
    return made


def load_own(
    config: Mapping[str, Any],
    config_path: Path,
    weights: dict[str, Tensor],
    weight_path: Path,
    tokenizer: SubwordTokenizer,
) -> LoadedNetwork:
    """Build the model of a folder that belongs to no family.

    Raises:
        ModelFileError: config.json does not fit foretext or the weights.
    """
    own = own_part(config)
    part = read_part(own, "objective", OBJECTIVES.resolve, config_path)
    with no_init(weights, config_path):
        backbone = own_backbone(config, config_path, tokenizer)
        objective = part and part.component(part.config, backbone, tokenizer)
    ours = named_weights(backbone=backbone, objective=objective)
    unused = fill_own(ours, weights, TASK_WEIGHTS, weight_path)
    if objective is not None:
        return LoadedNetwork(backbone, objective, objective.visibility, unused)
    said = {"visibility": _likely_visibility(tokenizer, backbone), **own}
    return LoadedNetwork(backbone, None, own_visibility(said, backbone, config_path), unused)


def own_visibility(own: Mapping[str, Any], backbone: Backbone, path: Path) -> Visibility:
    """Return what a backbone looks at.

    Raises:
        ModelFileError: it has no such visibility.
    """
    found = own.get("visibility")
    if found not in backbone.visibilities:
        known = " or ".join(repr(name) for name in sorted(backbone.visibilities))
        raise ModelFileError(f"{path}: visibility = {found!r} is not {known}.")
    return cast(Visibility, found)


def _likely_visibility(tokenizer: SubwordTokenizer, backbone: Backbone) -> Visibility:
    """What a backbone without a head looks at: a mask token stands for what is to be predicted."""
    likely: Visibility = "causal" if tokenizer.special.mask is None else "full"
    return likely if likely in backbone.visibilities else min(backbone.visibilities)


def _same_names(weights: Mapping[str, Tensor]) -> list[Row]:
    return [Row(name, (name,)) for name in weights]


def _always(flag: str) -> bool:
    return True


class _Configured(Protocol):
    config: Config


class Part(NamedTuple):
    """A component that a config.json names."""

    name: str
    component: Any  # its class
    config: Any


def config_of(part: Backbone | Criterion) -> Config:
    """Return the settings that a component was made with."""
    return cast(_Configured, part).config


def described(name: str, part: Backbone | Criterion) -> dict[str, Any]:
    """Return the name and the settings of a component, as `read_part` reads them."""
    return {"name": name, **config_of(part).model_dump(mode="json")}


def read_part(own: Mapping[str, Any], section: str, resolve: Resolve, path: Path) -> Part | None:
    """Return the component of a section; None where config.json names none.

    Args:
        own: the value of "foretext".
        section: such as "backbone".
        resolve: finds the class.
        path: of config.json.

    Raises:
        ModelFileError: it names a class or a setting that does not exist.
        UntrustedError: it names a module that is neither foretext's nor trusted.
    """
    found = own.get(section)
    if found is None:
        return None
    settings = dict(found)
    name = settings.pop("name", None)
    if not isinstance(name, str):
        raise ModelFileError(f"{path}: [{section}] name = {name!r} is not a name.")
    try:
        component = resolve(name, path)
        return Part(name, component, component.Config.checked(settings, section))
    except SettingError as error:
        raise ModelFileError(f"{path}: {error}") from error
    except AttributeError as error:  # a trusted module has it, but it is another kind of class
        raise ModelFileError(f"{path}: '{name}' is no {section}.") from error
