"""What every task is: a question about states that the user's rows answer."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

from torch import Tensor

from foretext.backbones.base import States
from foretext.data.batch import Inputs
from foretext.objectives.criterion import Criterion

__all__ = ["Task"]


class Task(Criterion):
    """A head on a backbone. Its constructor takes (config, body, **found).

    Attributes:
        config: what the user chose.
        found: what the rows told, such as the labels, as JSON has it.
    """

    name: ClassVar[str]  # its row in the table TASKS
    config: Any
    found: dict[str, Any]

    @abstractmethod
    def outputs(self, states: States, inputs: Inputs) -> Tensor:
        """Return what answers are made of: (examples, ...) or (examples, T, ...), float32."""
