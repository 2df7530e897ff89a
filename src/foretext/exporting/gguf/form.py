"""The export to GGUF, run by llama.cpp where it is installed, else read back and computed here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from foretext.artifact import load_language_model
from foretext.base.errors import SettingError
from foretext.base.files import temporary_folder
from foretext.exporting.form import Bound, Computed, ExportForm, Texts
from foretext.exporting.gguf.answers import NEXT, own_answers, their_answers
from foretext.exporting.gguf.architecture import as_llama_cpp_has_it
from foretext.exporting.gguf.causes import Causes
from foretext.exporting.gguf.file import Numbers, write_gguf
from foretext.exporting.gguf.llama_cpp import Started, started
from foretext.exporting.gguf.read_back import ReadBack
from foretext.exporting.gguf.usage import gguf_usage
from foretext.exporting.gguf.vocabulary import vocabulary_of
from foretext.kinds import Kind
from foretext.language_model import LanguageModel
from foretext.language_model.graph import model_graph
from foretext.messages import message

__all__ = ["GgufExport", "GgufF16Export", "GgufQ8Export"]

SENTENCES = "sentence_vectors"  # the task whose model is a language model with a pooling
HEADS = 16  # of attention, at most, in most networks


class GgufExport(ExportForm):
    """A model and its tokenizer in one file of llama.cpp, with matrices in float32.

    Args:
        model: that `foretext.load` opened.
        kind: of the run.

    Raises:
        SettingError: llama.cpp would compute or read something else.
    """

    name = "gguf"
    extra = "gguf"
    packages: ClassVar = {"gguf": "gguf"}
    # llama.cpp looks the gelu up, and keeps keys and values in float16.
    bound = Bound(0.01, 0.9999, 0.98)
    numbers: ClassVar[Numbers] = "f32"
    num_texts = 1

    def __init__(self, model: Any, kind: Kind) -> None:
        super().__init__(model, kind)
        self.source = _language_model(model, kind)
        model_graph(self.source)  # refuses what no other program computes, and reads in float32
        self.writes = self.source.visibility == "causal"
        self.network = as_llama_cpp_has_it(self.source)
        self.framing = self.source.row_framing if self.writes else self.source.text_framing
        self.vocabulary = vocabulary_of(
            self.source.tokenizer, self.source.backbone.vocab_size, self.framing
        )
        self.causes = Causes(self.vocabulary, self.source.tokenizer)
        self._started: Started | None = None
        self._read: ReadBack | None = None

    @property
    def file(self) -> str:
        """The name of the file."""
        return f"model-{self.numbers}.gguf"

    def write(self, folder: Path) -> None:
        """Write the file."""
        write_gguf(folder / self.file, self.network, self.vocabulary, self.numbers)

    def read_otherwise(self, rows: Sequence[Texts]) -> list[str | None]:
        """Return why llama.cpp splits a text differently; None: it does not."""
        texts = [text for (text,) in rows]
        own = self.source.tokenizer.encode_batch(texts)
        return [self.causes.of(text, ids) for text, ids in zip(texts, own, strict=True)]

    def sizes(self, rows: Sequence[Texts]) -> list[int]:
        """Return the numbers of each text's states, attention and scores."""
        vocabulary = self.source.backbone.vocab_size if self.writes else 0
        lengths = [
            min(len(ids) + len(self.framing.around([])), self.framing.max_length)
            for ids in self.source.tokenizer.encode_batch([text for (text,) in rows])
        ]
        width = self.source.backbone.dim + vocabulary
        return [length * (width + HEADS * length) for length in lengths]

    def own(self, rows: Sequence[Texts]) -> Computed:
        """Return the ids of texts, and their vectors or the scores of the next token."""
        return own_answers(self.source, self.framing, [text for (text,) in rows])

    def theirs(self, folder: Path, rows: Sequence[Texts]) -> Computed:
        """Return what llama.cpp makes of them, or what the file says when it is read back."""
        file, texts = folder / self.file, [text for (text,) in rows]
        if self._started is None:
            self._started = started(file)
        if self._started.llama_cpp is None:
            return self._read_back(file).computed(texts)
        question = {
            "texts": texts,
            "prefix": self.framing.prefix,
            "suffix": self.framing.suffix,
            "room": self.framing.room,
            "positions": self.framing.max_length,
            "writes": self.writes,
        }
        found = self._started.llama_cpp.answers(question)
        return their_answers(found, writes=self.writes, normalize=self.source.normalize)

    def close(self) -> None:
        """End llama.cpp, where it runs."""
        if self._started is not None and self._started.llama_cpp is not None:
            self._started.llama_cpp.close()

    def _read_back(self, file: Path) -> ReadBack:
        if self._read is None:
            self._read = ReadBack(file, self.source, self.network, self.vocabulary, self.framing)
        return self._read

    @property
    def checked_by(self) -> str:
        """Which program ran the file."""
        found = self._started
        if found is None or found.llama_cpp is None:
            if found is None:
                return message("exporting.use.read_back")
            return message("exporting.use.read_back_as", lack=found.lack)
        return message("exporting.use.ran", release=found.llama_cpp.release)

    @property
    def facts(self) -> Mapping[str, Any]:
        """What the file holds, and who ran it."""
        pooled = {"pooling": self.source.pooling, "normalize": self.source.normalize}
        return {
            "file": self.file,
            "architecture": self.network.architecture.name,
            "numbers": self.numbers,
            "tokenizer": self.vocabulary.model,
            "max_length": self.framing.max_length,
            **({"outputs": [NEXT]} if self.writes else pooled),
            "checked_by": self.checked_by,
        }

    def usage(self, folder: str) -> str:
        """Return how llama.cpp uses the file."""
        return gguf_usage(self, folder)


def _language_model(model: Any, kind: Kind) -> LanguageModel:
    """Return a language model; of tasks, only sentence vectors have one that answers alike."""
    if not kind.reads_rows:
        found: LanguageModel = model
        return found
    if model.task.name != SENTENCES:
        raise SettingError(
            f"The run holds a model of the task '{model.task.name}', whose answers llama.cpp does "
            "not compute; export it to onnx."
        )
    with temporary_folder() as folder:
        model.save(folder / "encoder")
        return load_language_model(folder / "encoder")


class GgufF16Export(GgufExport):
    """The same with matrices in float16: half of the bytes."""

    name = "gguf-f16"
    numbers = "f16"
    bound = Bound(0.02, 0.9995, 0.98)


class GgufQ8Export(GgufExport):
    """The same with matrices of 8 bits, a scale for 32 numbers: about a quarter of the bytes."""

    name = "gguf-q8"
    numbers = "q8_0"
    bound = Bound(0.25, 0.95, 0.9)
