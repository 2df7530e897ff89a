"""A model becomes a folder of static vectors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import foretext as ft
from foretext.base.errors import CorpusError, ModelFileError, OutputError, SettingError
from foretext.pretraining.static_distillation import distill_static
from tests.language_model.models import SENTENCES, bert


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
