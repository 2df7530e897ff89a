"""The words of a linear classifier: its coefficients are the truth that explanations must find."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from foretext.base.errors import ModelFileError
from foretext.base.parsing import write_tensors
from foretext.tasks.classification.linear import LinearClassifier
from foretext.tasks.classification.linear_words import WORDS_FILE, WordVocabulary, character_weights

WORDS = ["the", "a", "of", "film", "plot", "actor", "scene", "end", "music", "camera"]
GOOD, BAD, SAD = "marble", "copper", "velvet"
TEXTS = st.text("ab\u00ad\u1103\u1161😍 e\u0301İßΣ 好电影👩\u200d\t\n.,'", max_size=40)

VOCABULARY_TEXTS = ["A fine, fine film", "a bad film", "schön war es", "nothing of this"]
CHINESE = ["这部电影很好看", "这部电影不好看"]


def planted(number: int = 120) -> tuple[list[str], list[str]]:
    """Texts of words that say nothing, and one that decides."""
    rng = np.random.default_rng(0)
    texts, labels = [], []
    for row in range(number):
        words = rng.choice(WORDS, 12).tolist()
        words.insert(int(rng.integers(12)), (GOOD, BAD, SAD)[row % 3])
        texts.append(" ".join(words))
        labels.append(("good", "bad", "sad")[row % 3])
    return texts, labels


@pytest.fixture(scope="module")
def three() -> LinearClassifier:
    """Of three labels."""
    return LinearClassifier().fit(*planted())


@pytest.fixture(scope="module")
def two() -> LinearClassifier:
    """Of two labels."""
    texts, labels = planted()
    return LinearClassifier().fit(texts, ["good" if label == "good" else "bad" for label in labels])


@pytest.fixture(scope="module")
def several() -> LinearClassifier:
    """Of any number of labels a text."""
    texts, labels = planted()
    return LinearClassifier().fit(texts, [[label] if label != "sad" else [] for label in labels])


@pytest.fixture(scope="module")
def chinese() -> LinearClassifier:
    """Of characters."""
    return LinearClassifier().fit(
        ["好电影 真好", "坏电影  很坏", "a b"] * 5, ["good", "bad", "bad"] * 5
    )


@pytest.mark.parametrize("method", ["auto", "occlusion"])
def test_the_planted_word_decides(three: LinearClassifier, method: Any) -> None:
    texts, labels = planted(60)
    for found, label in zip(three.explain(texts, method=method), labels, strict=True):
        assert found.label == label
        assert found.top(1)[0].text == {"good": GOOD, "bad": BAD, "sad": SAD}[label]
        assert found.top(1)[0].weight > 0


def test_weights_are_coefficients_times_features(two: LinearClassifier) -> None:
    text = f"the {GOOD} film film"
    row = two._vectorizer.transform([text]).toarray()[0]
    added = dict(zip(two.feature_names, row * two.weights[:, 0], strict=True))
    words = {word.start: word.weight for word in two.explain(text, "good").words}
    pairs = [added.get(pair, 0.0) / 2 for pair in (f"the {GOOD}", f"{GOOD} film", "film film")]
    assert words == pytest.approx(
        {
            0: added["the"] + pairs[0],
            4: added[GOOD] + pairs[0] + pairs[1],
            11: added["film"] / 2 + pairs[1] + pairs[2],
            16: added["film"] / 2 + pairs[2],
        }
    )


@pytest.mark.parametrize("name", ["two", "three", "several", "chinese"])
@pytest.mark.parametrize(
    "text",
    [
        f"the {GOOD}  film, the plot",
        "THE Film don't e\u0301nd naïve_plot",
        "İt is the ΣΑΣ end ",
        "  好好电影, 坏 \n\n a film",
        "👩\u200d👧 the 👍🏽",
    ],
)
def test_weights_sum_to_the_change_of_the_value(
    name: str, text: str, request: pytest.FixtureRequest
) -> None:
    model: LinearClassifier = request.getfixturevalue(name)
    for label, probability in zip(model.classes_, model.predict_proba([text])[0], strict=True):
        found = model.explain(text, label)
        assert found.rest == pytest.approx(0, abs=1e-5)
        assert found.probability == pytest.approx(probability)
        assert [text[word.start : word.end] for word in found.words] == [
            word.text for word in found.words
        ]
        if name in ("two", "several"):
            assert found.value == pytest.approx(np.log(probability / (1 - probability)), abs=1e-5)


@pytest.mark.parametrize("kind", ["words", "characters"])
@given(text=TEXTS)
def test_features_are_those_of_the_vectorizer(kind: str, text: str) -> None:
    model = LinearClassifier(features=kind).fit([text + " a b", "c d"], ["x", "y"])  # type: ignore[arg-type]
    row = model._vectorizer.transform([text])
    names = [model.feature_names[place] for place in row.indices]
    weights = character_weights(text, model.config, dict.fromkeys(names, 1.0))
    assert weights.sum() == pytest.approx(len(names))


@pytest.mark.parametrize("name", ["two", "three", "several", "chinese"])
def test_leaving_out_is_what_predictions_of_shorter_texts_say(
    name: str, request: pytest.FixtureRequest
) -> None:
    model: LinearClassifier = request.getfixturevalue(name)
    text, label = f"the {GOOD} film 好电影", model.classes_[0]
    found = model.explain(text, label, method="occlusion")
    for word in found.words:
        left = (text[: word.start] + text[word.end :]).replace("  ", " ").strip()
        values = model.values([(text,), (left,)]).values[:, 0]
        assert word.weight == pytest.approx(values[0] - values[1], abs=1e-6)


def learned(texts: list[str]) -> LinearClassifier:
    return LinearClassifier().fit(texts, ["good", "bad"] * (len(texts) // 2))


def vocabulary_of(linear: LinearClassifier) -> WordVocabulary:
    parts = linear.parts
    return WordVocabulary(parts.config, parts.features, parts.idf)


@pytest.mark.parametrize("texts", [VOCABULARY_TEXTS, CHINESE])
def test_rows_are_those_of_the_linear_classifier(texts: list[str], tmp_path: Path) -> None:
    linear = learned(texts)
    vocabulary_of(linear).write(tmp_path / WORDS_FILE)
    for vocabulary in (vocabulary_of(linear), WordVocabulary.read(tmp_path / WORDS_FILE)):
        asked = [*texts, "", "unheard words 好"]
        columns, values, starts = vocabulary.rows(asked)
        matrix = csr_matrix((values, columns, starts), shape=(len(asked), len(vocabulary)))
        sums = matrix @ linear.weights + linear.bias
        np.testing.assert_allclose(np.insert(sums, 0, 0.0, axis=1), linear.logits(asked), rtol=1e-6)
        assert len(vocabulary.rows([])) == 0


def test_a_file_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    path = tmp_path / WORDS_FILE
    with pytest.raises(ModelFileError, match=r"words\.safetensors is missing"):
        WordVocabulary.read(path)
    vocabulary = vocabulary_of(learned(VOCABULARY_TEXTS))
    whole, vocabulary.idf = vocabulary.idf, vocabulary.idf[1:]
    vocabulary.write(path)
    with pytest.raises(ModelFileError, match="the tensors do not go together"):
        WordVocabulary.read(path)
    twice = [vocabulary.features[0], *vocabulary.features[:-1]]
    features = np.frombuffer("".join(twice).encode(), np.uint8)
    ends = np.cumsum([len(each.encode()) for each in twice])
    tensors = {"features": features, "feature_ends": ends, "idf": whole}
    settings = '{"features": "words", "min_texts": 1}'
    write_tensors(path, tensors, {"settings": settings})
    with pytest.raises(ModelFileError, match="the tensors do not go together"):
        WordVocabulary.read(path)
    write_tensors(path, tensors, {"settings": '{"features": "letters"}'})
    with pytest.raises(ModelFileError, match=r"words\.safetensors is damaged"):
        WordVocabulary.read(path)
    write_tensors(path, tensors, {"settings": '{"features": "auto"}'})
    with pytest.raises(ModelFileError, match="the tensors do not go together"):
        WordVocabulary.read(path)
