"""A file read back: its tokenizer as llama.cpp runs it, its weights in a network of ours."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch

from foretext.base.errors import ModelFileError
from foretext.data.framing import Framing
from foretext.exporting.form import Computed
from foretext.exporting.gguf.answers import own_answers
from foretext.exporting.gguf.architecture import Llamas
from foretext.exporting.gguf.file import read_gguf
from foretext.exporting.gguf.reading import Reading
from foretext.exporting.gguf.vocabulary import Vocabulary
from foretext.interop.conversion import from_family
from foretext.language_model import LanguageModel

__all__ = ["ReadBack"]


class ReadBack:
    """What a file says, without llama.cpp.

    Args:
        path: of the file.
        model: that was exported.
        network: as llama.cpp has it.
        vocabulary: as llama.cpp has it.
        framing: what stands around a text.

    Raises:
        ModelFileError: the file says something else of the network.
    """

    def __init__(
        self,
        path: Path,
        model: LanguageModel,
        network: Llamas,
        vocabulary: Vocabulary,
        framing: Framing,
    ) -> None:
        found = read_gguf(path, vocabulary)
        wrong = [key for key, value in network.keys.items() if found.keys.get(key) != _said(value)]
        if wrong:
            raise ModelFileError(f"{path} does not hold what was written as '{wrong[0]}'.")
        weights = {
            name: torch.from_numpy(values) for name, values in network.back(found.weights).items()
        }
        loaded = from_family(dict(network.theirs), path, weights, path, model.tokenizer)
        self._model = model.over(model.tokenizer, loaded.backbone.eval(), loaded.objective)
        self._model.use_precision("fp32")
        self._reading = Reading(found.vocabulary)
        self._framing = framing

    def computed(self, texts: Sequence[str]) -> Computed:
        """Return the ids of the file's tokenizer, and the numbers of its weights."""
        found = own_answers(self._model, self._framing, texts)
        room = self._framing.room
        rows = [self._framing.around(self._reading.ids(text)[:room]) for text in texts]
        return found._replace(ids=rows)


def _said(value: float | bool) -> float | bool:
    """Return a number as a file holds it."""
    return float(torch.tensor(value, dtype=torch.float32)) if type(value) is float else value
