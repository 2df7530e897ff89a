"""What a family of published models is: its settings and its weights beside ours, as data.

*Theirs* are the settings of a ``config.json``; *ours* those of a backbone and of an objective.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, cast

from torch import Tensor

from foretext.backbones.base import Backbone
from foretext.base.config import Config
from foretext.data.batch import Visibility
from foretext.interop.buffers import Holds
from foretext.interop.config_file import read_vocab_size
from foretext.interop.task_heads import TaskHead
from foretext.interop.transfer import Heads, Row
from foretext.objectives.base import Objective
from foretext.tokenizers.base import Tokenizer
from foretext.tokenizers.frames import FrameKind

__all__ = ["PLAIN", "Family", "Key", "Settings"]

Settings = dict[str, Any]

PLAIN: Mapping[str, Any] = {  # settings of a Transformer that most families do not have
    "embedding_dim": None,
    "share_layers": False,
    "head_dim": None,
    "scale_scores": True,
    "global_every": 1,
    "pooler_activation": "tanh",
}


class Key(NamedTuple):
    """The name that they give to a setting of ours."""

    name: str
    default: Any  # where config.json does not say
    copies: tuple[str, ...] = ()  # other settings of theirs that equal it here
    said_by: str | None = None  # property of our settings with the value; None: the setting itself
    unlike: str | None = None  # setting of ours: where both are equal there, ours is none


class Family(ABC):
    """One kind of model of the library `transformers`. It has no state but its names.

    A family with another backbone is a file with a subclass, and a row in `FAMILIES`.
    """

    model_type: str  # its name there
    backbone_class: str
    frame: ClassVar[FrameKind]  # what stands around a text
    backbone: ClassVar[type[Backbone]]  # our class
    objective: ClassVar[type[Objective]]  # our class with the same head
    others: ClassVar[tuple[type[Objective], ...]] = ()  # with that head; our folders name them

    fixed: ClassVar[Mapping[str, Any]]  # settings of our backbone that all of its models have
    keys: ClassVar[Mapping[str, Key]]  # the other settings of our backbone: theirs
    required: ClassVar[Mapping[str, Any]]  # theirs that have one supported value, the default
    activations: ClassVar[
        Mapping[str, str]
    ] = {}  # their names: ours, of equals the first is written
    flags: ClassVar[Mapping[str, bool]] = {}  # theirs that say if a weight is there: the defaults
    special_ids: ClassVar[Mapping[str, str]]  # their setting: our name of a special token's task

    prefix: ClassVar[str]  # of the backbone's weights where there is a head
    backbone_rows: ClassVar[tuple[Row, ...]]  # our backbone's weights, token vectors first: theirs
    head_rows: ClassVar[tuple[Row, ...]]  # our objective's weights: theirs
    pair_head_rows: ClassVar[tuple[Row, ...]] = ()  # those of next-sentence prediction
    decoder: ClassVar[str]  # their head's weights, where these are not the token vectors
    decoder_twin: ClassVar[tuple[str, str] | None] = None  # a head weight, and a copy beside them
    task_heads: tuple[TaskHead, ...] = ()  # their classes that answer tasks
    head_marks: ClassVar[frozenset[str]]  # weights and classes that show that there is a head
    buffers: ClassVar[Mapping[str, Holds]] = {}  # names of tensors that are no weights: their check
    unused: ClassVar[str]  # expression for names of weights that are left out
    tied: ClassVar[bool] = True  # whether token vectors are the head's weights, by default

    @abstractmethod
    def head_class(self, head: Any) -> str:
        """Return their class with a head of our settings."""

    @abstractmethod
    def further_settings(self, theirs: Settings) -> Settings:
        """Return our backbone's settings that no single key says.

        Raises:
            ValueError: with half a sentence, theirs is of a kind that foretext does not have.
        """

    @abstractmethod
    def further_keys(self, config: Any) -> Settings:
        """Return theirs that no single setting of our backbone says."""

    @abstractmethod
    def head_settings(self, theirs: Settings) -> Settings:
        """Return our objective's settings."""

    @abstractmethod
    def head_keys(self, head: Any, config: Any) -> Settings | None:
        """Return theirs for our objective's settings; None where no such model has its head.

        Args:
            head: the settings of our objective.
            config: of our backbone.
        """

    def heads(self, head: Any) -> Heads:
        """Return the heads of an objective of ours with these settings."""
        return Heads(head=True, pair_head=False, tied=head.tied)

    def task_settings(self, theirs: Settings) -> Settings:
        """Return our tasks' settings that this family says in its own way.

        Raises:
            ValueError: with half a sentence, foretext has no such task.
        """
        return {"transform": "none"}

    def task_keys(self, task: Any, config: Any) -> Settings:
        """Return theirs for the settings of a task of ours that this family says in its own way.

        Args:
            task: the task.
            config: of its head.
        """
        return {}

    def renamed(self, weights: dict[str, Tensor]) -> dict[str, Tensor]:
        """Return weights under the names in its rows, where some folders have others."""
        return weights

    def has_head(self, theirs: Settings, weights: Mapping[str, Tensor]) -> bool:
        """Whether a folder with these names of weights has a head of language modelling.

        Args:
            theirs: their config.json.
            weights: of the folder, by their names.
        """
        return bool(self.head_marks & {*weights, *(theirs.get("architectures") or ())})

    def head_vectors(self, weights: Mapping[str, Tensor]) -> Tensor | None:
        """Return the token vectors that a tied head has as its weights; None: they are missing."""
        return weights.get(self.embedding)

    def build(self, config: Any, theirs: Settings, path: Path) -> Backbone:
        """Return our backbone with as many token vectors as the config.json at `path` says.

        Args:
            config: of our backbone.
            theirs: their config.json.
            path: of that file, for errors.

        Raises:
            ModelFileError: it does not say it.
        """
        return self.backbone.build(config, read_vocab_size(theirs, path))

    def size_keys(self, backbone: Backbone) -> Settings:
        """Return theirs for the numbers of token vectors."""
        return {"vocab_size": backbone.vocab_size}

    def num_layers(self, config: Any, row: Row) -> int:
        """Return the number of layers that ``{i}`` stands for in the names of a row.

        Args:
            config: of our backbone.
            row: which names weights.
        """
        count: int = config.num_layers
        return count

    def suits(self, tokenizer: Tokenizer) -> bool:
        """Whether its models are read with such a tokenizer."""
        return True

    def tokenizer_keys(self, config: Any, tokenizer: Tokenizer) -> Settings:
        """Return theirs that the tokenizer says: ids of special tokens.

        Args:
            config: of our backbone.
            tokenizer: of the model.
        """
        special = tokenizer.special
        return {theirs: getattr(special, task) for theirs, task in self.special_ids.items()}

    def allows(self, config: Any) -> bool:
        """Whether a model of this family can have these settings of our backbone."""
        if self.activations and config.activation not in self.activations.values():
            return False
        return all(getattr(config, name) == value for name, value in self.fixed.items())

    def their_value(self, config: Any, ours: str) -> Any:
        """Return the value of their key for a setting of our backbone.

        Args:
            config: of our backbone.
            ours: the name of our setting.
        """
        value = getattr(config, self.keys[ours].said_by or ours)
        if ours == "activation" and self.activations:
            return next(name for name, own in self.activations.items() if own == value)
        return value

    def our_value(self, theirs: Settings, ours: str) -> Any:
        """Return the value of a setting of our backbone that has a key.

        Args:
            theirs: their config.json.
            ours: the name of our setting.

        Raises:
            ValueError: with half a sentence, theirs is of a kind that foretext does not have.
        """
        key = self.keys[ours]
        if ours == "activation" and self.activations:
            return self.activation(theirs, key)
        value = self.read(theirs, key)
        is_usual = key.unlike is not None and value == self.our_value(theirs, key.unlike)
        return None if is_usual else value

    def activation(self, theirs: Settings, key: Key) -> str:
        """Return our name of an activation.

        Args:
            theirs: their config.json.
            key: of the activation in it.

        Raises:
            ValueError: with half a sentence, foretext does not have it.
        """
        name = self.read(theirs, key)
        if name not in self.activations:
            known = ", ".join(self.activations)
            raise ValueError(f"{key.name} = {name!r} is not supported, only {known} are")
        return self.activations[name]

    @property
    def visibility(self) -> Visibility:
        """What its models look at."""
        return self.objective.visibility

    @property
    def objectives(self) -> tuple[type[Objective], ...]:
        """Our classes with the same head."""
        return self.objective, *self.others

    def objective_of(self, head: Config) -> type[Objective]:
        """Return our class with these settings."""
        configs: dict[type[Config], type[Objective]] = {
            cast(Any, each).Config: each for each in self.objectives
        }
        return configs[type(head)]

    @property
    def backbone_config(self) -> type[Config]:
        """Class of our backbone's settings."""
        component: Any = self.backbone
        config: type[Config] = component.Config
        return config

    @property
    def head_config(self) -> type[Config]:
        """Class of our objective's settings."""
        component: Any = self.objective
        config: type[Config] = component.Config
        return config

    @property
    def embedding(self) -> str:
        """Their name of the token vectors, with prefix."""
        return self.prefix + self.backbone_rows[0].theirs[0]

    @property
    def variants(self) -> tuple[Family, ...]:
        """The families of this model type, the first one first; usually there is one."""
        return (self,)

    def variant(self, theirs: Settings) -> Family:
        """Return the one of a config.json."""
        return self

    def fits(self, backbone: Backbone, objective: Objective | None = None) -> bool:
        """Whether a model of ours is of the classes that this family stands for.

        Args:
            backbone: of the model.
            objective: of the model; None: it has none.
        """
        return type(backbone) is self.backbone and (
            objective is None or type(objective) in self.objectives
        )

    def theirs(self, config: Any, head: Config | None) -> Settings | None:
        """Return theirs for a backbone and a head of ours; None where there is no such model.

        Args:
            config: of our backbone.
            head: the settings of our objective; None: no head.
        """
        if not self.allows(config):
            return None
        found: Settings = {}
        for ours, key in self.keys.items():
            found |= dict.fromkeys((key.name, *key.copies), self.their_value(config, ours))
        found |= self.further_keys(config)
        of_head = {} if head is None else self.head_keys(head, config)
        return None if of_head is None else found | of_head

    def ours(self, theirs: Settings) -> Settings:
        """Return our backbone's settings.

        Raises:
            ValueError: with half a sentence, theirs is of a kind that foretext does not have.
        """
        for name, value in self.required.items():
            if theirs.get(name, value) != value:
                raise ValueError(f"{name} = {theirs[name]!r} is not supported, only {value!r} is")
        keyed = {ours: self.our_value(theirs, ours) for ours in self.keys}
        return {**self.fixed, **keyed, **self.further_settings(theirs)}

    def flag(self, theirs: Settings, name: str) -> bool:
        """Return a setting of theirs that says if a weight is there.

        Args:
            theirs: their config.json.
            name: of the setting.
        """
        return bool(theirs.get(name, self.flags[name]))

    def rows(
        self, config: Any, prefix: str, heads: Heads, theirs: Settings | None = None
    ) -> Iterator[Row]:
        """Return the rows of one model, with full names; `theirs` are all of its settings.

        Args:
            config: of our backbone.
            prefix: before the names of theirs.
            heads: which heads the model has.
            theirs: their config.json; None: there is none yet.
        """
        for row in self.backbone_rows:
            if row.only_with is not None and getattr(config, row.only_with) is None:
                continue
            num_layers = self.num_layers(config, row) if "{i}" in row.ours else 1
            for layer in range(row.first_layer if "{i}" in row.ours else 0, num_layers):
                yield row.of_layer(layer).prefixed("backbone.", prefix)
        head = self.head_rows if heads.head else ()
        for row in (*head, *(self.pair_head_rows if heads.pair_head else ())):
            yield row.prefixed("objective.", "")
        if heads.head and not heads.tied:
            yield Row("objective.head.weight", (self.decoder,))

    def read(self, theirs: Settings, key: Key) -> Any:
        """Return the value of a key.

        Args:
            theirs: their config.json.
            key: one name, or several that say the same.

        Raises:
            ValueError: with half a sentence, settings that are one in foretext differ.
        """
        value = theirs.get(key.name, key.default)
        for copy in key.copies:
            if theirs.get(copy, value) != value:
                raise ValueError(
                    f"{key.name} = {value!r} and {copy} = {theirs[copy]!r} differ, and foretext "
                    "has one setting for both"
                )
        return value
