"""Networks over static vectors of tokens: they read texts with the tokenizer of the vectors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import foretext as ft
from foretext.base.errors import SettingError
from foretext.data.rows.in_memory import RowTexts
from foretext.finetuning.start import Material, tokens_of_vectors
from foretext.tasks.classification.network import TextClassifier
from tests.language_model.models import SENTENCES
from tests.vectors.static_folders import drawn_vectors

ROWS = [(text, "sea" if "ship" in text else "land") for text in SENTENCES * 4]


def test_rows_are_those_of_the_tokens() -> None:
    vectors = drawn_vectors()
    material = Material(TextClassifier.task, RowTexts(SENTENCES))
    start = tokens_of_vectors(vectors, "static", material, {})
    assert start.tokenizer is vectors.tokenizer
    np.testing.assert_array_equal(start.vectors, vectors.vectors)
    with pytest.raises(SettingError, match=r"\[tokenizer\] min_count cannot be chosen here"):
        tokens_of_vectors(vectors, "static", material, {"min_count": 2})


@pytest.mark.parametrize("backbone", ["lookup", "textcnn", "lstm"])
def test_a_classifier_on_them(backbone: str, tmp_path: Path) -> None:
    drawn_vectors("bpe").save(tmp_path / "static")
    model = ft.finetune(
        "classification",
        tmp_path / "static",
        ROWS,
        out=tmp_path / "run",
        settings={
            "backbone": {"name": backbone},
            "training": {"steps": 2},
            "finetuning": {"baseline": False},
        },
        quiet=True,
    )
    texts = [*SENTENCES, "a word that nobody met"]
    again = ft.load(tmp_path / "run")
    np.testing.assert_allclose(again.predict_proba(texts), model.predict_proba(texts), atol=1e-6)
