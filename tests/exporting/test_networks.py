"""Every kind of network in every format, run in the program that the format is for.

An export compares itself with the original, in ONNX Runtime or OpenVINO, on texts in English and
Chinese, with emoji, empty and too long; what is tested beside that is what a user would do next.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import foretext as ft
from foretext.exporting.export import Exported, export
from tests.exporting.models import saved_model

onnx = pytest.importorskip("onnxscript", reason="the extra 'export' is not installed")

CELLS = [
    ("encoder", "onnx"),
    ("gpt", "onnx"),
    ("sentence encoder", "onnx"),
    ("classifier", "onnx"),
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
]
# What would tell of the machine that wrote a file: a line of a program, or a folder of it.
PLACES = re.compile(rb'File "|site-packages|' + re.escape(str(Path(__file__).parents[2]).encode()))
GIVEN = ["the king lives in a castle by the sea", "the dog barks in the morning ."]


@pytest.fixture(scope="module", params=CELLS, ids=lambda cell: " to ".join(cell))
def cell(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Exported]:
    name, to = request.param
    folder = tmp_path_factory.mktemp("cell")
    model = saved_model(name, folder)
    return model, export(model, folder / "copy", to, texts=GIVEN, quiet=True)


@pytest.mark.slow
def test_the_copy_answers_as_the_original(cell: tuple[Path, Exported]) -> None:
    _, done = cell
    parity = done.parity
    assert parity.texts == parity.ids_equal >= 12
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
    assert not (done.output / "model.safetensors").exists()
    assert "foretext" not in json.loads((done.output / "config.json").read_text())
    for path in done.output.rglob("*"):
        assert not path.is_file() or not PLACES.search(path.read_bytes()), path


@pytest.mark.slow
def test_the_card_runs(cell: tuple[Path, Exported], monkeypatch: pytest.MonkeyPatch) -> None:
    model, done = cell
    card = (done.output / "README.md").read_text()
    (code,) = re.findall(r"```python\n(.+?)```", card, re.DOTALL)
    monkeypatch.chdir(done.output.parent)
    monkeypatch.syspath_prepend(done.output)
    found: dict[str, Any] = {}
    exec(compile(code, "README.md", "exec"), found)
    if "tags" in found:
        words = found["words"]
        labels = ft.load(model).head.tags.labels
        assert found["tags"] == [labels[place] for place in places_of(model, words)]
    elif "sentence_embedding" in found["outputs"]:
        own = ft.load(model).embed("a text")
        close = 0.05 if done.form == "onnx-int8" else 1e-2  # OpenVINO takes what is fast
        assert np.allclose(found["outputs"]["sentence_embedding"][0], own, atol=close)


def places_of(model: Path, words: list[str]) -> list[int]:
    tagger = ft.load(model)
    tagger.use_precision("fp32")
    (places,) = tagger._scores([words]).places()
    return places
