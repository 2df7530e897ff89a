"""Haystack, LlamaIndex and Milvus against a running server; `make clients` installs them."""

from __future__ import annotations

import asyncio
import importlib.util
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from tests.serving.conftest import Server, running
from tests.serving.models import TEXTS

QUERY = "a ship on the sea"
CLOSE = {"rtol": 2e-2, "atol": 2e-2}


@pytest.fixture(scope="module")
def encoder(models: dict[str, Any]) -> Iterator[Server]:
    """A server of a sentence encoder."""
    with running({"sentences": models["sentences"]}) as started:
        yield started


@pytest.fixture(scope="module")
def ranker(models: dict[str, Any]) -> Iterator[Server]:
    """A server of a matcher."""
    with running({"matcher": models["matcher"]}) as started:
        yield started


@pytest.fixture
def vectors(models: dict[str, Any]) -> np.ndarray:
    """What the encoder makes of the texts in Python, (N, D)."""
    found: np.ndarray = models["sentences"].embed(TEXTS, normalize=True)
    return found


@pytest.fixture
def scores(models: dict[str, Any]) -> list[float]:
    """What the matcher makes of each text and the query in Python, the highest first."""
    found = models["matcher"].relevance([(QUERY, text) for text in TEXTS])
    return sorted(map(float, found), reverse=True)


@pytest.fixture
def quiet(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Packages that warn when they are imported, and one that would send what it is used for."""
    monkeypatch.setenv("HAYSTACK_TELEMETRY_ENABLED", "False")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("normalize", [False, True])
def test_haystack_embeds(encoder: Server, normalize: bool) -> None:
    haystack = pytest.importorskip("haystack")
    found = pytest.importorskip("haystack_integrations.components.embedders.huggingface_api")
    chosen = {"api_type": "text_embeddings_inference", "api_params": {"url": encoder.url}}
    vectors = encoder.models["sentences"].embed(TEXTS, normalize=normalize)
    for more in ({"normalize": normalize}, {"truncate": True, "normalize": normalize}):
        documents = [haystack.Document(content=text) for text in TEXTS]
        embedder = found.HuggingFaceAPIDocumentEmbedder(**chosen, **more, progress_bar=False)
        embedded = embedder.run(documents)["documents"]
        np.testing.assert_allclose([each.embedding for each in embedded], vectors, **CLOSE)
        one = found.HuggingFaceAPITextEmbedder(**chosen, **more).run(TEXTS[0])["embedding"]
        np.testing.assert_allclose(one, vectors[0], **CLOSE)


@pytest.mark.usefixtures("quiet")
def test_haystack_ranks(ranker: Server, scores: list[float]) -> None:
    haystack = pytest.importorskip("haystack")
    pytest.importorskip("haystack_integrations.components.rankers.huggingface_api")
    from haystack_integrations.components.rankers.huggingface_api import ranker as found

    component = found.HuggingFaceTEIRanker(url=ranker.url, token=None)
    documents = [haystack.Document(content=text) for text in TEXTS]
    for direction in (None, *found.TruncationDirection):
        asked = {"query": QUERY, "documents": documents, "truncation_direction": direction}
        ranked = component.run(**asked)["documents"]
        assert [each.score for each in ranked] == pytest.approx(scores, abs=1e-2)
        assert asyncio.run(component.run_async(**asked))["documents"] == ranked


@pytest.mark.slow
@pytest.mark.usefixtures("quiet")
def test_llama_index_embeds(encoder: Server, vectors: np.ndarray) -> None:
    name = "llama_index.embeddings.text_embeddings_inference"
    found = pytest.importorskip(name)
    embedder = found.TextEmbeddingsInference(model_name="sentences", base_url=encoder.url)
    np.testing.assert_allclose(embedder.get_text_embedding_batch(TEXTS), vectors, **CLOSE)
    one = asyncio.run(embedder.aget_text_embedding(TEXTS[0]))
    np.testing.assert_allclose(one, vectors[0], **CLOSE)


@pytest.mark.usefixtures("quiet")
def test_llama_index_ranks(ranker: Server, scores: list[float]) -> None:
    found = pytest.importorskip("llama_index.postprocessor.tei_rerank")
    from llama_index.core.schema import NodeWithScore, TextNode

    nodes = [NodeWithScore(node=TextNode(text=text), score=0.0) for text in TEXTS]
    reranker = found.TextEmbeddingInference(base_url=ranker.url, top_n=2)
    ranked = reranker.postprocess_nodes(nodes, query_str=QUERY)
    assert [each.score for each in ranked] == pytest.approx(scores[:2], abs=1e-2)


@pytest.mark.usefixtures("quiet")
def test_milvus_embeds(encoder: Server, vectors: np.ndarray, milvus: Any) -> None:
    function = milvus("dense/tei.py").TEIEmbeddingFunction(encoder.url)
    assert function.dim == vectors.shape[1]
    np.testing.assert_allclose(function.encode_documents(TEXTS), vectors, **CLOSE)


@pytest.mark.usefixtures("quiet")
def test_milvus_hears_why_it_is_refused(ranker: Server, milvus: Any) -> None:
    function = milvus("dense/tei.py").TEIEmbeddingFunction(ranker.url)
    with pytest.raises(RuntimeError, match="No model of this server has 'embed'"):
        function.encode_queries(TEXTS)


@pytest.mark.usefixtures("quiet")
def test_milvus_ranks(ranker: Server, scores: list[float], milvus: Any) -> None:
    ranked = milvus("reranker/tei.py").TEIRerankFunction(ranker.url)(QUERY, TEXTS)
    assert [each.score for each in ranked] == pytest.approx(scores, abs=1e-2)
    assert {each.text for each in ranked} == set(TEXTS)


@pytest.fixture
def milvus(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Open a module of pymilvus.model by itself: the package imports a database's client."""
    folders = [Path(place) / "pymilvus" / "model" for place in sys.path]
    folder = next((each for each in folders if (each / "dense" / "tei.py").is_file()), None)
    if folder is None:
        pytest.skip("could not import 'pymilvus.model'")
    for name in ("pymilvus", "pymilvus.model"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))

    def opened(file: str, name: str = "pymilvus.model.opened") -> ModuleType:
        spec = importlib.util.spec_from_file_location(name, folder / file)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, name, module)
        spec.loader.exec_module(module)
        return module

    opened("base.py", "pymilvus.model.base")
    return opened
