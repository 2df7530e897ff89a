from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from foretext.backbones.transformer import Transformer
from foretext.base.errors import SettingError
from foretext.data.batch import Inputs
from foretext.language_model import LanguageModel
from tests.language_model.models import SENTENCES, bert, gpt

TEXTS = [*SENTENCES, "the king", "", "a ship", SENTENCES[0]]


def states(model: LanguageModel, text: str, layer: int = -1) -> np.ndarray:
    """The states of one text, computed by itself, (T, D)."""
    special, ids = model.tokenizer.special, model.tokenizer.encode(text)
    if special.cls is not None and special.sep is not None:
        ids = [special.cls, *ids, special.sep]
    visibility = "full" if special.cls is not None else "causal"
    with torch.inference_mode():
        found = model.backbone(
            Inputs(torch.tensor([ids]), visibility=visibility),  # type: ignore[arg-type]
            keep_layers=True,
        )
    state = found.last if layer == -1 else found.layers[layer]
    return np.asarray(state[0])


def in_float32(make: type | object, **settings: object) -> LanguageModel:
    model = make(**settings)  # type: ignore[operator]
    return LanguageModel(
        model.tokenizer, model.backbone, model.objective, device="cpu", precision="fp32"
    )


@pytest.mark.parametrize("make", [bert, gpt])
def test_a_batch_gives_what_each_text_gives_by_itself(make: object) -> None:
    model = in_float32(make)
    vectors = model.embed(TEXTS)
    assert vectors.shape == (8, 16)
    assert vectors.dtype == np.float32
    assert not vectors[5].any()  # a text of no tokens
    for text, vector in zip(TEXTS, vectors, strict=True):
        if text:
            np.testing.assert_allclose(vector, states(model, text).mean(0), atol=1e-5)
            np.testing.assert_allclose(vector, model.embed([text])[0], atol=1e-5)


def test_pooling_and_layers() -> None:
    model = in_float32(bert)
    text = SENTENCES[1]
    last, first = states(model, text), states(model, text, 1)
    np.testing.assert_allclose(model.embed([text], "cls")[0], last[0], atol=1e-6)
    np.testing.assert_allclose(model.embed([text], "max")[0], last.max(0), atol=1e-6)
    np.testing.assert_allclose(model.embed([text], layer=1)[0], first.mean(0), atol=1e-6)
    both = (last.mean(0) + first.mean(0)) / 2
    np.testing.assert_allclose(model.embed([text], layer=(1, -1))[0], both, atol=1e-6)
    np.testing.assert_allclose(model.embed([text], layer=2)[0], last.mean(0), atol=1e-6)
    unit = model.embed([text, ""], normalize=True)
    np.testing.assert_allclose(unit[0], last.mean(0) / np.linalg.norm(last.mean(0)), atol=1e-6)
    assert not unit[1].any()


def test_the_last_layer_of_a_pre_norm_body_is_normed_whatever_it_is_called() -> None:
    model = in_float32(gpt)
    np.testing.assert_array_equal(model.embed(TEXTS, layer=2), model.embed(TEXTS, layer=-1))
    assert np.abs(model.embed(TEXTS, layer=1) - model.embed(TEXTS)).max() > 0.1


def test_long_texts_are_windows_weighted_by_their_tokens() -> None:
    model = in_float32(bert)
    words = " ".join(SENTENCES).split()
    text = " ".join(words[:24] + words[:15])  # each word is a token here
    ids = model.tokenizer.encode(text)
    room = model.backbone.max_length - 2
    assert room < len(ids) < 2 * room - 6
    decoded = [model.tokenizer.decode(ids[:room]), model.tokenizer.decode(ids[room - 6 :])]
    parts = [states(model, part) for part in decoded]
    assert [len(part) for part in parts] == [room + 2, len(ids) - room + 6 + 2]
    tokens = np.array([len(part) for part in parts])
    mean = (np.stack([part.mean(0) for part in parts]) * tokens[:, None]).sum(0) / tokens.sum()
    np.testing.assert_allclose(model.embed([text], overlap=6)[0], mean, atol=1e-5)
    largest = np.max([part.max(0) for part in parts], axis=0)
    np.testing.assert_allclose(model.embed([text, "a"], "max", overlap=6)[0], largest, atol=1e-5)


@pytest.mark.parametrize("precision", ["bf16", "int8"])
def test_few_bits_point_where_float32_does_and_follow_the_weights(precision: Any) -> None:
    if precision == "int8" and not torch.cpu._is_vnni_supported():
        pytest.skip("the processor has no products of integers")
    exact = in_float32(bert, init_std=0.05, dim=64)
    half = LanguageModel(
        exact.tokenizer, exact.backbone, exact.objective, device="cpu", precision=precision
    )
    before = half.embed(SENTENCES, normalize=True)
    assert (before * exact.embed(SENTENCES, normalize=True)).sum(1).min() > 0.999
    assert (before != exact.embed(SENTENCES, normalize=True)).any()
    with torch.no_grad():
        exact.backbone.embedding.mul_(-1)
    after = half.embed(SENTENCES, normalize=True)
    assert (after * exact.embed(SENTENCES, normalize=True)).sum(1).min() > 0.999
    assert (after * before).sum(1).max() < 0.9


@pytest.mark.parametrize(
    ("make", "settings", "complaint"),
    [
        (bert, {"pooling": "middle"}, "pooling = 'middle': there are 'mean', 'cls' and 'max'"),
        (gpt, {"pooling": "cls"}, "first position of a causal model sees nothing but itself"),
        (bert, {"layer": 3}, r"layer = 3: there are 0 \(the embeddings\) to 2"),
        (bert, {"layer": ()}, "name one layer at least"),
        (bert, {"overlap": 30}, "windows have 30 tokens; use 0 to 29"),
    ],
)
def test_wrong_settings_are_sentences(make: object, settings: dict, complaint: str) -> None:
    with pytest.raises(SettingError, match=complaint):
        make().embed(["the king"], **settings)  # type: ignore[operator]


def test_a_single_text_gets_a_single_vector() -> None:
    model = bert()
    assert model.embed("the king").tolist() == model.embed(["the king"])[0].tolist()
    pair = model.embed("the king", seconds="a queen")
    assert pair.tolist() == model.embed(["the king"], seconds=["a queen"])[0].tolist()


def test_similarity_is_the_cosine_of_texts_or_vectors() -> None:
    model, texts = bert(), ["the king", "a queen", "the king"]
    cosines = model.similarity(texts, texts[:2])
    assert cosines.shape == (3, 2)
    np.testing.assert_allclose(cosines[0], cosines[2], atol=1e-6)
    assert model.similarity("the king", "the king") == pytest.approx(1.0, abs=1e-6)
    np.testing.assert_allclose(model.similarity("the king", texts), cosines[:, 0], atol=1e-6)
    np.testing.assert_allclose(model.similarity(model.embed(texts), texts[:2]), cosines, atol=1e-6)
    paired = model.similarity_pairwise(texts[:2], texts[:2])
    np.testing.assert_allclose(paired, np.diag(cosines), atol=1e-6)
    with pytest.raises(SettingError, match="holds no texts and no vectors of"):
        model.similarity(np.zeros((2, 3)), texts)


def test_a_body_alone_looks_where_its_tokenizer_says(tmp_path: Path) -> None:
    for make, blind in ((bert, False), (gpt, True)):
        model = make()
        body = LanguageModel(model.tokenizer, model.backbone, None, device="cpu")
        maps = body.attention_maps("the king and the queen").weights
        assert (maps[0, 0, 0, 1:] == 0).all() == blind


def test_vectors_are_those_of_sentence_transformers(tmp_path: Path) -> None:
    st = pytest.importorskip("sentence_transformers")
    modules = pytest.importorskip("sentence_transformers.sentence_transformer.modules")
    model = in_float32(bert)
    model.save(tmp_path / "bert")
    for pooling in ("mean", "cls", "max"):
        body = modules.Transformer(str(tmp_path / "bert"))
        peer = st.SentenceTransformer(modules=[body, modules.Pooling(16, pooling)], device="cpu")
        theirs = peer.encode(SENTENCES)
        np.testing.assert_allclose(model.embed(SENTENCES, pooling), theirs, atol=1e-5)
        peer.save(str(tmp_path / pooling))
        ours = LanguageModel.load(tmp_path / pooling, device="cpu", precision="fp32")
        np.testing.assert_allclose(ours.embed(SENTENCES), theirs, atol=1e-5)


def test_what_is_saved_gives_the_same(tmp_path: Path) -> None:
    import foretext as ft

    for make in (bert, gpt):
        model = make()
        model.save(tmp_path / make.__name__)
        opened = ft.load(tmp_path / make.__name__)
        assert isinstance(opened, ft.LanguageModel)
        assert repr(opened) == repr(model)
        np.testing.assert_array_equal(opened.embed(SENTENCES), model.embed(SENTENCES))
        assert type(opened.backbone) is Transformer


def test_products_of_integers_are_refused_where_they_are_slow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(torch.cpu, "_is_vnni_supported", lambda: False)
    model = bert()
    with pytest.raises(SettingError, match="Products of integers"):
        LanguageModel(model.tokenizer, model.backbone, None, device="cpu", precision="int8")
