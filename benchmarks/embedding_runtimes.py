"""A sentence encoder in the runtimes that sentence-transformers offers as backends.

Its backends `onnx` and `openvino` need optimum-onnx and optimum-intel, which do not work with
transformers 5. So what these packages do is done here with the runtimes themselves: the network is
exported by PyTorch, ONNX Runtime quantises it dynamically (int8 weights by channel, as the
configuration `avx512_vnni` of optimum-onnx), and NNCF quantises it for OpenVINO with the states of
some texts (as the default of optimum-intel). Texts are sorted by length and embedded 32 at a time,
as sentence-transformers does.

``python -m benchmarks.embedding_runtimes FOLDER`` exports and quantises a model once.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import work_folder
from benchmarks.inputs import enwiki_paragraphs

__all__ = ["RUNTIMES", "embedder"]

BATCH = 32
NUM_CALIBRATION = 300  # texts, as optimum-intel takes them
INPUTS = ("input_ids", "attention_mask")
Feed = dict[str, NDArray[Any]]
Infer = Callable[[Feed], NDArray[np.float32]]


def main() -> None:
    export(Path(sys.argv[1]))
    print(json.dumps({}))


def exported(folder: Path, name: str) -> Path:
    """Where the export of a model is kept."""
    return work_folder() / f"{folder.name}-{name}"


def export(folder: Path) -> None:
    """Write the network for both runtimes, in float32 and in int8, if it is not there."""
    if not exported(folder, "int8.onnx").exists():
        _export_onnx(folder)
    if not exported(folder, "int8.xml").exists():
        _export_openvino(folder)


def _export_onnx(folder: Path) -> None:
    import torch
    from onnxruntime.quantization import QuantType, quantize_dynamic

    names: dict[str, Any] = {"input_names": list(INPUTS), "output_names": ["states"]}
    names["dynamic_axes"] = {name: {0: "B", 1: "T"} for name in (*INPUTS, "states")}
    path = exported(folder, "fp32.onnx")
    # the older exporter and eager attention: of this graph ONNX Runtime fuses the most
    torch.onnx.export(
        _network(folder, "eager"), _example(folder), path, dynamo=False, opset_version=17, **names
    )
    int8 = exported(folder, "int8.onnx")
    quantize_dynamic(path, int8, per_channel=True, weight_type=QuantType.QInt8)


def _export_openvino(folder: Path) -> None:
    import nncf
    import openvino

    model = openvino.convert_model(_network(folder, "sdpa"), example_input=_example(folder))
    openvino.save_model(model, exported(folder, "fp32.xml"), compress_to_fp16=False)
    others = enwiki_paragraphs(NUM_CALIBRATION * 7)[3::7]  # hardly any of them is measured
    feeds = [tuple(feed.values()) for text in others for feed in _feeds(folder, [text])]
    kind = nncf.ModelType.TRANSFORMER
    model = nncf.quantize(model, nncf.Dataset(feeds), model_type=kind, subset_size=NUM_CALIBRATION)
    openvino.save_model(model, exported(folder, "int8.xml"))


def _network(folder: Path, attention: str) -> Any:
    """The network with two inputs and one output."""
    import torch
    from transformers import AutoModel

    class States(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body = AutoModel.from_pretrained(folder, attn_implementation=attention)

        def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> Any:
            return self.body(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state

    return States().eval()


def _example(folder: Path) -> tuple[Any, ...]:
    import torch

    (feed,) = _feeds(folder, ["a text", "another text of more words"])
    return tuple(map(torch.tensor, feed.values()))


def _feeds(folder: Path, texts: list[str]) -> Iterator[Feed]:
    """Yield batches of texts, in their order."""
    for start in range(0, len(texts), BATCH):
        made = _tokenizer(folder)(
            texts[start : start + BATCH],
            padding=True,
            truncation=True,
            max_length=512,
            return_tensors="np",
        )
        yield {name: made[name] for name in INPUTS}


@cache
def _tokenizer(folder: Path) -> Any:
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(folder)


def embedder(folder: Path, runtime: str) -> Callable[[list[str]], NDArray[np.float32]]:
    """Return what embeds texts by the mean of their states in one of `RUNTIMES`, (N, D)."""
    infer = RUNTIMES[runtime](folder)

    def embed(texts: list[str]) -> NDArray[np.float32]:
        order = sorted(range(len(texts)), key=lambda place: -len(texts[place]))
        means = []
        for feed in _feeds(folder, [texts[place] for place in order]):
            mask = feed["attention_mask"][:, :, None].astype(np.float32)  # (B, T, 1)
            means.append((infer(feed) * mask).sum(1) / mask.sum(1))
        vectors = np.concatenate(means)
        found = np.empty_like(vectors)
        found[order] = vectors
        return found

    return embed


def _onnx(folder: Path, precision: str) -> Infer:
    import onnxruntime
    import torch

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = torch.get_num_threads()
    path = exported(folder, f"{precision}.onnx")
    session = onnxruntime.InferenceSession(str(path), options)
    return lambda feed: session.run(None, feed)[0]


def _openvino(folder: Path, precision: str, **hints: str) -> Infer:
    import openvino
    import torch

    hints = {"INFERENCE_NUM_THREADS": str(torch.get_num_threads()), **hints}
    path = exported(folder, f"{precision}.xml")
    request = openvino.Core().compile_model(path, "CPU", hints).create_infer_request()
    return lambda feed: request.infer(list(feed.values()))[0]


RUNTIMES: dict[str, Callable[[Path], Infer]] = {
    "onnx-fp32": lambda folder: _onnx(folder, "fp32"),
    "onnx-int8": lambda folder: _onnx(folder, "int8"),
    "openvino-fp32": lambda folder: _openvino(folder, "fp32", INFERENCE_PRECISION_HINT="f32"),
    "openvino-auto": lambda folder: _openvino(folder, "fp32"),
    "openvino-int8": lambda folder: _openvino(folder, "int8"),
}

if __name__ == "__main__":
    main()
