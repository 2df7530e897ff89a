"""Which features texts have, and the file that keeps them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from foretext.base.errors import ModelFileError
from foretext.base.parsing import write_tensors
from foretext.tasks.classification.linear import LinearClassifier
from foretext.tasks.classification.word_vocabulary import WORDS_FILE, WordVocabulary

TEXTS = ["A fine, fine film", "a bad film", "schön war es", "nothing of this"]
CHINESE = ["这部电影很好看", "这部电影不好看"]


def learned(texts: list[str]) -> LinearClassifier:
    return LinearClassifier().fit(texts, ["good", "bad"] * (len(texts) // 2))


def vocabulary_of(linear: LinearClassifier) -> WordVocabulary:
    parts = linear.parts
    return WordVocabulary(parts.config, parts.features, parts.idf)


@pytest.mark.parametrize("texts", [TEXTS, CHINESE])
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
    vocabulary = vocabulary_of(learned(TEXTS))
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
