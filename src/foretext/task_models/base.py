"""What every trained task is in use: it reads rows, answers them, and knows how good it is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self, cast

from foretext.config import Config
from foretext.data.padded_examples import PaddedExamples
from foretext.errors import ModelFileError
from foretext.files import merged_folder
from foretext.nn.copies import Copies
from foretext.nn.device import DeviceName, Precision, choose_device, choose_dtype
from foretext.task_models.computing import Outputs, TaskNetwork, compute_outputs
from foretext.tasks.base import Task
from foretext.tasks.task_base import TaskBase

__all__ = ["TaskModel"]


class TaskModel(ABC):
    """A body and a task.

    Args:
        body: that reads texts.
        task: whose head stands on the body's backbone.
        temperature: that probabilities are calibrated by; 1 leaves them as they are.
        device: "auto" takes a CUDA device where there is one.
        precision: "auto" answers in bfloat16 where the device has it.
    """

    task_class: ClassVar[type[Task]]
    rows_config: ClassVar[type[Config]]  # how its files are read
    of_pairs: ClassVar[bool] = False  # whether texts come by twos
    judged_by: str  # the figure by which one model is better than another

    def __init__(
        self,
        body: TaskBase,
        task: Task,
        *,
        temperature: float = 1.0,
        device: DeviceName = "auto",
        precision: Precision = "auto",
    ) -> None:
        self.body = body
        self.task = task
        self.temperature = temperature
        self.precision = precision
        network = TaskNetwork(body.backbone, task).to(choose_device(device))
        self._copies = Copies(network)

    @classmethod
    def begin(cls, body: TaskBase, config: Config, rows: Sequence[Any]) -> Self:
        """Put an untrained head for these rows on a body.

        Raises:
            CorpusError: there is nothing to learn from the rows.
            SettingError: the head does not fit the body.
        """
        return cls(body, cls.task_class(config, body, **cls.find(rows)))

    @classmethod
    def task_config(cls) -> type[Config]:
        """Return the class of the section ``[task]``."""
        component: Any = cls.task_class
        config: type[Config] = component.Config
        return config

    @classmethod
    @abstractmethod
    def read(cls, path: str | Path, config: Config | None = None) -> list[Any]:
        """Read a file of rows.

        Raises:
            CorpusError: the file will not do.
        """

    @classmethod
    @abstractmethod
    def find(cls, rows: Sequence[Any]) -> dict[str, Any]:
        """Return what the rows to learn from tell the task, such as its labels."""

    @abstractmethod
    def examples(self, rows: Sequence[Any]) -> PaddedExamples:
        """Return rows with their answers as examples to learn from.

        Raises:
            CorpusError: a row has an answer that the model does not know.
        """

    @abstractmethod
    def answer_rows(self, rows: Sequence[Any], network: TaskNetwork | None = None) -> Any:
        """Answer rows, in the form in which `judge` takes answers.

        Args:
            rows: as `read` gives them.
            network: that answers; None: the model's own.
        """

    @abstractmethod
    def judge(self, rows: Sequence[Any], answers: Any) -> dict[str, Any]:
        """Say how good answers to rows are; `judged_by` is among the figures.

        Args:
            rows: with their right answers.
            answers: those of `answer_rows`.
        """

    def figures(self, rows: Sequence[Any], network: TaskNetwork | None = None) -> dict[str, Any]:
        """Answer rows, and say how well; `judged_by` is among the figures.

        Args:
            rows: with their right answers.
            network: that answers; None: the model's own.
        """
        return self.judge(rows, self.answer_rows(rows, network))

    def knows(self, row: Any) -> bool:
        """Whether a row's answer is one of those that the model can give."""
        return True

    def num_cut(self, rows: Sequence[Any]) -> int:
        """Return the number of rows that are longer than the model reads at once."""
        return 0

    def unknown_rate(self, rows: Sequence[Any]) -> float:
        """Return the share of unknown tokens of rows, 0 where unknown tokens are normal."""
        tokenizer = self.body.tokenizer
        unknown = tokenizer.special.unknown
        if tokenizer.expects_unknown or unknown is None:
            return 0.0
        return float((self.examples(rows).rows.values == unknown).mean())

    @classmethod
    def num_characters(cls, rows: Sequence[Any]) -> int:
        """Return the ids of characters that the words of rows are spelled with, 0: not read."""
        return 0

    def evaluate(self, path: str | Path, *, rows: Config | None = None) -> dict[str, Any]:
        """Return the figures of a file of rows with right answers.

        Raises:
            CorpusError: the file will not do.
        """
        return self.figures(self.read(path, rows))

    def network(self) -> TaskNetwork:
        """Return the network in the numbers that much work at once is done in."""
        device = self.body.backbone.embedding.device
        keeps_fp32 = getattr(self.body.backbone, "keeps_fp32", False)
        dtype = choose_dtype("fp32" if keeps_fp32 else self.precision, device)
        return cast(TaskNetwork, self._copies.in_dtype(dtype))

    def outputs(self, examples: PaddedExamples, network: TaskNetwork | None = None) -> Outputs:
        """Return the task's outputs for each example."""
        return compute_outputs(network or self.network(), examples)

    def facts(self) -> Mapping[str, Any]:
        """Return what is kept beside weights and settings; numbers by their attributes' names."""
        return {"temperature": self.temperature}

    def save_parts(self, folder: Path) -> None:  # noqa: B027  most models have none
        """Write what answers beside the network, into the folder of a model.

        Raises:
            OutputError: it cannot be written.
        """

    def load_parts(self, folder: Path, facts: Mapping[str, Any]) -> None:  # noqa: B027  likewise
        """Read what `save_parts` wrote, as the facts of the folder say.

        Raises:
            ModelFileError: it is not there, or damaged.
        """

    def save(self, folder: str | Path) -> None:
        """Write a folder that `load` opens, and Hugging Face's `from_pretrained` where it can.

        Raises:
            OutputError: it cannot be written.
        """
        from foretext.interop.hugging_face import CONFIG
        from foretext.task_models.storage import save_task_model

        with merged_folder(Path(folder), CONFIG) as temporary:
            save_task_model(temporary, self)

    @classmethod
    def load(
        cls,
        folder: str | Path,
        *,
        device: DeviceName = "auto",
        precision: Precision = "auto",
    ) -> Self:
        """Open a run's folder, or one of Hugging Face with a head for a task.

        Raises:
            ModelFileError: it holds no such model, or is damaged.
        """
        from foretext.task_models.storage import load_task_model

        model = load_task_model(folder, device=device, precision=precision, of_pairs=cls.of_pairs)
        if not isinstance(model, cls):
            kind = type(model).__name__
            raise ModelFileError(f"{folder} holds a {kind}, and no {cls.__name__}.")
        return model
