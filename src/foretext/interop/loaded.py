"""The contents of a model folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from foretext.backbones.base import Backbone
from foretext.data.batch import Visibility
from foretext.generation import Decoding
from foretext.heads.base import Head, TaskBase
from foretext.interop.sentence_transformers import PoolingMode
from foretext.nn.pooling import Dense
from foretext.objectives.base import Objective
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer

__all__ = ["Loaded", "LoadedNetwork", "LoadedTask"]


class LoadedNetwork(NamedTuple):
    """A backbone and, where there is a head, an objective, on the CPU in float32."""

    backbone: Backbone
    objective: Objective | None
    visibility: Visibility  # that the backbone was trained with, if the folder says it
    unused: tuple[str, ...] = ()  # weights of the folder that neither has
    decoding: Decoding | None = None  # how texts are searched for, if the folder can say it


@dataclass(frozen=True)
class Loaded:
    """A language model, a backbone without a head, or a sentence encoder."""

    tokenizer: SubwordTokenizer
    backbone: Backbone  # on the CPU in float32, as is the objective
    objective: Objective | None  # None: the folder has no head, or one that foretext does not know
    visibility: Visibility  # that the backbone was trained with
    facts: Mapping[str, Any]  # what foretext kept with it
    unused: tuple[str, ...]  # weights of the folder that neither has
    pooling: PoolingMode | None = None  # how states become one vector, if the folder says it
    normalize: bool = False  # whether that vector is scaled to length 1
    text_length: int | None = None  # tokens that are pooled, with special tokens
    dense: tuple[Dense, ...] = ()  # layers between pooling and scaling
    prompts: Mapping[str, str] = field(default_factory=dict)  # texts to begin others with
    decoding: Decoding | None = None  # how texts are searched for, if the folder can say it
    target_tokenizer: SubwordTokenizer | None = None  # None: sources and targets have one


@dataclass(frozen=True)
class LoadedTask:
    """A task on its backbone, on the CPU in float32."""

    name: str  # of the task, as the folder says
    base: TaskBase
    head: Head
    unused: tuple[str, ...] = ()  # weights of the folder that neither has
    facts: Mapping[str, Any] = field(default_factory=dict)  # what foretext kept with it
