"""A search index whose queries a network reads, on a page: its vectors, and what is refused."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import foretext as ft
from foretext.artifact import kind_of_run
from foretext.base.errors import ModelFileError, SettingError
from foretext.base.parsing import read_tensors
from foretext.exporting.network import EncodedRow
from foretext.exporting.page import export_page, network_search
from foretext.exporting.page.bundle import bundle
from foretext.exporting.page.network import NetworkPage
from foretext.exporting.page.network_kind import Wanted
from foretext.exporting.page.network_search import FILE, PassagesOfQueries
from foretext.interop.text_windows import WINDOW_VECTOR, TextWindows
from foretext.nn.pooling import DENSE_ACTIVATIONS, Dense
from foretext.search.index import index
from tests.exporting.models import saved_model
from tests.exporting.page.node import needs_node
from tests.search.indexes import made as made_of_words

NUM_PASSAGES = 30
QUERIES = [("the king lives in a castle",), ("a ship sails " * 30,), ("",), ("the dog",)]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of a sentence encoder."""
    folder = tmp_path_factory.mktemp("index")
    model = saved_model("sentence encoder", folder)
    words = ["the king", "a ship", "the dog", "a castle", "an island", "the sea"]
    rng = np.random.default_rng(2)
    lines = [" and ".join(rng.permutation(words)[: 2 + at % 4]) for at in range(NUM_PASSAGES)]
    (folder / "texts.txt").write_text("\n".join(dict.fromkeys(lines)), encoding="utf-8")
    given: dict[str, Any] = {"quiet": True, "text": {"documents": "line"}}
    index(model, folder / "texts.txt", folder / "index", **given)
    return folder / "index"


def kind_of(path: Path, to: str = "onnx") -> PassagesOfQueries:
    page = NetworkPage(ft.load(path), kind_of_run(path), "model", to)
    assert isinstance(page.network_kind, PassagesOfQueries)
    return page.network_kind


def computed(kind: PassagesOfQueries, rows: list[EncodedRow]) -> dict[str, Any]:
    """Return what the graph gives, by PyTorch in place of ONNX Runtime."""
    found = []
    for row in rows:
        ids = torch.tensor([row.ids])
        with torch.inference_mode():
            (vector,) = kind.form.graph.network.eval()(
                ids, torch.ones_like(ids), torch.zeros_like(ids)
            )
        found.append(vector[0].numpy())
    return {WINDOW_VECTOR: found}


def wanted_of(kind: PassagesOfQueries, monkeypatch: pytest.MonkeyPatch) -> list[Wanted]:
    monkeypatch.setattr(
        type(kind.form), "computed", lambda form, folder, rows: computed(kind, rows)
    )
    return [kind.wanted(Path(), query) for query in QUERIES]


def test_vectors_of_queries_are_those_of_the_index(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = kind_of(path)
    found = wanted_of(kind, monkeypatch)
    theirs = ft.load(path).embedder.embed([query for (query,) in QUERIES])
    np.testing.assert_allclose([each.numbers for each in found], theirs, atol=1e-5)
    assert len(found[1].rows) > 2  # windows
    assert found[2].rows == []
    assert kind.num_tokens(Any, QUERIES[1]) == sum(len(row.ids) for row in found[1].rows)


def test_a_query_has_to_find_what_the_index_finds(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind, own = kind_of(path), ft.load(path)
    found = kind.complete(tmp_path, QUERIES, wanted_of(kind, monkeypatch))
    assert found.wanted["by_own_numbers"]
    for (query,), hits in zip(QUERIES, found.wanted["hits"], strict=True):
        assert [row for row, _ in hits] == [hit.row for hit in own.search(query)]
    assert any("publish it only where everybody may read them" in note for note in found.notes)
    found_texts = read_tensors(tmp_path / FILE, ModelFileError, {"passages": ("uint8", 1)})
    assert json.loads(found_texts.tensors["passages"].tobytes()) == own.passages.texts(0, len(own))


def test_weights_of_8_bits_must_find_most_passages(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = kind_of(path, "onnx-int8")
    wanted = wanted_of(kind, monkeypatch)
    found = kind.complete(tmp_path, QUERIES, wanted)
    assert not found.wanted["by_own_numbers"]
    assert any("finds 100.0% of the ten best passages" in note for note in found.notes)
    turned = [each._replace(numbers=each.numbers[::-1]) for each in wanted]
    with pytest.raises(ModelFileError, match=r"finds only \d+% of the passages.*--to onnx"):
        kind.complete(tmp_path, QUERIES, turned)


@pytest.mark.parametrize(
    ("to", "remedy"), [("onnx", "take --to onnx-int8, distil"), ("onnx-int8", "page distil")]
)
def test_a_page_that_no_browser_opens_is_refused(
    to: str, remedy: str, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(network_search, "MOST_LOADED", 10_000)
    with pytest.raises(SettingError, match=rf"would load .* of the network.*{remedy}"):
        kind_of(path, to)


def test_other_models_of_an_index_are_refused(tmp_path: Path) -> None:
    found = made_of_words(tmp_path)
    with pytest.raises(SettingError, match="which are no network"):
        network_search.index_windows(found)


def test_options_without_effect(path: Path, tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="--limit has no effect on a network"):
        export_page(path, tmp_path / "page", limit=3, quiet=True)


def scaled(rng: np.random.Generator, *shape: int) -> torch.Tensor:
    return torch.from_numpy(rng.normal(0, 0.5, shape).astype(np.float32))


@needs_node
@pytest.mark.parametrize("pooling", ["mean", "max"])
def test_windows_are_joined_as_in_python(pooling: str, path: Path, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    whole = kind_of(path).windows
    sizes = [0, 1, 21, 22, 60, 200]
    dims = range(8, 8 + len(DENSE_ACTIVATIONS) + 1)
    dense = tuple(
        Dense(scaled(rng, after, before), scaled(rng, after) if after % 2 else None, activation)
        for activation, before, after in zip(DENSE_ACTIVATIONS, dims[:-1], dims[1:], strict=True)
    )
    windows = TextWindows(whole.graph, whole.framing, pooling, dense)
    framing = windows.framing
    around = len(framing.prefix) + len(framing.suffix)
    rows = [framing.windows(range(size), windows.overlap) for size in sizes]
    vectors = [rng.normal(0, 2, (len(each), 8)).astype(np.float32) for each in rows]
    given = {
        "windows": {
            "room": framing.room,
            "overlap": windows.overlap,
            "pooling": pooling,
            "around": around,
        },
        "texts": [[*range(size)] for size in sizes],
        "vectors": [each.tolist() for each in vectors],
        "layers": [
            {
                "weight": {
                    "numbers": layer.weight.detach().ravel().tolist(),
                    "dim": layer.weight.shape[1],
                },
                "bias": None if layer.bias is None else layer.bias.detach().tolist(),
                "activation": layer.activation,
            }
            for layer in dense
        ],
    }
    (tmp_path / "given.json").write_text(json.dumps(given))
    (tmp_path / "run.cjs").write_text(bundle("node_windows.js"), encoding="utf-8")
    command = [str(shutil.which("node")), str(tmp_path / "run.cjs"), str(tmp_path / "given.json")]
    found = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    assert max(map(len, rows)) > 5
    for theirs, own, each in zip(found, rows, vectors, strict=True):
        assert [[*framing.prefix, *row, *framing.suffix] for row in theirs["rows"]] == own
        if own:
            np.testing.assert_allclose(theirs["vector"], windows.vector(own, each), atol=2e-6)
        else:
            assert theirs["vector"] is None
