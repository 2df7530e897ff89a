"""Every kind of network in every format, run in the program that the format is for.

An export compares itself with the original, in ONNX Runtime or OpenVINO, on texts in English and
Chinese, with emoji, empty and too long; what is tested beside that is what a user would do next.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import foretext as ft
from foretext.artifact import kind_of_run
from foretext.base.errors import ModelFileError, SettingError
from foretext.exporting.export import Exported, export
from foretext.exporting.form import Bound
from foretext.exporting.onnx import OnnxExport
from foretext.exporting.parity import Parity
from foretext.exporting.session import feeds_of
from foretext.exporting.texts import compared_rows
from tests.exporting.models import saved_model

onnx = pytest.importorskip("onnxscript", reason="the extra 'export' is not installed")

CELLS = [
    ("encoder", "onnx"),
    ("gpt", "onnx"),
    ("sentence encoder", "onnx"),
    ("classifier", "onnx"),
    ("calibrated", "onnx"),
    ("label sets", "onnx"),
    ("modernbert", "onnx"),
    ("gpt classifier", "onnx"),
    ("matcher", "onnx"),
    ("score", "onnx"),
    ("marked matcher", "onnx"),
    ("tagger", "onnx"),
    ("crf", "onnx"),
    ("gpt tagger", "onnx"),
    ("reader", "onnx"),
    ("llama reader", "onnx"),
    ("wide sentence encoder", "onnx-int8"),
    ("classifier", "onnx-int8"),
    ("sentence encoder", "openvino"),
    ("crf", "openvino"),
    ("textcnn", "onnx"),
    ("gru classifier", "onnx"),
    ("bilstm", "onnx"),
    ("spelling tagger", "onnx"),
    ("lstm spelling tagger", "onnx"),
    ("deberta", "onnx"),
    ("xlnet", "onnx"),
    ("siamese", "onnx"),
    ("both orders", "onnx"),
    ("bilstm tagger", "onnx-int8"),
    ("textcnn", "openvino"),
]
# What would tell of the machine that wrote a file: a line of a program, or a folder of it.
PLACES = re.compile(rb'File "|site-packages|' + re.escape(str(Path(__file__).parents[2]).encode()))
# OpenVINO also computes in a faster number type, where nobody says not to.
CLOSE = {"onnx": 1e-4, "onnx-int8": 0.05, "openvino": 1e-2}
ACTIVATIONS = {
    "softmax": lambda logits: np.exp(logits) / np.exp(logits).sum(),
    "sigmoid": lambda logits: 1 / (1 + np.exp(-logits)),
    "none": lambda logits: logits,
}
GIVEN = ["the king lives in a castle by the sea", "the dog barks in the morning ."]


@pytest.fixture(scope="module", params=CELLS, ids=lambda cell: " to ".join(cell))
def cell(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Exported]:
    name, to = request.param
    folder = tmp_path_factory.mktemp("cell")
    model = saved_model(name, folder)
    return model, export(model, folder / "copy", to, texts=GIVEN, quiet=True)


def largest_weight(path: Path) -> int:
    """The largest absolute value of an int8 matrix of a graph."""
    import onnx

    tensors = [onnx.numpy_helper.to_array(each) for each in onnx.load(path).graph.initializer]
    weights = [each for each in tensors if each.dtype == np.int8 and each.ndim > 1]
    return max(int(np.abs(each.astype(int)).max()) for each in weights)


@pytest.mark.slow
def test_the_copy_answers_as_the_original(cell: tuple[Path, Exported]) -> None:
    _, done = cell
    parity = done.parity
    assert parity.texts == parity.ids_equal >= 12
    assert done.own_texts == len(GIVEN)
    assert parity.scale > 0.1
    assert parity.relative <= (0.25 if done.form == "onnx-int8" else 1e-3)
    if has_vectors := {"last_hidden_state", "sentence_embedding"} & {*parity.numbers}:
        assert parity.cosine is not None, has_vectors
    assert parity.cosine is None or parity.cosine >= (0.95 if "int8" in done.form else 0.9999)
    for found in parity.agreement.values():
        assert found.answers > 0
        assert found.equal >= found.answers * (0.9 if "int8" in done.form else 1)
    record = json.loads((done.output / "export.json").read_text())
    assert (done.output / record["file"]).is_file()
    if done.form == "onnx-int8":  # so that a sum of two products fits into 16 bits
        assert 32 < largest_weight(done.output / record["file"]) <= 64
    assert not (done.output / "model.safetensors").exists()
    assert "foretext" not in json.loads((done.output / "config.json").read_text())
    for path in done.output.rglob("*"):
        assert not path.is_file() or not PLACES.search(path.read_bytes()), path


@pytest.mark.slow
def test_the_card_runs(cell: tuple[Path, Exported], monkeypatch: pytest.MonkeyPatch) -> None:
    model, done = cell
    close = CLOSE[done.form]
    card = (done.output / "README.md").read_text()
    (code,) = re.findall(r"```python\n(.+?)```", card, re.DOTALL)
    monkeypatch.chdir(done.output.parent)
    monkeypatch.syspath_prepend(done.output)
    monkeypatch.delitem(sys.modules, "decode", raising=False)  # of another model
    found: dict[str, Any] = {}
    exec(compile(code, "README.md", "exec"), found)
    record = json.loads((done.output / "export.json").read_text())
    assert [*found["outputs"]] == record["outputs"]
    assert all(np.isfinite(each).all() for each in found["outputs"].values())
    opened = ft.load(model)
    logits = found["outputs"].get("logits")
    if "tags" in found:
        words = found["words"]
        labels = opened.head.tags.labels
        assert found["tags"] == [labels[index] for index in tag_indices(model, words)]
    elif "sentence_embedding" in found["outputs"]:
        own = opened.embed("a text")
        assert np.allclose(found["outputs"]["sentence_embedding"][0], own, atol=close)
    elif "activation" in record:
        opened.use_precision("fp32")
        texts = "a text" if "text_b" not in opened.fields else [("a text", "another text")]
        scored = record["activation"] == "none"
        own = opened.predict(texts) if scored else opened.predict_proba(texts)
        values = ACTIVATIONS[record["activation"]](logits[0])
        assert np.allclose(values, np.ravel(own), atol=close)


def tag_indices(model: Path, words: list[str]) -> list[int]:
    tagger = ft.load(model)
    tagger.use_precision("fp32")
    (indices,) = tagger._scores([words]).indices()
    return indices


class TorchExport(OnnxExport):
    """The folder without a traced graph, whose network PyTorch computes: quick to compare."""

    def write_network(self, folder: Path) -> None:
        self.graph.network.float().eval()

    @torch.inference_mode()
    def computed(self, folder: Path, rows: Any) -> Any:
        names = self.graph.network.input_names
        feeds = feeds_of([row.feeds for row in rows], names)
        found = self.graph.network(**{name: torch.from_numpy(feeds[name]) for name in names})
        return {
            name: list(each.numpy()) for name, each in zip(self.graph.outputs, found, strict=True)
        }


UNTRACED = [
    "sentence encoder",
    "label sets",
    "score",
    "crf",
    "reader",
    "textcnn",
    "spelling tagger",
    "siamese",
    "both orders",
    "word siamese",
]


@pytest.mark.parametrize("name", UNTRACED)
def test_files_and_network_without_tracing(name: str, tmp_path: Path) -> None:
    model = saved_model(name, tmp_path)
    form = TorchExport(ft.load(model), kind_of_run(model))
    form.write(tmp_path)
    found, _ = compared_rows(model, GIVEN, form.num_texts, form.model, asks=form.asks)
    rows = found[:6]
    sizes = form.sizes(rows)
    parity = Parity.of(rows, form.own(rows), form.theirs(tmp_path, rows))
    parity.check(Bound(1e-4, 0.9999), "torch")
    assert parity.texts == parity.ids_equal == len(rows)
    assert min(sizes) > 0
    answers = {"score": [], "reader": [], "sentence encoder": [], "word siamese": []}
    answers |= {"crf": ["tags"], "spelling tagger": ["tags"]}
    assert [*parity.agreement] == answers.get(name, ["labels"])


def test_a_network_that_is_too_large_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("foretext.exporting.network.MOST_BYTES", 1000)
    with pytest.raises(SettingError, match=r"weights of the network take .* cannot be exported"):
        export(saved_model("encoder", tmp_path), tmp_path / "copy")


@pytest.mark.parametrize("to", ["onnx", "onnx-int8"])
def test_recurrent_layers_need_operators_of_onnx(
    to: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr("torch.onnx.ops")
    with pytest.raises(
        SettingError, match=r"recurrent layers, .* needs PyTorch 2\.8 or later; you have \d"
    ):
        export(saved_model("bilstm classifier", tmp_path), tmp_path / "copy", to=to)
    textcnn = saved_model("textcnn", tmp_path)
    assert not OnnxExport(ft.load(textcnn), kind_of_run(textcnn)).is_recurrent


def test_what_another_program_cannot_do_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: object, **settings: object) -> None:
        raise RuntimeError("no such operator\nand a page of more")

    monkeypatch.setattr("torch.onnx.export", fail)
    with pytest.raises(ModelFileError, match=r"exporter to ONNX .*: no such operator\. Nothing"):
        export(saved_model("encoder", tmp_path), tmp_path / "copy", texts=GIVEN)
    assert not (tmp_path / "copy").exists()
