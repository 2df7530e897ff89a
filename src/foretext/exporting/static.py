"""Static vectors of tokens: model2vec's folder, and the mean of a text as an ONNX graph.

The graph has the names of a network's, so that what runs sentence encoders runs it, too:
``input_ids`` and ``attention_mask`` (B, T) become ``token_embeddings`` (B, T, D) and
``sentence_embedding`` (B, D).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from foretext.exporting.form import Bound, Computed, ExportForm, Texts
from foretext.exporting.session import Session, library_of, plain_row
from foretext.messages import message
from foretext.tokenizers.frames import unframed
from foretext.tokenizers.hf_files import save_framed_tokenizer
from foretext.vectors.token_vectors import TokenVectors

__all__ = ["StaticExport"]

GRAPH = Path("onnx") / "model.onnx"
OPSET = 18
OUTPUT = "sentence_embedding"
NO_LIMIT = 1_000_000  # tokens of a text: fastembed needs a number

USAGE = """{title}

{said}

```python
import numpy as np, onnxruntime, tokenizers

tokenizer = tokenizers.Tokenizer.from_file("{folder}/tokenizer.json")
session = onnxruntime.InferenceSession("{folder}/onnx/model.onnx")
ids = np.array([tokenizer.encode("a text of several words").ids])
feeds = {{"input_ids": ids, "attention_mask": np.ones_like(ids)}}
(vectors,) = session.run(["sentence_embedding"], feeds)
```
"""


class StaticExport(ExportForm):
    """Vectors of tokens, which no network computes any more."""

    name = "static"
    extra = "export"
    packages: ClassVar = {"onnx": "onnx", "onnxruntime": "onnxruntime"}
    bound = Bound(1e-5, 0.9999)
    num_texts = 1

    model: TokenVectors

    def write(self, folder: Path) -> None:
        """Write model2vec's files, the tokenizer's and the graph."""
        self.model.save(folder)
        tokenizer = unframed(self.model.tokenizer)
        save_framed_tokenizer(tokenizer, folder, NO_LIMIT, has_segments=False, pad=0)
        (folder / GRAPH).parent.mkdir()
        write_graph(folder / GRAPH, self.model)

    def sizes(self, rows: Sequence[Texts]) -> list[int]:
        """Return the numbers of each text's token vectors."""
        ids = self.model.tokenizer.encode_batch([text for (text,) in rows])
        return [(len(own) + 1) * self.model.vector_size for own in ids]

    def own(self, rows: Sequence[Texts]) -> Computed:
        """Return the ids and the vectors of texts."""
        texts = [text for (text,) in rows]
        ids = self.model.tokenizer.encode_batch(texts)
        return Computed(ids, {OUTPUT: list(self.model.embed(texts))})

    def theirs(self, folder: Path, rows: Sequence[Texts]) -> Computed:
        """Return what ONNX Runtime makes of them."""
        library = library_of(folder)
        encoded = library.encode_batch([text for (text,) in rows])
        ids = [each.ids for each in encoded]
        return Computed(ids, self._session(folder).outputs([OUTPUT], [*map(plain_row, ids)]))

    def _session(self, folder: Path) -> Session:
        if folder not in self._sessions:
            self._sessions[folder] = Session(folder / GRAPH)
        return self._sessions[folder]

    @cached_property
    def _sessions(self) -> dict[Path, Session]:
        return {}

    @property
    def facts(self) -> Mapping[str, Any]:
        """What the graph reads and gives."""
        return {
            "inputs": ["input_ids", "attention_mask"],
            "outputs": ["token_embeddings", OUTPUT],
            "dimensions": self.model.vector_size,
            "max_length": None,
            "opset": OPSET,
        }

    def usage(self, folder: str) -> str:
        """Return how other programs read the folder."""
        key = "static_normalized" if self.model.normalize else "static"
        said = {"title": message("exporting.use.title"), "said": message(f"exporting.use.{key}")}
        return USAGE.format(folder=folder, **said)


def write_graph(path: Path, model: TokenVectors) -> None:
    """Write the graph that looks vectors up and takes their mean.

    Args:
        path: of the file.
        model: whose vectors they are; an unknown token that it leaves out has none.
    """
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    vectors = model.vectors.astype(np.float32)
    left_out = model.left_out
    if left_out >= 0:
        vectors = vectors.copy()
        vectors[left_out] = 0
    constants = {
        "vectors": vectors,
        "left_out": np.array(left_out, np.int64),
        "no": np.array(0, np.int64),
        "one": np.array(1.0, np.float32),
        "tiny": np.array(1e-12, np.float32),
        "last": np.array([-1], np.int64),
        "middle": np.array([1], np.int64),
    }
    node = helper.make_node
    nodes = [
        node("Gather", ["vectors", "input_ids"], ["token_embeddings"]),
        node("Greater", ["attention_mask", "no"], ["is_token"]),
        node("Equal", ["input_ids", "left_out"], ["is_left_out"]),
        node("Not", ["is_left_out"], ["is_kept"]),
        node("And", ["is_token", "is_kept"], ["is_read"]),
        node("Cast", ["is_read"], ["weights"], to=TensorProto.FLOAT),
        node("Unsqueeze", ["weights", "last"], ["weight_columns"]),
        node("Mul", ["token_embeddings", "weight_columns"], ["weighted"]),
        node("ReduceSum", ["weighted", "middle"], ["sums"], keepdims=0),
        node("ReduceSum", ["weights", "middle"], ["counts"], keepdims=1),
        node("Max", ["counts", "one"], ["divisors"]),
        node("Div", ["sums", "divisors"], ["means" if model.normalize else OUTPUT]),
    ]
    if model.normalize:
        nodes += [
            node("ReduceL2", ["means", "middle"], ["lengths"], keepdims=1),
            node("Max", ["lengths", "tiny"], ["safe_lengths"]),
            node("Div", ["means", "safe_lengths"], [OUTPUT]),
        ]
    dim = vectors.shape[1]
    info = helper.make_tensor_value_info
    graph = helper.make_graph(
        nodes,
        "static",
        [info(name, TensorProto.INT64, ["B", "T"]) for name in ("input_ids", "attention_mask")],
        [
            info("token_embeddings", TensorProto.FLOAT, ["B", "T", dim]),
            info(OUTPUT, TensorProto.FLOAT, ["B", dim]),
        ],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    made = helper.make_model(
        graph,
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=10,
        producer_name="foretext",
    )
    onnx.checker.check_model(made)
    onnx.save_model(made, str(path))
