"""What the formats of networks share: the folder of Hugging Face around a graph, and its tokenizer.

A program of others reads inputs by ``tokenizer.json`` alone: what stands around texts, what is cut
off long ones and how letters are written is in that file.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import ModelFileError, SettingError
from foretext.base.parsing import read_json
from foretext.exporting.files import write_json
from foretext.exporting.form import Computed, ExportForm, Texts
from foretext.exporting.session import library_of, plain_row
from foretext.exporting.tags import TAGS, Decoder, write_decoder
from foretext.interop.graph import NetworkGraph, joined_rows
from foretext.interop.own import MODEL_TYPE
from foretext.kinds import Kind
from foretext.messages import clauses, ended, message
from foretext.tokenizers.vocabulary import UNKNOWN
from foretext.tokenizers.word_tokenizer import COUNTS_FILE

__all__ = ["EncodedRow", "NetworkExport"]

TOKENIZER, CONFIG, WEIGHTS = "tokenizer.json", "config.json", "model.safetensors"
GENERATION = "text-generation"
LABELS: dict[str, Callable[[NDArray[np.float32]], NDArray[np.float32]]] = {
    # what is answered by scores (C,), of one label or of several
    "softmax": lambda scores: np.array([scores.argmax()], np.float32),
    "sigmoid": lambda scores: (scores > 0).astype(np.float32),
}
MOST_BYTES = 1_900_000_000  # of weights; a message of protobuf has 2 GiB at most
HEADS = 16  # of attention, at most, in most networks
FRAME = 4  # tokens around the texts of an input, about
OWN = "foretext"  # what config.json says to foretext alone
RECURRENT = "weight_hh"  # the weights that only recurrent layers have


class EncodedRow(NamedTuple):
    """What a tokenizer makes of an input."""

    ids: list[int]
    segments: list[int]
    characters: Sequence[list[int]] = ()  # of each token's word, where the network reads them

    @property
    def feeds(self) -> dict[str, NDArray[np.int64]]:
        """What goes into a graph, by name."""
        given = {"token_type_ids": self.segments, "characters": self.characters}
        return plain_row(self.ids) | {name: np.array(row) for name, row in given.items()}


class NetworkExport(ExportForm):
    """A network in a format.

    Args:
        model: that `foretext.load` opened.
        kind: of the run.

    Raises:
        SettingError: other programs could not compute what the model answers.
    """

    extra: ClassVar[str] = "export"

    def __init__(self, model: Any, kind: Kind) -> None:
        super().__init__(model, kind)
        self.graph: NetworkGraph = kind.code("graph")(model)
        size = 4 * sum(weights.numel() for weights in self.graph.network.parameters())
        if size > MOST_BYTES:
            raise SettingError(
                f"The weights of the network take {size / 1e9:.1f} GB in float32, and a file of "
                f"ONNX holds {MOST_BYTES / 1e9:.1f} GB at most, so it cannot be exported; distil a "
                "smaller one, or open the folder itself in transformers."
            )

    @property
    def is_recurrent(self) -> bool:
        """Whether the network has recurrent layers."""
        names = (name for name, _ in self.graph.network.named_parameters())
        return any(name.endswith(RECURRENT) for name in names)

    @property
    def num_texts(self) -> int:
        """How many texts an input has."""
        return self.graph.num_texts

    @property
    def asks(self) -> bool:
        """Whether the first text of an input is a question about the second."""
        return self.graph.cut == "only_second"

    def write(self, folder: Path) -> None:
        """Write tokenizer and settings as Hugging Face has them, then the network."""
        self.graph.save(folder)
        (folder / WEIGHTS).unlink()
        (folder / COUNTS_FILE).unlink(missing_ok=True)  # which only tokenizers of whole words have
        config = read_json(folder / CONFIG, ModelFileError)
        config.pop(OWN, None)
        if not self._names_a_class(config):
            config.pop("architectures", None)
            config |= self._like_a_family()
        write_json(folder / CONFIG, config)
        library = library_of(folder)
        if self.graph.words is None:  # else `decode.py` cuts between words
            library.enable_truncation(self.graph.max_length, strategy=self.graph.cut)
        else:
            write_decoder(folder, self.graph)
        library.save(str(folder / TOKENIZER))
        settings = self._tokenizer_settings(folder)
        settings["model_max_length"] = self.graph.max_length
        settings.setdefault("pad_token", self.graph.tokenizer.tokens[self.graph.tokenizer.pad])
        settings["padding_side"] = "right"
        write_json(folder / "tokenizer_config.json", settings)
        self.write_network(folder)

    def _tokenizer_settings(self, folder: Path) -> dict[str, Any]:
        """Return what a folder says of its tokenizer, and of one of whole words what it should."""
        if self.graph.tokenizer.word_rules is not None:
            return {"tokenizer_class": "PreTrainedTokenizerFast", "unk_token": UNKNOWN}
        found: dict[str, Any] = read_json(folder / "tokenizer_config.json", ModelFileError)
        return found

    def _names_a_class(self, config: Mapping[str, Any]) -> bool:
        """Whether transformers.js has a class by what a folder says, which hands tensors on."""
        own = config["model_type"] == MODEL_TYPE
        causal = self.graph.network.visibility == "causal"
        return not own and (not causal or self.graph.pipeline == GENERATION)

    def _like_a_family(self) -> dict[str, Any]:
        """Return settings by which other programs know what goes in and what comes out."""
        found: dict[str, Any] = {
            "model_type": "gpt2" if self.graph.pipeline == GENERATION else "bert"
        }
        if labels := self.graph.facts.get("labels"):
            found["id2label"] = {str(index): label for index, label in enumerate(labels)}
            found["label2id"] = {label: index for index, label in enumerate(labels)}
        if self.graph.facts.get("activation") == "sigmoid":
            found["problem_type"] = "multi_label_classification"
        return found

    @abstractmethod
    def write_network(self, folder: Path) -> None:
        """Write the network beside the other files."""

    @abstractmethod
    def computed(
        self, folder: Path, rows: Sequence[EncodedRow]
    ) -> dict[str, list[NDArray[np.float32]]]:
        """Return what the format's own program computes of some rows, padding included."""

    def sizes(self, rows: Sequence[Texts]) -> list[int]:
        """Return the numbers of each input's largest output, or of its attention."""
        graph = self.graph
        is_writer = graph.pipeline == GENERATION
        width = graph.tokenizer.vocab_size if is_writer else graph.network.backbone.dim
        found = []
        for row in rows:
            num_tokens = sum(map(len, graph.tokenizer.encode_batch(list(row)))) + FRAME
            length = min(num_tokens, graph.max_length)
            found.append(length * (width + HEADS * length))
        return found

    def own(self, rows: Sequence[Texts]) -> Computed:
        """Return what the model reads of inputs, and its outputs in float32."""
        read = [self.graph.read(row) for row in rows]
        names = [*self.graph.outputs, *[TAGS] * (self.graph.words is not None)]
        outputs = {name: [each.outputs.get(name, _NOTHING) for each in read] for name in names}
        return Computed([each.ids for each in read], outputs | self._labels(outputs))

    def theirs(self, folder: Path, rows: Sequence[Texts]) -> Computed:
        """Return what the tokenizer and the network of a folder make of inputs."""
        library, words = library_of(folder), self.graph.words
        if words is None:
            encoded = self.encoded(library, rows)
            found = self._computed(folder, encoded)
        else:
            decoder = Decoder.of(folder)
            pairs = decoder.encoded([words(text) for (text,) in rows], library)
            encoded = [EncodedRow(each.ids, [0] * len(each.ids), each.characters) for each in pairs]
            found = self._computed(folder, encoded)
            found[TAGS] = decoder.decoded(
                found[self.graph.outputs[0]], [each.firsts for each in pairs]
            )
        return Computed(self._joined(encoded), found | self._labels(found))

    def _joined(self, encoded: Sequence[EncodedRow]) -> list[list[int]]:
        """Return the ids of each input, from those of its rows."""
        group = self.graph.network.group
        ids = [row.ids for row in encoded]
        return [joined_rows(ids[start : start + group]) for start in range(0, len(ids), group)]

    def _labels(
        self, outputs: Mapping[str, list[NDArray[np.float32]]]
    ) -> dict[str, list[NDArray[np.float32]]]:
        """Return the labels of inputs as numbers, by their scores; nothing where there are none."""
        choose = LABELS.get(self.graph.facts.get("activation", ""))
        if choose is None:
            return {}
        return {"labels": [choose(scores) for scores in outputs[self.graph.outputs[0]]]}

    def _computed(
        self, folder: Path, rows: Sequence[EncodedRow]
    ) -> dict[str, list[NDArray[np.float32]]]:
        """Return the outputs of some rows without padding."""
        found = self.computed(folder, rows)
        for name in self.graph.of_positions:
            pairs = zip(found[name], rows, strict=True)
            found[name] = [values[: len(row.ids)] for values, row in pairs]
        return found

    def encoded(self, library: Any, rows: Sequence[Texts]) -> list[EncodedRow]:
        """Return inputs as a tokenizer reads them; no token at all is padding."""
        if self.asks:
            found = self._questions(library, rows)
        else:
            found = library.encode_batch([each for row in rows for each in self.graph.rows_of(row)])
        pad = self.graph.tokenizer.pad
        return [EncodedRow(each.ids or [pad], each.type_ids or [0]) for each in found]

    def _questions(self, library: Any, rows: Sequence[Texts]) -> list[Any]:
        """Return questions and passages, each cut as the card says."""
        facts = self.graph.facts
        library.no_truncation()
        found = []
        for row in rows:
            first, second = (library.encode(text, add_special_tokens=False) for text in row)
            first.truncate(facts["question_room"])
            second.truncate(facts["pair_room"] - len(first.ids))
            found.append(library.post_process(first, second))
        return found

    @property
    def facts(self) -> Mapping[str, Any]:
        """What the network reads and gives."""
        graph = self.graph
        return {
            "pipeline": graph.pipeline,
            "inputs": list(graph.network.input_names),
            "outputs": list(graph.outputs),
            "max_length": graph.max_length,
            **{name: value for name, value in graph.facts.items() if name != "decoding"},
        }

    @property
    def longer(self) -> str:
        """What is said of inputs that are longer than the network reads."""
        cut = message("exporting.use.inputs_cut", length=self.graph.max_length)
        return ended(clauses(filter(None, [cut, self.graph.longer])))


_NOTHING = np.zeros(0, np.float32)  # an output that the model does not have of this input
