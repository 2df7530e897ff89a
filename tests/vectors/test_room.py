"""Vectors that the memory does not hold are refused before they are made."""

from __future__ import annotations

from pathlib import Path

import pytest

import foretext as ft
from foretext.base import runtime
from foretext.base.errors import SettingError
from tests.vectors.texts import write_topics

SMALL = {"vector_size": 8, "min_count": 1, "epochs": 1, "workers": 1}


@pytest.mark.parametrize("kind", [ft.Word2Vec, ft.FastText, ft.GloVe, ft.Doc2Vec])
def test_vectors_without_room(kind: type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = write_topics(tmp_path / "topics.txt")
    monkeypatch.setattr(runtime, "free_memory", lambda: 1000)
    with pytest.raises(SettingError, match=r"vectors needs about .* lower vectors.vector_size"):
        kind(**SMALL).fit(corpus)
    monkeypatch.setattr(runtime, "free_memory", lambda: 1 << 30)
    kind(**SMALL).fit(corpus)


def test_a_classifier_without_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runtime, "free_memory", lambda: 1000)
    with pytest.raises(SettingError, match=r"n-grams and labels needs about .* classifier.bucket"):
        ft.FastTextClassifier(epochs=1).fit(["a ship", "a cow"], ["sea", "land"])
