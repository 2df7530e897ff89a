"""Rows of each task, and what it is learned on, written once."""

from __future__ import annotations

from pathlib import Path

import pytest

import foretext as ft
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tests.networks import TIMES
from tests.task_files import TOPICS, TaskFiles, language_model, word_vectors, write_task_files


@pytest.fixture(scope="session")
def task_files(tmp_path_factory: pytest.TempPathFactory) -> TaskFiles:
    return write_task_files(tmp_path_factory.mktemp("rows"))


@pytest.fixture(scope="session")
def bases(
    wordpiece: SubwordTokenizer,
    byte_bpe: SubwordTokenizer,
    animal_text: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, Path]:
    """What has learned, or might have: ``bert``, ``gpt``, ``vectors`` (a file), ``word2vec``."""
    folder = tmp_path_factory.mktemp("bases")
    language_model("bert", wordpiece).save(folder / "bert")
    language_model("gpt", byte_bpe).save(folder / "gpt")
    word_vectors().save(folder / "vectors.txt")
    trained = ft.Word2Vec(vector_size=12, min_count=1, epochs=1, workers=1)
    trained.fit(animal_text, out=folder / "word2vec")
    paths = {name: folder / name for name in ("bert", "gpt", "word2vec")}
    return {**paths, "vectors": folder / "vectors.txt"}


@pytest.fixture(scope="session")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """24 texts without labels."""
    path = tmp_path_factory.mktemp("texts") / "texts.txt"
    lines = [f"a {topic} at {when} {n}" for topic in TOPICS for when in TIMES for n in (1, 2)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
