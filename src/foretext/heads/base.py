"""What every task is: a head that scores a backbone's states against the user's answers."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

from torch import Tensor

from foretext.backbones.base import States
from foretext.base.config import Config
from foretext.data.batch import Inputs
from foretext.heads.task_base import TaskBase
from foretext.nn.pooling import Pooling
from foretext.nn.scalar_mix import ScalarMix
from foretext.objectives.base import Objective, TaskHeads
from foretext.objectives.criterion import Criterion

__all__ = ["Head"]


class Head(Criterion):
    """A head on a backbone. The constructor of a class takes (config, base, **found).

    Its settings are a nested class `Config`, with `max_length`, the positions of a row.

    Args:
        config: what the user chose, and what was chosen for him; a folder keeps it.
        base: tokenizer and backbone.
        found: what was found in the rows, such as the labels, as JSON has it; a folder keeps it.

    Attributes:
        group: rows of an example.
        pooling: how the states of a row become one vector; None: each position is answered.
        marks_tokens: whether the backbone reads marks of tokens that only foretext makes.
        sentence_pooling: pooling of vectors that the task compares by cosine; None: it does not.
        normalizes: whether these vectors are given with length 1.
        characters: that words are read by, in the order of their ids; empty: by none.
    """

    name: ClassVar[str]  # of its loss in the log
    writes_texts: ClassVar[bool] = False  # whether it has a `writer`
    group: int = 1
    pooling: Pooling | None = None
    marks_tokens: bool = False
    sentence_pooling: Pooling | None = None
    normalizes: bool = False
    characters: str = ""

    def __init__(self, config: Config, base: TaskBase, **found: Any) -> None:
        super().__init__()
        self.config: Any = config
        self.found = found
        self.visibility = base.visibility
        self.mix: ScalarMix | None = None  # of layers; a task that has one sets it

    @property
    def needs_layers(self) -> bool:
        """Whether it reads the states of every layer."""
        return self.mix is not None

    @property
    def writer(self) -> Objective | None:
        """The objective whose head and ids it writes texts with; None: it writes none."""
        return None

    @property
    def layer_weights(self) -> list[float]:
        """How much of each layer it reads, the lowest first; empty: the last layer alone."""
        return [] if self.mix is None else self.mix.weights.tolist()

    def read(self, states: States) -> Tensor:
        """Return the states that the head stands on, (B, T, D): of the last layer, or a mix."""
        if self.mix is None:
            return states.last
        mixed: Tensor = self.mix(states.by_layer[-len(self.mix.scores) :])
        return mixed

    @abstractmethod
    def outputs(self, states: States, inputs: Inputs) -> Tensor:
        """Return what answers are made of: (examples, ...) or (examples, T, ...), float32."""

    @property
    def for_tasks(self) -> TaskHeads:
        """What another task on the same backbone may start from."""
        return TaskHeads()

    @classmethod
    def settings(cls) -> type[Config]:
        """Return the class of the section ``[task]``."""
        component: Any = cls
        config: type[Config] = component.Config
        return config
