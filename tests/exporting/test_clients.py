"""Exported folders in transformers.js (in node, offline) and in fastembed, as they are installed.

``make clients`` puts both into ``build/``; where one is missing its tests are skipped.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import foretext as ft
from foretext.exporting.export import export
from tests.exporting.models import saved_model

ROOT = Path(__file__).parents[2]
NPM, FASTEMBED = ROOT / "build" / "npm", ROOT / "build" / "fastembed" / "bin" / "python"
HERE = Path(__file__).parent
TEXTS = ["the king lives in a castle by the sea", "a ship"]

pytestmark = pytest.mark.slow
in_javascript = pytest.mark.skipif(
    not shutil.which("node") or not (NPM / "node_modules/@huggingface/transformers").is_dir(),
    reason="node, or @huggingface/transformers in build/npm, is missing; `make clients`",
)
by_fastembed = pytest.mark.skipif(
    not FASTEMBED.is_file(), reason="fastembed in build/fastembed is missing; `make clients`"
)

PROGRAM = """
import json, sys
from fastembed import TextEmbedding
from fastembed.common.model_description import ModelSource, PoolingType

folder, dim, *texts = sys.argv[1:]
TextEmbedding.add_custom_model(
    model="mine", pooling=PoolingType.MEAN, normalization=True,
    sources=ModelSource(hf="mine"), dim=int(dim), model_file="onnx/model.onnx",
)
model = TextEmbedding("mine", specific_model_path=folder)
print(json.dumps([vector.tolist() for vector in model.embed(texts)]))
"""


def in_node(folder: Path, what: str, *texts: str) -> Any:
    """What transformers.js answers."""
    command = ["node", HERE / "transformers.mjs", NPM, folder, what, *texts]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def in_fastembed(folder: Path, dim: int, *texts: str) -> np.ndarray:
    """What fastembed answers."""
    command = [FASTEMBED, "-c", PROGRAM, folder, str(dim), *texts]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return np.array(json.loads(done.stdout))


@pytest.fixture(scope="module", params=["sentence encoder", "cls sentence encoder", "static"])
def encoder(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, np.ndarray]:
    folder = tmp_path_factory.mktemp("encoder")
    model = saved_model(request.param, folder)
    to = "static" if request.param == "static" else "onnx"
    export(model, folder / "copy", to, quiet=True)
    return folder / "copy", ft.load(model).embed(TEXTS)


@in_javascript
def test_sentence_vectors_in_transformers_js(encoder: tuple[Path, np.ndarray]) -> None:
    folder, own = encoder
    known = json.loads((folder / "export.json").read_text())
    pooling = known.get("pooling", "mean")
    if known["to"] == "onnx":
        card = (folder / "README.md").read_text()
        assert f"{{pooling: '{pooling}', normalize: true}}" in card
    assert np.allclose(in_node(folder, f"embedded {pooling}", *TEXTS), own, atol=1e-4)


@by_fastembed
@pytest.mark.parametrize("encoder", ["sentence encoder", "static"], indirect=True)
def test_sentence_vectors_in_fastembed(encoder: tuple[Path, np.ndarray]) -> None:
    folder, own = encoder
    assert np.allclose(in_fastembed(folder, own.shape[1], *TEXTS), own, atol=1e-4)


@in_javascript
@pytest.mark.parametrize("name", ["classifier", "label sets", "gpt classifier", "textcnn"])
def test_labels_in_transformers_js(name: str, tmp_path: Path) -> None:
    model = saved_model(name, tmp_path)
    export(model, tmp_path / "copy", quiet=True)
    classifier = ft.load(model)
    classifier.use_precision("fp32")
    for own, theirs in zip(
        classifier.predict_proba(TEXTS),
        in_node(tmp_path / "copy", "classified", *TEXTS),
        strict=True,
    ):
        found = {each["label"]: each["score"] for each in theirs}
        assert found == pytest.approx(dict(zip(classifier.label_names, own, strict=True)), abs=1e-5)


@in_javascript
@pytest.mark.parametrize("name", ["crf", "gpt tagger"])
def test_tags_by_the_decoder_in_javascript(name: str, tmp_path: Path) -> None:
    model = saved_model(name, tmp_path)
    export(model, tmp_path / "copy", quiet=True)
    tagger = ft.load(model)
    tagger.use_precision("fp32")
    words = ["the", "dog", "barks", "in", "中", "文", "."]
    (indices,) = tagger._scores([words]).indices()
    found = in_node(tmp_path / "copy", "tagged", *words)
    assert found == [tagger.head.tags.labels[index] for index in indices]


@pytest.mark.parametrize(
    ("name", "in_javascript"),
    [("score", False), ("crf", True), ("bilstm tagger", False), ("gpt", False)],
)
def test_cards_name_no_pipeline_that_answers_otherwise(
    name: str, in_javascript: bool, tmp_path: Path
) -> None:
    export(saved_model(name, tmp_path), tmp_path / "copy", quiet=True)
    card = (tmp_path / "copy" / "README.md").read_text()
    assert "pipeline(" not in card
    assert ("`decode.mjs`" in card) == in_javascript
    assert (tmp_path / "copy" / "decode.mjs").exists() == in_javascript
