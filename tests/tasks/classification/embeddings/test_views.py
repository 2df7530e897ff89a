from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import foretext as ft
from foretext.base.errors import CorpusError, GivenError, SettingError
from foretext.tasks.classification.embeddings.settings import EmbeddingsConfig
from foretext.tasks.classification.embeddings.views import (
    EmbeddedTexts,
    WordFeatures,
    common_direction,
    without,
)
from foretext.tasks.classification.linear_storage import LinearConfig
from tests.networks import sentences, tokenizer_for
from tests.task_files import language_model, word_vectors

VECTORS = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], np.float32)
COUNTED = ft.WordVectors(["a", "b", "c"], VECTORS, [6, 3, 1])


def test_smooth_inverse_frequency_by_hand() -> None:
    config = EmbeddingsConfig(a=0.1, remove_component=False)
    view = EmbeddedTexts.of(COUNTED, config)
    weights = [0.1 / (0.1 + share) for share in (0.6, 0.3, 0.1)]
    expected = [[weights[0] / 2, weights[1] / 2], [weights[2], weights[2]], [0.0, 0.0]]
    assert np.allclose(view.features(["a b", "c", "unknown"]), expected)


@pytest.mark.parametrize("base", [42, ft.LinearClassifier()], ids=["number", "classifier"])
def test_an_opened_base_that_embeds_no_texts_is_refused(base: object) -> None:
    with pytest.raises(GivenError, match=f"A base of type {type(base).__name__} is neither a path"):
        ft.EmbeddingClassifier([base]).fit(["a", "b", "a c", "b c"], [*"xyxy"])


def test_the_common_direction_is_that_of_the_texts_of_the_training() -> None:
    view = EmbeddedTexts.of(COUNTED, EmbeddingsConfig()).fitted(["a b c", "a a", "b c"])
    assert view.direction is not None
    raw = EmbeddedTexts.of(COUNTED, EmbeddingsConfig(remove_component=False))
    vectors = raw.features(["a b c", "a a", "b c"])
    first = np.linalg.svd(vectors)[2][0]
    assert abs(float(first @ view.direction)) == pytest.approx(1, abs=1e-6)
    assert np.allclose(view.features(["a", "b c"]) @ view.direction, 0, atol=1e-6)


def test_a_single_text_gets_the_vector_that_it_gets_among_others() -> None:
    view = EmbeddedTexts.of(COUNTED, EmbeddingsConfig()).fitted(["a b", "c", "b"])
    texts = ["a b c", "c c", "b"]
    alone = np.concatenate([view.features([text]) for text in texts])
    assert np.array_equal(view.features(texts), alone)


def test_directions_by_hand() -> None:
    assert common_direction(np.ones((1, 2), np.float32)) is None
    direction = np.array([0.6, 0.8], np.float32)
    assert np.allclose(without(np.array([[3.0, 4.0]], np.float32), direction), 0, atol=1e-6)
    assert np.allclose(without(np.array([[4.0, -3.0]], np.float32), direction), [[4.0, -3.0]])


def test_words_without_counts_weigh_the_same() -> None:
    view = EmbeddedTexts.of(word_vectors(), EmbeddingsConfig())
    assert (view.weighting, view.lacks_counts, view.removes) == ("mean", True, False)
    with pytest.raises(SettingError, match="needs counts of the words, which 'WordVectors' came"):
        EmbeddedTexts.of(word_vectors(), EmbeddingsConfig(weighting="sif"))


@pytest.mark.parametrize("layer", [0, (1, -1)])
def test_a_layer_is_that_of_the_language_model(
    layer: int | tuple[int, ...], tmp_path: Path
) -> None:
    (tmp_path / "text.txt").write_text(sentences(120), encoding="utf-8")
    model = language_model("bert", tokenizer_for("wordpiece", tmp_path / "text.txt"))
    view = EmbeddedTexts.of(model, EmbeddingsConfig(layer=layer))
    assert np.allclose(
        view.features(["the dog barks"]), model.embed(["the dog barks"], layer=layer)
    )


def test_a_path_is_opened(tmp_path: Path) -> None:
    COUNTED.save(tmp_path / "v.safetensors")
    view = EmbeddedTexts.of(tmp_path / "v.safetensors", EmbeddingsConfig())
    assert (view.name, view.source) == (str(tmp_path / "v.safetensors"), tmp_path / "v.safetensors")
    assert view.weighting == "sif"


def test_words_are_those_of_the_linear_classifier() -> None:
    texts = ["a ship at sea", "a farm", "the sea"]
    view = WordFeatures(LinearConfig()).fitted(texts)
    linear = ft.LinearClassifier().fit(texts, ["sea", "land", "sea"])
    assert view.names == linear.feature_names
    assert np.array_equal(view.idf, linear.idf)
    with pytest.raises(CorpusError, match="The texts have no feature"):
        WordFeatures(LinearConfig()).fitted(["", ""])
