"""Sentence encoders that were learned here, opened by `sentence-transformers`, and the way back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import foretext as ft
from foretext.base.errors import ModelFileError
from foretext.finetuning.bases import open_base
from foretext.heads.base import TaskBase
from foretext.language_model import LanguageModel
from foretext.tasks.model import TaskModel
from foretext.tasks.sentence_vectors.network import SentenceEncoder
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tests.interop.conftest import shaken, transformers
from tests.interop.test_ours_there import backbone_of
from tests.interop.test_sentence_encoders_there import CLASSES
from tests.interop.test_tasks_there import class_of

TEXTS = ["the dog barks in the morning .", "every cat", "a hen that clucks is a happy hen ."]
SETTINGS: list[dict[str, Any]] = [
    {},
    {"pooling": "max", "normalize": False},
    {"projection": True, "symmetric": True},
]


def saved(
    folder: Path, tokenizer: SubwordTokenizer, shape: str, settings: dict[str, Any]
) -> SentenceEncoder:
    """An encoder with weights that are drawn, kept in a folder."""
    base = TaskBase(
        tokenizer, backbone_of(shape, tokenizer), "full" if "bert" in shape else "causal"
    )
    config = SentenceEncoder.task.head_config(**{"max_length": 24, **settings})
    made = SentenceEncoder.task.head(config, base, kind="pairs")
    model = SentenceEncoder(base, shaken(made), device="cpu", precision="fp32")
    model.save(folder)
    return model


def encoded(folder: Path, texts: list[str], **options: Any) -> Any:
    library = pytest.importorskip("sentence_transformers")
    transformers.utils.logging.set_verbosity_error()  # it says that a pooler is new
    model = library.SentenceTransformer(str(folder), device="cpu", **options)
    transformers.utils.logging.set_verbosity_warning()
    return model.encode(texts, show_progress_bar=False)


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize("shape", CLASSES)
@pytest.mark.parametrize("settings", SETTINGS, ids=range(len(SETTINGS)))
def test_equal_vectors(
    shape: str,
    settings: dict[str, Any],
    wordpiece: SubwordTokenizer,
    bpe: SubwordTokenizer,
    tmp_path: Path,
) -> None:
    tokenizer = wordpiece if "bert" in shape else bpe
    model = saved(tmp_path / "run", tokenizer, shape, settings)
    assert class_of(tmp_path / "run") == CLASSES[shape]
    vectors = model.embed(TEXTS)
    np.testing.assert_allclose(encoded(tmp_path / "run", TEXTS), vectors, atol=1e-5)
    again = TaskModel.load(tmp_path / "run", device="cpu", precision="fp32")
    assert type(again) is SentenceEncoder
    np.testing.assert_array_equal(again.embed(TEXTS), vectors)


def test_equal_short_vectors(wordpiece: SubwordTokenizer, tmp_path: Path) -> None:
    model = saved(tmp_path, wordpiece, "bert", {"dims": [8]})
    theirs = encoded(tmp_path, TEXTS, truncate_dim=8)
    lengths = np.linalg.norm(theirs, axis=1, keepdims=True)
    np.testing.assert_allclose(model.embed(TEXTS, dim=8), theirs / lengths, atol=1e-5)


def test_what_they_saved_is_a_base(wordpiece: SubwordTokenizer, tmp_path: Path) -> None:
    library = pytest.importorskip("sentence_transformers")
    model = saved(tmp_path / "run", wordpiece, "bert", {"pooling": "cls"})
    transformers.utils.logging.set_verbosity_error()
    library.SentenceTransformer(str(tmp_path / "run"), device="cpu").save(str(tmp_path / "st"))
    transformers.utils.logging.set_verbosity_warning()
    opened = LanguageModel.load(tmp_path / "st", device="cpu", precision="fp32")
    np.testing.assert_allclose(opened.embed(TEXTS), model.embed(TEXTS), atol=1e-5)
    origin, base = open_base(str(tmp_path / "st"))
    assert origin == "pretrained"
    made = SentenceEncoder.task.head(
        SentenceEncoder.task.head_config(), base.as_base(), kind="texts"
    )
    assert made.pooling == "cls"


def test_a_folder_that_names_another_kind_of_rows(
    wordpiece: SubwordTokenizer, tmp_path: Path
) -> None:
    saved(tmp_path, wordpiece, "bert", {})
    path = tmp_path / "config.json"
    config = json.loads(path.read_text(encoding="utf-8"))
    for wrong in ("both", ["pairs"], None):
        config["foretext"]["found"] = {"kind": wrong}
        path.write_text(json.dumps(config), encoding="utf-8")
        with pytest.raises(ModelFileError, match=r"config.json: rows of the kind .+ are none of"):
            ft.load(tmp_path)
    config["foretext"]["found"] = {}
    path.write_text(json.dumps(config), encoding="utf-8")
    with pytest.raises(ModelFileError, match=r"no task can be built from what was found"):
        ft.load(tmp_path)
