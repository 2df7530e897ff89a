"""A search index on a page whose queries a network reads: its passages beside the network."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

import tokenizers
from foretext.base.errors import ModelFileError, SettingError
from foretext.base.parsing import write_tensors
from foretext.corpus.texts import TextSource
from foretext.corpus.texts import texts as texts_in_memory
from foretext.data.framing import Framing
from foretext.exporting.form import Texts
from foretext.exporting.network import EncodedRow, NetworkExport
from foretext.exporting.page.network_kind import Completed, NetworkKind, Wanted
from foretext.exporting.page.passages import Hits, PagePassages
from foretext.exporting.page.storage import STORAGE_TYPES, json_tensors, packed, stored
from foretext.exporting.texts import HARD
from foretext.interop.text_windows import WINDOW_VECTOR
from foretext.messages import message
from foretext.progress import human_bytes
from foretext.search.graph import index_windows
from foretext.vectors.neighbors import unit_rows
from foretext.vectors.storage import StorageType

__all__ = ["MOST_LOADED", "PassagesOfQueries"]

FILE = "model.safetensors"
NUM_QUERIES = 500
MOST_LOADED = 1 << 30  # bytes of the network and of passages: what ONNX Runtime opens in a browser
LEAST_SHARE = 0.8  # of the best passages, that a network in int8 finds, too
NEAR = 1e-3  # difference of two cosines, where vectors are stored in fewer bytes
TIE = 1e-5  # of two cosines by numbers of different programs, which may rank them differently
EXACT = "onnx"  # form of a graph whose vectors are those of the model


class PassagesOfQueries(NetworkKind):
    """The passages of an index whose vectors are near that of a query.

    Args:
        form: writes and runs the graph that gives the vector of a window.

    Raises:
        SettingError: the page would be too large.
    """

    most_texts: ClassVar = NUM_QUERIES + len(HARD)
    files: ClassVar = (FILE,)
    abilities: ClassVar = ("search",)
    outputs: ClassVar = (WINDOW_VECTOR,)

    def __init__(self, form: NetworkExport) -> None:
        super().__init__(form)
        self.windows = index_windows(form.model)
        self.passages = PagePassages(form.model, "the index")
        self._check_size()

    def _check_size(self) -> None:
        """Refuse a page that no browser opens.

        Raises:
            SettingError: it is too large.
        """
        width = 4 if self.form.name == EXACT else 1  # bytes of a weight
        network = width * sum(each.numel() for each in self.form.graph.network.parameters())
        if network + self.passages.num_bytes > MOST_LOADED:
            key = "too_large" if self.form.name == EXACT else "int8_too_large"
            raise SettingError(
                message(
                    f"exporting.refusal.{key}",
                    both=human_bytes(network + self.passages.num_bytes),
                    network=human_bytes(network),
                    passages=human_bytes(self.passages.num_bytes),
                    most=human_bytes(MOST_LOADED),
                )
            )

    @property
    def facts(self) -> Mapping[str, Any]:
        """How a text becomes windows, and how their vectors become one."""
        windows = self.windows
        return {
            "windows": {
                "room": windows.framing.room,
                "overlap": windows.overlap,
                "pooling": windows.pooling,
                "activations": [layer.activation for layer in windows.dense],
            }
        }

    @property
    def framing(self) -> Framing:
        """What stands around a window, and how much of a text it has room for."""
        return self.windows.framing

    def own_texts(self) -> TextSource | None:
        """Return the beginnings of passages; None: there is no passage."""
        queries = self.passages.queries(NUM_QUERIES)
        return texts_in_memory(queries) if queries else None

    def num_tokens(self, library: tokenizers.Tokenizer, texts: Texts) -> int:
        """Return the tokens of all windows of a query."""
        return sum(map(len, self._rows(texts)))

    def wanted(self, folder: Path, texts: Texts) -> Wanted:
        """Return the vector of a query, of unit length, by ONNX Runtime in Python."""
        rows = [EncodedRow(ids, [0] * len(ids)) for ids in self._rows(texts)]
        found = [np.asarray(vector) for (vector,) in self.outputs_of(folder, rows)]
        vector = np.zeros(self.form.model.facts.model.dim, np.float32)
        if found:
            vector = self.windows.vector([row.ids for row in rows], np.stack(found))
        numbers: list[float] = unit_rows(vector[None])[0].tolist()
        return Wanted(rows, numbers)

    def complete(self, folder: Path, inputs: Sequence[Texts], found: Sequence[Wanted]) -> Completed:
        """Write the passages, and return what each query has to find."""
        vectors = np.array([each.numbers for each in found], np.float32)  # (Q, D)
        hits = self.passages.found([query for (query,) in inputs])
        own = self.passages.nearest(vectors)
        notes = [self.passages.note]
        is_exact = self.form.name == EXACT
        if not is_exact:
            users = [number for number, (query,) in enumerate(inputs) if query not in HARD]
            share = _share([own[number] for number in users], [hits[number] for number in users])
            if share < LEAST_SHARE:
                raise ModelFileError(
                    message(
                        "exporting.refusal.found",
                        form=self.form.name,
                        share=share,
                        least=LEAST_SHARE,
                    )
                )
            notes.append(message("exporting.page.found", share=share, number=len(users)))
        wanted = hits if is_exact else own
        dtype = self._smallest_type(vectors, wanted)
        self._write(folder, dtype)
        notes.append(message("exporting.page.stored", dtype=dtype))
        compared = {
            "hits": wanted,
            "by_own_numbers": is_exact,  # else by those of Python
            "tie": TIE,
            "near": TIE if dtype == "float32" else NEAR + TIE,
        }
        return Completed(compared, tuple(notes))

    def _rows(self, texts: Texts) -> list[list[int]]:
        """Return the windows of a query, as `Embedder` has it embedded."""
        return self.windows.rows(unicodedata.normalize("NFC", texts[0]))

    def _smallest_type(self, vectors: NDArray[np.float32], wanted: Sequence[Hits]) -> StorageType:
        """Return the type of the fewest bytes that changes no list of passages.

        Args:
            vectors: of queries, (Q, D).
            wanted: what they find.
        """
        scores = _scores(wanted)
        for dtype in STORAGE_TYPES[:-1]:
            if packed(self.passages.matrices, dtype) is None:
                continue
            other = self.passages.with_matrices(stored(self.passages.matrices, dtype))
            found = other.nearest(vectors)
            same = [_found_rows(each) for each in found] == [_found_rows(each) for each in wanted]
            if same and np.abs(_scores(found) - scores).max(initial=0.0) <= NEAR:
                return dtype
        return "float32"

    def _write(self, folder: Path, dtype: StorageType) -> None:
        """Write the passages, and the layers that vectors go through."""
        tensors: dict[str, NDArray[Any]] = {**(packed(self.passages.matrices, dtype) or {})}
        for number, layer in enumerate(self.windows.dense):
            tensors[f"dense{number}.weight"] = layer.weight.detach().float().cpu().numpy()
            if layer.bias is not None:
                tensors[f"dense{number}.bias"] = layer.bias.detach().float().cpu().numpy()
        tensors |= json_tensors(self.passages.lists)
        write_tensors(folder / FILE, tensors, {"page": json.dumps({"kind": "passages"})})


def _found_rows(hits: Hits) -> list[int]:
    return [row for row, _ in hits]


def _scores(found: Sequence[Hits]) -> NDArray[np.float64]:
    return np.array([score for hits in found for _, score in hits], np.float64)


def _share(found: Sequence[Hits], wanted: Sequence[Hits]) -> float:
    """Return the share of the wanted passages that are found."""
    both = zip(found, wanted, strict=True)
    num_same = sum(len({*_found_rows(ours)} & {*_found_rows(theirs)}) for ours, theirs in both)
    return num_same / max(sum(map(len, wanted)), 1)
