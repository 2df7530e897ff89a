"""The network of a task in the number format that its answers are computed in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ClassVar, cast

import torch

from foretext.base.arguments import checked_arguments
from foretext.heads.base import Head
from foretext.heads.task_base import TaskBase
from foretext.nn.device import DeviceName, choose_device
from foretext.nn.precision import ReadingPrecision, choose_dtype
from foretext.nn.quantized_linear import Copies, check_int8, has_int8, reading_copy
from foretext.tasks.computing import TaskNetwork
from foretext.tasks.trainee import Trainee

__all__ = ["AnsweringNetwork"]


class AnsweringNetwork(Trainee):
    """A base and a task, and copies of them for answers.

    Args:
        base: tokenizer and backbone.
        head: on that backbone.
        device: "auto" takes a CUDA device where there is one.
        precision: "auto" answers in bfloat16 where the device has it; "int8" is the same with
            products of integers, which only processors with VNNI instructions have.

    Attributes:
        keeps_int8: whether "auto" is "int8" where the device has it: rows have shown that answers
            are as good (`foretext.evaluation.precision`).

    Raises:
        SettingError: the device does not have that precision.
    """

    answers_in_int8: ClassVar[bool] = True  # whether products of integers have an effect

    def __init__(
        self, base: TaskBase, head: Head, *, device: DeviceName, precision: ReadingPrecision
    ) -> None:
        self.base = base
        self.head = head
        self.keeps_int8 = False
        self._is_in_training = False
        network = TaskNetwork(base.backbone, head).to(choose_device(device))
        self._copies = Copies(network, (base.tokenizer, base.target_tokenizer))
        self.use_precision(precision)

    def answering(self, options: Mapping[str, Any]) -> None:
        """Answer with another `precision` from now on.

        Raises:
            SettingError: another option, or a precision that the device does not have.
        """
        others = dict(options)
        if "precision" in others:
            self.use_precision(others.pop("precision"))
        super().answering(others)

    @checked_arguments
    def use_precision(self, precision: ReadingPrecision) -> None:
        """Answer in these numbers from now on.

        Raises:
            SettingError: the device does not have them.
        """
        if precision == "int8":
            check_int8(self._device)
        self.precision = precision

    @contextmanager
    def in_training(self) -> Iterator[None]:
        """Answer with the weights as they are now, not with a copy of them, in this context."""
        self._is_in_training = True
        try:
            yield
        finally:
            self._is_in_training = False

    def network(self) -> TaskNetwork:
        """Return the network in the precision of answers."""
        if self._is_in_training:
            return cast(TaskNetwork, self._copies.original)
        return cast(TaskNetwork, self._copies.in_dtype(self._dtype))

    def exact_network(self) -> TaskNetwork:
        """Return the network in float32."""
        return cast(TaskNetwork, self._copies.in_dtype(torch.float32))

    def reader(self) -> TaskNetwork:
        """Return the network for reading many rows, whose linear maps are no `nn.Linear`."""
        if self._is_in_training:
            return self.network()
        return cast(TaskNetwork, reading_copy(self._copies, self._dtype, self._reading_precision))

    @property
    def _reading_precision(self) -> ReadingPrecision:
        """What `precision` stands for where many rows are read."""
        kept = self.precision == "auto" and self.keeps_int8
        return "int8" if kept and has_int8(self._device) else self.precision

    @property
    def _dtype(self) -> torch.dtype:
        precision = "fp32" if self.base.backbone.keeps_fp32 else self.precision
        return choose_dtype(precision, self._device)

    @property
    def _device(self) -> torch.device:
        return self.base.backbone.embedding.device
