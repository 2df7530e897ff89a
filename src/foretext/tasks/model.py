"""What every trained network of a task is in use: it answers rows, and is kept in a folder."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self, cast

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import Field
from torch import nn
from typing_extensions import TypedDict

from foretext.backbones.base import Backbone, inference_batches
from foretext.base.arguments import checked_arguments
from foretext.base.config import Config
from foretext.base.errors import ModelFileError, SettingError
from foretext.base.files import merged_folder
from foretext.base.parsing import parse_json
from foretext.data.examples import Examples
from foretext.data.framing import Framing
from foretext.data.padded_examples import PaddedExamples
from foretext.heads.base import Head, TaskBase
from foretext.interop.hugging_face import CONFIG
from foretext.interop.task_folder import load_task, save_task
from foretext.nn.batch_threads import over_batches
from foretext.nn.device import DeviceName, choose_device
from foretext.nn.precision import ReadingPrecision, choose_dtype
from foretext.nn.quantized_linear import Copies, check_int8, has_int8, reading_copy
from foretext.objectives.criterion import Criterion
from foretext.shown import Part, Shown
from foretext.tasks.classification.linear import LinearClassifier
from foretext.tasks.explanation import Texts
from foretext.tasks.lessons import Consistency, Lessons, Teaching
from foretext.tasks.predictor import Predictor
from foretext.tasks.showing import network_parts, shown_inputs
from foretext.tasks.task import model_class, task_named
from foretext.tokenizers.base import Tokenizer

__all__ = [
    "KeptFacts",
    "Outputs",
    "Positive",
    "TaskModel",
    "TaskNetwork",
    "compute_outputs",
    "head_class",
]

Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]

BATCH_TOKENS = {"cpu": 1 << 11, "cuda": 1 << 16}  # so that the states of a batch fit into a cache

Outputs = list[NDArray[np.float32]]  # of each example, without padding


class KeptFacts(TypedDict, total=False):
    """What a folder keeps of a model beside weights and settings."""

    temperature: Positive
    precision: Literal["int8"]


class TaskModel(Predictor):
    """A base and a task.

    That of a task from outside the package needs `task`, and the methods `examples`, `answer_rows`
    and `records`. All others have defaults.

    Args:
        base: tokenizer and backbone.
        head: on that backbone.
        temperature: that logits are divided by before they become probabilities.
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

    facts_type: ClassVar[Any] = KeptFacts  # of what `facts` returns, for reading it from a file
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
        self.base = base
        self.head = head
        self.temperature = temperature
        self.keeps_int8 = False
        self._is_in_training = False
        network = TaskNetwork(base.backbone, head).to(choose_device(device))
        self._copies = Copies(network, (base.tokenizer, base.target_tokenizer))
        self.use_precision(precision)

    @property
    def kind(self) -> str:
        """The name of the task, or "module:Class"."""
        return self.task.name

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

        Args:
            base: what reads texts.
            config: of the head.
            rows: to learn from.

        Raises:
            CorpusError: nothing can be learned from the rows.
            SettingError: the head does not fit the base.
        """
        return cls(base, cls.task.head(config, base, **cls.task.find(rows)))

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

    @abstractmethod
    def examples(self, rows: Sequence[Any]) -> PaddedExamples:
        """Return rows with their answers as examples to learn from.

        Raises:
            CorpusError: a row has an answer that the model does not know.
        """

    def taught(self, lessons: Lessons, config: Teaching) -> tuple[Criterion, PaddedExamples]:
        """Return what is trained where a teacher answered rows, and the rows as examples.

        Args:
            lessons: rows, and what a teacher answered.
            config: how they are learned from.

        Raises:
            SettingError: the model cannot learn from a teacher.
        """
        raise SettingError(f"{self.title} cannot be learned from a teacher.")

    def consistent(
        self, labelled: Sequence[Any], unlabelled: Sequence[Any], config: Consistency
    ) -> tuple[Criterion, Examples]:
        """Return what is trained where its own answers are learned, and the rows as examples.

        Args:
            labelled: rows with answers.
            unlabelled: rows without.
            config: how they are learned from.

        Raises:
            SettingError: the model cannot learn from them.
        """
        raise SettingError(f"{self.title} cannot learn from texts without labels.")

    def knows(self, row: Any) -> bool:
        """Whether the model can give the right answer of a row."""
        return True

    def num_cut(self, rows: Sequence[Any]) -> int:
        """Return the number of rows that are longer than the model reads at once."""
        return 0

    def finish(self, rows: Sequence[Any]) -> list[str]:
        """Set what is chosen by held-out rows, and return what was chosen, for the log."""
        return []

    def calibrate(self, rows: Sequence[Any]) -> float:
        """Set and return the temperature by which probabilities fit held-out rows.

        Raises:
            SettingError: the answers have no such probabilities.
            CorpusError: the rows do not fit.
        """
        raise SettingError(f"The probabilities of {self.title.lower()} cannot be calibrated.")

    def join(self, linear: LinearClassifier, rows: Sequence[Any]) -> Any:
        """Answer together with a linear classifier from now on; return the weights of both.

        Args:
            linear: the other classifier.
            rows: held-out ones, which choose the weights.

        Raises:
            SettingError: the model cannot.
            CorpusError: the rows do not fit.
        """
        raise SettingError(f"{self.title} cannot be answered together with a linear classifier.")

    @property
    def is_chosen_by_loss(self) -> bool:
        """Whether held-out loss, not `judged_by`, decides which weights a training keeps."""
        return False

    @checked_arguments
    def show(self, lines: Sequence[str]) -> list[Shown]:
        """Return what decides on the answer to each line, and what the network makes of it.

        Raises:
            CorpusError: a line is not what it should be.
        """
        return shown_inputs(lines, self.fields, self._all_insight)

    @torch.inference_mode()
    def _all_insight(self, texts: Texts) -> list[Part]:
        return [*self.insight(texts), *self.network_insight(texts)]

    def network_insight(self, texts: Texts) -> list[Part]:
        """Return what the network makes of one input: mix of layers, states, attention."""
        examples = self.input_examples(texts)
        return [] if examples is None else network_parts(self, examples)

    def input_examples(self, texts: Texts) -> PaddedExamples | None:
        """Return the rows that the network reads of one input; None: it does not say."""
        return None

    def outputs(self, examples: PaddedExamples) -> Outputs:
        """Return the outputs of the task for each example."""
        return compute_outputs(self.reader(), examples)

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

        Args:
            folder: of the run.
            facts: what its config.json says.

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

        Args:
            folder: of the run or the model.
            device: where it computes; auto: a GPU where there is one.
            precision: of its numbers; auto: what suits the device.

        Raises:
            ModelFileError: it holds no such model, or is damaged.
            UntrustedError: it names a class of a module that is not trusted.
        """
        path = Path(folder) / CONFIG
        has_task = any("task" in vars(each) for each in cls.__mro__)
        of_pairs = has_task and cls.task.of_pairs
        stored = load_task(Path(folder), head_class, of_pairs=of_pairs)
        component = model_class(task_named(stored.name, path))
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


def head_class(name: str, source: Path) -> type[Head]:
    """Return the class of the head of a task that the file `source` names."""
    return task_named(name, source).head


class TaskNetwork(nn.Module):
    """A backbone and the head of a task."""

    backbone: Backbone
    head: Head

    def __init__(self, backbone: Backbone, head: Head) -> None:
        super().__init__()
        self.backbone = backbone
        self.head = head


class _Batch(NamedTuple):
    keys: NDArray[np.int64]
    lengths: NDArray[np.int64]


def compute_outputs(network: TaskNetwork, examples: PaddedExamples) -> Outputs:
    """Return the task's outputs, (...) or (T, ...) of each example."""
    device = network.backbone.embedding.device
    outputs: list[NDArray[np.float32]] = [np.empty(0, np.float32)] * len(examples)
    batches = _batches(examples, network.backbone)

    def computed(batch: _Batch) -> NDArray[np.float32]:
        inputs = examples.batch(batch.keys).inputs.to(device)
        states = network.backbone(inputs, keep_layers=network.head.needs_layers)
        return network.head.outputs(states, inputs).float().cpu().numpy()

    for batch, found in zip(batches, over_batches(computed, batches, device), strict=True):
        of_positions = found.ndim > 2
        for key, length, output in zip(
            batch.keys.tolist(), batch.lengths.tolist(), found, strict=True
        ):
            outputs[key] = output[:length] if of_positions else output
    return outputs


def _batches(examples: PaddedExamples, backbone: Backbone) -> list[_Batch]:
    """Return the longest rows first, so that a lack of memory shows at once."""
    lengths = examples.lengths(np.arange(len(examples)))
    widths = (lengths * examples.group).tolist()
    batches = map(np.asarray, inference_batches(backbone, widths, BATCH_TOKENS))
    return [_Batch(keys, lengths[keys]) for keys in batches]
