"""What a family of published models is: its settings and its weights beside ours, as data.

*Theirs* are the settings of a ``config.json``; *ours* those of `Transformer` and of an objective.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, NamedTuple

from foretext.backbones.transformer import Transformer
from foretext.config import Config
from foretext.interop.heads import Heads
from foretext.interop.rows import Row
from foretext.interop.task_heads import TaskHead
from foretext.tokenizers.frames import FrameKind

__all__ = ["Family", "Key", "Settings"]

Settings = dict[str, Any]


class Key(NamedTuple):
    """What they call a setting of ours."""

    name: str
    default: Any  # where config.json does not say
    copies: tuple[str, ...] = ()  # other settings of theirs that are one with it here


class Family(ABC):
    """One kind of model of the library `transformers`. It has no state."""

    model_type: ClassVar[str]  # its name there
    body_class: ClassVar[str]
    frame: ClassVar[FrameKind]  # what stands around a text
    objective: ClassVar[Any]  # class whose head it has

    fixed: ClassVar[Mapping[str, Any]]  # settings of our backbone that all of its models have
    keys: ClassVar[Mapping[str, Key]]  # the other settings of our backbone: theirs
    activations: ClassVar[Mapping[str, str]]  # their names: ours, the first of equals is written
    required: ClassVar[Mapping[str, Any]]  # theirs that have one supported value, the default
    flags: ClassVar[Mapping[str, bool]] = {}  # theirs that say if a weight is there: the defaults
    special_ids: ClassVar[Mapping[str, str]]  # their setting: our name of a special token's task

    prefix: ClassVar[str]  # of the body's weights where there is a head
    body: ClassVar[tuple[Row, ...]]  # our backbone's weights: their body's, without prefix
    head: ClassVar[tuple[Row, ...]]  # our objective's weights: their head's
    pair_head: ClassVar[tuple[Row, ...]] = ()  # those of next-sentence prediction
    decoder: ClassVar[str]  # their head's weights, where these are not the token vectors
    decoder_twin: ClassVar[tuple[str, str] | None] = None  # a head weight, and a copy beside them
    task_heads: ClassVar[tuple[TaskHead, ...]] = ()  # their classes that answer tasks
    head_marks: ClassVar[frozenset[str]]  # weights and classes that show that there is a head
    unused: ClassVar[str]  # expression for names of weights that are left out
    tied: ClassVar[bool] = True  # whether token vectors are the head's weights, by default

    @abstractmethod
    def head_class(self, head: Any) -> str:
        """Their class with a head of our settings."""

    @abstractmethod
    def further_settings(self, theirs: Settings) -> Settings:
        """Our backbone's settings that no single key says.

        Raises:
            ValueError: with half a sentence, theirs is of a kind that foretext does not have.
        """

    @abstractmethod
    def further_keys(self, backbone: Transformer.Config) -> Settings:
        """Theirs that no single setting of our backbone says."""

    @abstractmethod
    def head_settings(self, theirs: Settings) -> Settings:
        """Our objective's settings."""

    @abstractmethod
    def head_keys(self, head: Any, backbone: Transformer.Config) -> Settings | None:
        """Theirs for our objective's settings; None where no such model has its head."""

    def task_settings(self, theirs: Settings) -> Settings:
        """Our tasks' settings that this family says in its own way.

        Raises:
            ValueError: with half a sentence, foretext has no such task.
        """
        return {"transform": "none"}

    def task_keys(self, task: Any, backbone: Transformer.Config) -> Settings:
        """Theirs for the settings of a task of ours that this family says in its own way."""
        return {}

    def theirs(self, backbone: Transformer.Config, head: Config | None) -> Settings | None:
        """Return theirs for a backbone and a head of ours; None where there is no such model."""
        activation = _first_name(self.activations, backbone.activation)
        fits = all(getattr(backbone, name) == value for name, value in self.fixed.items())
        if not fits or activation is None:
            return None
        found: Settings = {}
        for ours, key in self.keys.items():
            value = backbone.hidden_dim if ours == "feed_forward_dim" else getattr(backbone, ours)
            value = activation if ours == "activation" else value
            found |= dict.fromkeys((key.name, *key.copies), value)
        found |= self.further_keys(backbone)
        if head is None:
            return found
        of_head = self.head_keys(head, backbone)
        return None if of_head is None else found | of_head

    def ours(self, theirs: Settings) -> Settings:
        """Return our backbone's settings.

        Raises:
            ValueError: with half a sentence, theirs is of a kind that foretext does not have.
        """
        for name, value in self.required.items():
            if theirs.get(name, value) != value:
                raise ValueError(f"{name} = {theirs[name]!r} is not supported, only {value!r} is")
        found: Settings = dict(self.fixed)
        for ours, key in self.keys.items():
            found[ours] = self._read(theirs, key)
        found["activation"] = self.activation(theirs, self.keys["activation"])
        return found | self.further_settings(theirs)

    def activation(self, theirs: Settings, key: Key) -> str:
        """Return our name of an activation."""
        name = self._read(theirs, key)
        if name not in self.activations:
            known = ", ".join(self.activations)
            raise ValueError(f"{key.name} = {name!r} is not supported, only {known} are")
        return self.activations[name]

    def flag(self, theirs: Settings, name: str) -> bool:
        """Return a setting of theirs that says if a weight is there."""
        return bool(theirs.get(name, self.flags[name]))

    @property
    def head_config(self) -> type[Config]:
        """Class of our objective's settings."""
        config: type[Config] = self.objective.Config
        return config

    @property
    def embedding(self) -> str:
        """Their name of the token vectors, with prefix."""
        return self.prefix + self.body[0].theirs[0]

    def rows(self, num_layers: int, prefix: str, heads: Heads) -> Iterator[Row]:
        """Return the rows of one model, with full names."""
        for row in self.body:
            layers = range(row.first_layer, num_layers) if "{i}" in row.ours else range(1)
            for layer in layers:
                yield row.of_layer(layer).prefixed("backbone.", prefix)
        head = self.head if heads.head else ()
        for row in (*head, *(self.pair_head if heads.pair_head else ())):
            yield row.prefixed("objective.", "")
        if heads.head and not heads.tied:
            yield Row("objective.head.weight", (self.decoder,))

    def _read(self, theirs: Settings, key: Key) -> Any:
        value = theirs.get(key.name, key.default)
        for copy in key.copies:
            if theirs.get(copy, value) != value:
                raise ValueError(
                    f"{key.name} = {value!r} and {copy} = {theirs[copy]!r} differ, and foretext "
                    "has one setting for both"
                )
        return value


def _first_name(activations: Mapping[str, str], ours: str) -> str | None:
    return next((name for name, activation in activations.items() if activation == ours), None)
