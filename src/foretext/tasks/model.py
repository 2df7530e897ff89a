"""What every trained network of a task is in use: it answers rows, and is kept in a folder."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field
from typing_extensions import TypedDict

from foretext.base.arguments import checked_arguments
from foretext.base.config import Config
from foretext.base.errors import ModelFileError
from foretext.base.files import merged_folder
from foretext.base.parsing import parse_json
from foretext.data.framing import Framing
from foretext.data.padded_examples import PaddedExamples
from foretext.heads.base import Head
from foretext.heads.task_base import TaskBase
from foretext.interop.hugging_face import CONFIG
from foretext.interop.task_folder import load_task, save_task
from foretext.nn.device import DeviceName
from foretext.nn.precision import ReadingPrecision
from foretext.tasks import TASKS
from foretext.tasks.answering_network import AnsweringNetwork
from foretext.tasks.computing import Outputs, compute_outputs
from foretext.tokenizers.base import Tokenizer

__all__ = ["KeptFacts", "Positive", "TaskModel", "head_class"]

Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class KeptFacts(TypedDict, total=False):
    """What a folder keeps of a model beside weights and settings."""

    temperature: Positive
    precision: Literal["int8"]


class TaskModel(AnsweringNetwork):
    """A base and a task.

    A task from outside the package needs `head_class`, `rows_config`, `title`, `judged_by`, and the
    methods `read`, `find`, `examples`, `answer_rows`, `judge` and `records`. All others have
    defaults.

    Args:
        base: tokenizer and backbone.
        head: on that backbone.
        temperature: that logits are divided by before they become probabilities.
        device: "auto" takes a CUDA device where there is one.
        precision: "auto" answers in bfloat16 where the device has it; "int8" is the same with
            products of integers, which only processors with VNNI instructions have.
    """

    facts_type: ClassVar[Any] = KeptFacts  # of what `facts` returns, for reading it from a file
    of_pairs: ClassVar[bool] = False  # whether inputs are pairs of texts
    has_head: ClassVar[bool] = True  # False: the backbone alone is learned, and cannot be frozen
    usual_batch: ClassVar[int] = 32  # examples of a step, where nobody says
    task_origin: ClassVar = "pretrained"  # what another task that is learned on it starts with
    files = (
        "`model.safetensors` holds the weights and `config.json` their shape; `transformers` has "
        "no such model."
    )

    def __init__(
        self,
        base: TaskBase,
        head: Head,
        *,
        temperature: float = 1.0,
        device: DeviceName = "auto",
        precision: ReadingPrecision = "auto",
    ) -> None:
        super().__init__(base, head, device=device, precision=precision)
        self.temperature = temperature

    @property
    def kind(self) -> str:
        """The name of the task, or "module:Class"."""
        return TASKS.name_of(type(self))

    @property
    def num_labels(self) -> int | None:
        """Number of labels; None where answers are no labels."""
        return len(self.head.found.get("labels", ())) or None

    @property
    def label_names(self) -> tuple[str, ...]:
        """The labels; (): answers are no labels."""
        return tuple(self.head.found.get("labels", ()))

    @property
    def layer_weights(self) -> dict[str, float]:
        """How much of each layer the head reads; empty: the last layer alone."""
        weights, num_layers = self.head.layer_weights, self.base.backbone.num_layers
        names = ["embeddings", *(f"layer {number}" for number in range(1, num_layers + 1))]
        return dict(zip(names[-len(weights) :], weights, strict=False))

    def described(self) -> dict[str, Any]:
        """Return what card and report say of the model."""
        return {**super().described(), "layer_weights": self.layer_weights}

    @property
    def num_parameters(self) -> int:
        """Number of weights of backbone and head."""
        parts = (self.base.backbone, self.head)
        return sum(weight.numel() for part in parts for weight in part.parameters())

    @classmethod
    def begin(cls, base: TaskBase, config: Config, rows: Sequence[Any]) -> Self:
        """Put an untrained head for these rows on a base.

        Raises:
            CorpusError: nothing can be learned from the rows.
            SettingError: the head does not fit the base.
        """
        return cls(base, cls.head_class(config, base, **cls.find(rows)))

    @classmethod
    def needs_dropout(cls, rows: Sequence[Any]) -> bool:
        """Whether nothing can be learned from rows by a backbone without dropout."""
        return False

    def unknown_rate(self, rows: Sequence[Any]) -> float:
        """Return the share of unknown tokens of rows, 0 where unknown tokens are normal."""
        tokenizer = self.base.tokenizer
        unknown = tokenizer.special.unknown
        if tokenizer.expects_unknown or unknown is None:
            return 0.0
        return float((self.examples(rows).rows.values == unknown).mean())

    def as_base(self) -> TaskBase:
        """Return what another task is learned on; it shares the weights of this model."""
        base = self.base
        return TaskBase(
            base.tokenizer,
            base.backbone,
            base.visibility,
            *self.head.for_tasks,
            sentence_pooling=self.head.sentence_pooling,
            target_tokenizer=base.target_tokenizer,
            objective=self.head.writer,
            knows_pairs=self.head.writes_texts,
            characters=self.head.characters,
        )

    @property
    def tokenizer(self) -> Tokenizer:
        """What turns texts into the ids that the network reads."""
        return self.base.tokenizer

    @property
    def text_framing(self) -> Framing | None:
        """What stands around a text, and how much of a text is read at once."""
        return self.base.framing(self.head.config.max_length)

    # Answers

    def outputs(self, examples: PaddedExamples) -> Outputs:
        """Return the outputs of the task for each example."""
        return compute_outputs(self.reader(), examples)

    # Folders

    def facts(self) -> Mapping[str, Any]:
        """Return what is kept beside weights and settings: attributes by their names."""
        kept = {"precision": "int8"} if self.keeps_int8 else {}
        return {"temperature": self.temperature, **kept}

    def save_parts(self, folder: Path) -> None:
        """Write what answers beside the network into the folder of a model.

        Raises:
            OutputError: it cannot be written.
        """

    def load_parts(self, folder: Path, facts: Mapping[str, Any]) -> None:
        """Read what `save_parts` wrote; `facts` are of `facts_type`.

        Raises:
            ModelFileError: it is missing, or damaged.
        """

    def write(self, folder: Path, facts: Mapping[str, Any]) -> None:
        """Write the model into a folder, ``config.json`` last; `transformers` opens it if it can.

        Args:
            folder: other files in it stay.
            facts: what ``config.json`` keeps beside the model's own, as JSON has it.

        Raises:
            OutputError: the folder cannot be written.
        """
        self.save_parts(folder)
        kept = {**facts, "kind": self.kind, **self.facts()}
        save_task(folder, self.base, self.head, self.kind, kept)

    @checked_arguments
    def save(self, folder: str | Path) -> None:
        """Write a folder that `load` opens, and Hugging Face's `from_pretrained` where it can.

        Raises:
            OutputError: it cannot be written.
        """
        with merged_folder(Path(folder), CONFIG) as temporary:
            self.write(temporary, {})

    @classmethod
    @checked_arguments
    def load(
        cls,
        folder: str | Path,
        *,
        device: DeviceName = "auto",
        precision: ReadingPrecision = "auto",
    ) -> Self:
        """Open the folder of a run, or one of Hugging Face with a head for a task.

        Raises:
            ModelFileError: it holds no such model, or is damaged.
            UntrustedError: it names a class of a module that is not trusted.
        """
        path = Path(folder) / CONFIG
        stored = load_task(Path(folder), head_class, of_pairs=cls.of_pairs)
        component: type[TaskModel] = TASKS.resolve(stored.name, path)
        if not issubclass(component, cls):
            raise ModelFileError(f"{folder} holds a {component.__name__}, not a {cls.__name__}.")
        model = component(stored.base, stored.head, device=device, precision=precision)
        place = f"{path}: the facts of the model"
        kept = json.dumps(dict(stored.facts))
        facts = parse_json(kept, place, ModelFileError, component.facts_type)
        for name in model.facts().keys() & facts.keys():
            setattr(model, name, facts[name])
        model.keeps_int8 = "precision" in facts
        model.load_parts(Path(folder), facts)
        return model


def head_class(name: str, source: Path) -> type[Head]:
    """Return the class of the head of a task that the file `source` names."""
    component: type[TaskModel] = TASKS.resolve(name, source)
    return component.head_class
