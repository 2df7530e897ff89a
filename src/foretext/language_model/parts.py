"""What a language model is made of, and the folder that keeps it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Self

import torch

from foretext.backbones.base import Backbone
from foretext.base.arguments import checked_arguments
from foretext.base.files import merged_folder
from foretext.base.representation import represented
from foretext.data.batch import Visibility
from foretext.data.framing import Framing
from foretext.generation import Decoding
from foretext.heads.base import TaskBase
from foretext.language_model.embedding import Pooling, ReadTokens, TextEmbedder, read_tokens
from foretext.language_model.networks import Network, Networks
from foretext.nn.device import DeviceName, choose_device
from foretext.nn.pooling import Dense, through_layers
from foretext.nn.precision import ReadingPrecision
from foretext.objectives.base import Objective, TaskHeads
from foretext.tokenizers.known_languages import languages_of_tokenizer
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer

__all__ = ["ModelParts"]


@represented
class ModelParts:
    """What every verb works with; `LanguageModel` describes the arguments."""

    kind: ClassVar[str] = "language model"
    task_origin: ClassVar = "pretrained"  # what a task that is learned on it starts with
    weighs_words: ClassVar[bool] = False  # `embed` takes no weights of words
    has_layers: ClassVar[bool] = True  # but layers to take the states of

    @checked_arguments
    def __init__(
        self,
        tokenizer: SubwordTokenizer,
        backbone: Backbone,
        objective: Objective | None,
        *,
        device: DeviceName = "auto",
        precision: ReadingPrecision = "auto",
        pooling: Pooling = "mean",
        dense: Sequence[Dense] = (),
        normalize: bool = False,
        text_length: int | None = None,
        visibility: Visibility | None = None,
        is_sentence_encoder: bool = False,
        target_tokenizer: SubwordTokenizer | None = None,
        decoding: Decoding | None = None,
        prompts: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        network = Network(backbone, objective).to(choose_device(device))
        self.tokenizer = tokenizer
        self.backbone = backbone
        self.objective = objective
        self.pooling = pooling
        self.dense = tuple(dense)
        self.normalize = normalize
        self.is_sentence_encoder = is_sentence_encoder
        self.target_tokenizer = target_tokenizer  # of what a source becomes; None: there is one
        self.decoding = decoding  # how its folder searches for texts; None: it does not say it
        self.prompts = dict(
            prompts
        )  # texts to begin others with, by name, which `embed` puts nowhere
        self._networks = Networks(network, tokenizer, precision)
        self.visibility: Visibility = (
            "full" if backbone.reads_source else visibility or _visibility(tokenizer, objective)
        )
        self._framing = Framing.of(tokenizer, self.visibility, backbone.max_length)
        length = min(text_length or backbone.max_length, backbone.max_length)
        self._embedder = TextEmbedder(tokenizer, self.visibility, length)

    def summary(self) -> dict[str, Any]:
        """Return what Python and a notebook show of the model."""
        objective = None if self.objective is None else type(self.objective).__name__
        return {
            "backbone": type(self.backbone).__name__,
            "objective": objective or "none",
            "parameters": self.num_parameters,
            "tokens": self.tokenizer.vocab_size,
            "dimensions": self.vector_size,
            "longest text": self.backbone.max_length,
        }

    @checked_arguments
    def over(
        self, tokenizer: SubwordTokenizer, backbone: Backbone, objective: Objective | None
    ) -> Self:
        """Return what reads and pools as this does, by another network of the same kind.

        Args:
            tokenizer: of the other network.
            backbone: the other network.
            objective: which it was pretrained by; None: it has none.
        """
        return type(self)(
            tokenizer,
            backbone,
            objective,
            pooling=self.pooling,
            dense=self.dense,
            normalize=self.normalize,
            text_length=self._embedder.window.max_length,
            visibility=self.visibility,
            is_sentence_encoder=self.is_sentence_encoder,
            decoding=self.decoding,
            prompts=self.prompts,
        )

    @checked_arguments
    def use_precision(self, precision: ReadingPrecision) -> None:
        """Compute in these numbers from now on, see the argument `precision`.

        Raises:
            SettingError: the device does not have them.
        """
        self._networks.use(precision)

    @property
    def vector_size(self) -> int:
        """Numbers of an embedding, D."""
        return len(self.dense[-1].weight) if self.dense else self.backbone.dim

    @property
    def size(self) -> dict[str, int]:
        """How much was learned, for a summary."""
        return {"parameters": self.num_parameters, "vocab_size": self.tokenizer.vocab_size}

    def served_facts(self) -> dict[str, Any]:
        """Return what a server says of the model, as JSON has it."""
        objective = self.objective
        return {
            "title": None if objective is None or objective.kind is None else objective.kind,
            "fields": ["text"],
            "parameters": self.num_parameters,
            "max_length": self.text_framing.max_length,
            "dimensions": self.vector_size,
            "pooling": self.pooling,
            "languages": languages_of_tokenizer(self.tokenizer),
        }

    @property
    def abilities(self) -> tuple[str, ...]:
        """What a server can ask of the model, by names of `foretext.serving.abilities`."""
        names = ["embed", "states", "tokenize", "decode", "rerank"]
        if self.backbone.has_attention:
            names.append("attention")
        if self.objective is not None:
            names += self.objective.abilities
        return tuple(names)

    def exact_network(self) -> Network:
        """Return the network in float32, unless the user chose bfloat16."""
        return self._networks.exact()

    @property
    def row_framing(self) -> Framing:
        """What stands around a text in a row that is as long as the network reads."""
        return self._framing

    @property
    def text_room(self) -> int:
        """Tokens of a text that are read at once; longer texts are cut into windows."""
        return self._embedder.window.room

    @property
    def text_framing(self) -> Framing:
        """What stands around a text, and how much of a text is read at once."""
        return self._embedder.window

    @checked_arguments
    def text_sizes(self, texts: Sequence[str]) -> list[int]:
        """Return how many tokens each text has."""
        return list(map(len, self.tokenizer.encode_batch(texts)))

    def as_base(self) -> TaskBase:
        """Return what a task is learned on; it shares the weights of this model."""
        heads = TaskHeads() if self.objective is None else self.objective.for_tasks
        pooling = self.pooling if self.is_sentence_encoder else None
        return TaskBase(
            self.tokenizer,
            self.backbone,
            self.visibility,
            *heads,
            sentence_pooling=pooling,
            target_tokenizer=self.target_tokenizer,
            objective=self.objective,
        )

    @property
    def num_parameters(self) -> int:
        """Weights; those that two parts share count once."""
        return sum(weight.numel() for weight in self._networks.original.parameters())

    @checked_arguments
    def cut(self, texts: Sequence[str], length: int | None = None) -> list[list[int]]:
        """Return the tokens of texts in pieces that the model reads at once, without overlap.

        Args:
            texts: the texts.
            length: tokens of a piece; None: as many as the model reads.
        """
        room = min(length or self._embedder.window.room, self._embedder.window.room)
        return [
            ids[start : start + room]
            for ids in self.tokenizer.encode_batch(texts)
            for start in range(0, len(ids), room)
        ]

    @torch.inference_mode()
    @checked_arguments
    def read_tokens(
        self, rows: Sequence[Sequence[int]], done: Callable[[int], object] = int
    ) -> ReadTokens:
        """Return what the last layer makes of the tokens and of the rows of `cut`.

        Rows are pooled as `embed` does by default, through the `dense` layers too, but have the
        length that they have. `done` is called with each number of rows.

        Args:
            rows: ids of tokens, as `cut` gives them.
            done: is called with the number of rows of each step.
        """
        read = read_tokens(
            self._networks.reader().backbone.for_tasks,
            rows,
            self._embedder.window,
            vocab_size=self.tokenizer.vocab_size,
            pad=self.tokenizer.pad,
            visibility=self.visibility,
            pooling=self.pooling,
            done=done,
        )
        return read._replace(texts=through_layers(self.dense, read.texts))

    def keep(self, folder: Path) -> str:
        """Write the folder into `folder`; it is opened as a whole.

        Raises:
            OutputError: it cannot be written.
            SettingError: no published kind of model has this shape.
        """
        self.save(folder)
        return ""

    @checked_arguments
    def save(self, folder: str | Path) -> None:
        """Write a folder that `load` and Hugging Face's `from_pretrained` open.

        Raises:
            OutputError: it cannot be written.
            SettingError: no published kind of model has this shape.
        """
        from foretext.interop.hugging_face import CONFIG, save_hugging_face
        from foretext.interop.sentence_transformers import SentenceEncoding

        sentence = None
        if self.is_sentence_encoder:
            length = self._embedder.window.max_length
            sentence = SentenceEncoding(
                self.pooling, self.dense, self.normalize, length, self.prompts
            )
        with merged_folder(Path(folder), CONFIG) as temporary:
            parts = self.tokenizer, self.backbone, self.objective
            save_hugging_face(
                temporary,
                *parts,
                {},
                sentence,
                target_tokenizer=self.target_tokenizer,
                decoding=self.decoding,
            )

    @classmethod
    @checked_arguments
    def load(
        cls,
        folder: str | Path,
        *,
        device: DeviceName = "auto",
        precision: ReadingPrecision = "auto",
    ) -> Self:
        """Open a run's folder, or one of Hugging Face or sentence-transformers.

        Args:
            folder: of the run or the model.
            device: where it computes; auto: a GPU where there is one.
            precision: of its numbers; auto: what suits the device.

        Raises:
            ModelFileError: it holds no model of a kind that foretext knows, or is damaged.
        """
        from foretext.interop.hugging_face import load_hugging_face

        found = load_hugging_face(Path(folder))
        return cls(
            found.tokenizer,
            found.backbone,
            found.objective,
            device=device,
            precision=precision,
            pooling=found.pooling or "mean",
            dense=found.dense,
            normalize=found.normalize,
            text_length=found.text_length,
            visibility=found.visibility,
            is_sentence_encoder=found.pooling is not None,
            target_tokenizer=found.target_tokenizer,
            decoding=found.decoding,
            prompts=found.prompts,
        )


def _visibility(tokenizer: SubwordTokenizer, objective: Objective | None) -> Visibility:
    """The visibility of pretraining; without an objective, [MASK] in the vocabulary says full."""
    if objective is not None:
        return objective.visibility
    return "causal" if tokenizer.special.mask is None else "full"
