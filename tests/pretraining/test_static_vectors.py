"""Static vectors of a small teacher: alone, and fitted to texts."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from foretext.base.errors import CorpusError
from foretext.language_model import LanguageModel
from foretext.nn.pooling import Dense
from foretext.pretraining.static_vectors import StaticConfig, static_vectors
from foretext.vectors.token_vectors import TokenVectors
from tests.language_model.models import SENTENCES, bert, gpt, lstm

TEXTS = [" ".join(words[: 3 + n]) for n in range(5) for words in map(str.split, SENTENCES)]
NAMES = ("bert", "gpt", "lstm")


def teacher(name: str) -> LanguageModel:
    return {"bert": bert, "gpt": gpt, "lstm": lstm}[name]()


def agreement(vectors: TokenVectors, model: LanguageModel) -> float:
    """How well distances between texts agree with the teacher's: the correlation of cosines."""
    ours = vectors.embed(TEXTS)
    theirs = model.embed(TEXTS)
    theirs -= theirs.mean(axis=0)
    theirs /= np.linalg.norm(theirs, axis=1, keepdims=True)
    pairs = np.triu_indices(len(TEXTS), 1)
    return float(np.corrcoef((ours @ ours.T)[pairs], (theirs @ theirs.T)[pairs])[0, 1])


@pytest.mark.parametrize("name", NAMES)
def test_alone_each_token_has_components_of_its_states(name: str) -> None:
    model = teacher(name)
    found = static_vectors(model, StaticConfig(dim=5))
    assert found.vectors.shape == (model.tokenizer.vocab_size, 5)
    ordinary = model.tokenizer.ordinary
    assert not found.vectors[~ordinary].any()
    assert found.vectors[ordinary].any(axis=1).all()


def test_alone_a_token_weighs_by_its_place() -> None:
    model = bert()
    heavy = static_vectors(model, StaticConfig(dim=5, sif=1e6)).vectors  # all weigh 1
    light = static_vectors(model, StaticConfig(dim=5, sif=0.01)).vectors
    ordinary = np.flatnonzero(model.tokenizer.ordinary)
    rates = np.linalg.norm(light, axis=1)[ordinary] / np.linalg.norm(heavy, axis=1)[ordinary]
    shares = 1 / np.arange(2, len(heavy) + 2)
    shares /= shares.sum()
    np.testing.assert_allclose(rates, 0.01 / (0.01 + shares[ordinary]), rtol=1e-3)


@pytest.mark.parametrize("name", NAMES)
def test_fitted_vectors_say_of_texts_what_the_teacher_says(name: str) -> None:
    model = teacher(name)
    means = agreement(static_vectors(model, StaticConfig(steps=0), TEXTS), model)
    fitted = agreement(static_vectors(model, StaticConfig(), TEXTS), model)
    assert fitted > 0.9
    assert fitted > means


def test_a_dimension_at_most_for_each_of_the_teachers() -> None:
    model = bert()
    assert static_vectors(model, StaticConfig()).vector_size == model.vector_size
    assert static_vectors(model, StaticConfig(), TEXTS).vector_size <= model.vector_size
    assert static_vectors(model, StaticConfig(dim=3), TEXTS).vector_size == 3


def test_through_the_layers_of_a_sentence_encoder() -> None:
    weight = torch.randn(4, bert().backbone.dim, generator=torch.Generator().manual_seed(1))
    plain = bert()
    model = LanguageModel(
        plain.tokenizer, plain.backbone, None, device="cpu", dense=[Dense(weight, None, "tanh")]
    )
    for texts in (None, TEXTS):
        assert static_vectors(model, StaticConfig(), texts).vector_size == 4
    assert agreement(static_vectors(model, StaticConfig(), TEXTS), model) > 0.9


def test_texts_without_tokens() -> None:
    with pytest.raises(CorpusError, match="There is no token of the teacher in the texts"):
        static_vectors(bert(), StaticConfig(), ["", " "])


def test_no_more_texts_are_read_than_asked_for() -> None:
    read: list[int] = []
    model = bert()
    num_tokens = int(model.tokenizer.ordinary.sum())
    config = StaticConfig(dim=4, num_texts=7, text_length=3)
    found = static_vectors(model, config, TEXTS, read.append)
    assert sum(read) == num_tokens + 7
    others = static_vectors(model, StaticConfig(dim=4, num_texts=7, text_length=3, seed=1), TEXTS)
    assert (found.vectors != others.vectors).any()
