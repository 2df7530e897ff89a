"""A model becomes a folder of static vectors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

import foretext as ft
from foretext.base.errors import CorpusError, ModelFileError, OutputError, SettingError
from foretext.language_model import LanguageModel
from foretext.nn.pooling import Dense
from foretext.pretraining.static_distillation import (
    StaticConfig,
    TokenShares,
    distill_static,
    regress,
    static_vectors,
)
from foretext.tokenizers.laid_texts import laid
from foretext.vectors.token_vectors import TokenVectors
from tests.language_model.models import SENTENCES, bert, gpt, lstm

TEXTS = [" ".join(words[: 3 + n]) for n in range(5) for words in map(str.split, SENTENCES)]
NAMES = ("bert", "gpt", "lstm")

V, DIM = 7, 3
REGRESSED_TEXTS = [
    [0, 1, 1],
    [2],
    [3, 4, 0, 2],
    [1, 2],
    [5, 5, 5, 0, 1],
]  # token 6 occurs in none


def test_a_folder_that_opens_again(tmp_path: Path) -> None:
    bert().save(tmp_path / "bert")
    made = distill_static(tmp_path / "bert", tmp_path / "static", ft.texts(SENTENCES), dim=4)
    opened = ft.load(tmp_path / "static")
    np.testing.assert_array_equal(opened.embed(SENTENCES), made.embed(SENTENCES))
    facts = opened.facts
    assert (facts["kind"], facts["teacher"], facts["texts"]) == ("word vectors", "bert", 4)
    assert facts["settings"]["dim"] == 4
    card = (tmp_path / "static" / "README.md").read_text()
    assert card.startswith("---\nlibrary_name: model2vec\n")
    assert "which read 4 texts. The vector of a text is the mean of its tokens' vectors, at" in card


def test_a_model_in_memory_and_no_folder(tmp_path: Path) -> None:
    found = distill_static(bert(), dim=4, normalize=False)
    assert found.vector_size == 4
    assert found.facts["teacher"] == "a model in memory"
    assert list(tmp_path.iterdir()) == []


def test_documents_are_drawn(tmp_path: Path) -> None:
    words = " ".join(SENTENCES).split()
    many = [f"{first} {second}" for first in words for second in words]
    drawn = [
        distill_static(bert(), None, ft.texts(many), num_texts=30, seed=seed) for seed in (0, 0, 1)
    ]
    assert drawn[0].facts["texts"] == 30
    np.testing.assert_array_equal(drawn[0].vectors, drawn[1].vectors)
    assert (drawn[0].vectors != drawn[2].vectors).any()


def test_refused_before_anything_is_read(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    with pytest.raises(OutputError, match="there exists; choose another name"):
        distill_static(tmp_path / "no model", tmp_path / "there")
    with pytest.raises(SettingError, match=r"\[static\] dimm: there is no such setting. Did you"):
        distill_static(tmp_path / "no model", dimm=3)


def test_what_is_no_teacher(tmp_path: Path) -> None:
    distill_static(bert(), tmp_path / "static")
    with pytest.raises(ModelFileError, match="holds word vectors, no language model"):
        distill_static(tmp_path / "static", tmp_path / "again")
    with pytest.raises(CorpusError):
        distill_static(bert(), tmp_path / "new", tmp_path / "missing.txt")
    assert not (tmp_path / "new").exists()


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


@pytest.fixture
def shares() -> TokenShares:
    return TokenShares(laid(REGRESSED_TEXTS), V)


def matrix() -> np.ndarray:
    found = np.zeros((len(REGRESSED_TEXTS), V))
    for text, ids in enumerate(REGRESSED_TEXTS):
        np.add.at(found[text], ids, 1 / len(ids))
    return found


def drawn(rows: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((rows, DIM)).astype(np.float32)


def test_the_map_and_its_transpose(shares: TokenShares) -> None:
    vectors, means = drawn(V, 0), drawn(len(REGRESSED_TEXTS), 1)
    np.testing.assert_allclose(shares.means(vectors), matrix() @ vectors, atol=1e-6)
    np.testing.assert_allclose(shares.sums(means), matrix().T @ means, atol=1e-6)


@pytest.mark.parametrize("ridge", [0.01, 1.0])
def test_the_solution_is_that_of_the_normal_equations(shares: TokenShares, ridge: float) -> None:
    A, targets, known = matrix(), drawn(len(REGRESSED_TEXTS), 2), drawn(V, 3)
    found = regress(shares, targets, known, ridge=ridge, steps=20)
    expected = known + np.linalg.solve(A.T @ A + ridge * np.eye(V), A.T @ (targets - A @ known))
    np.testing.assert_allclose(found, expected, atol=1e-3)
    np.testing.assert_array_equal(found[6], known[6])


def test_without_steps_nothing_changes(shares: TokenShares) -> None:
    known = drawn(V, 3)
    found = regress(shares, drawn(len(REGRESSED_TEXTS), 2), known, ridge=0.1, steps=0)
    np.testing.assert_array_equal(found, known)


def test_what_fits_already_stays(shares: TokenShares) -> None:
    known = drawn(V, 3)
    found = regress(shares, shares.means(known), known, ridge=0.1, steps=5)
    np.testing.assert_allclose(found, known, atol=1e-5)


def test_a_text_without_tokens_is_a_defect() -> None:
    with pytest.raises(AssertionError, match="without a token"):
        TokenShares(laid([[1], []]), V)
