"""Names and places of served models, and files that are classifiers."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from foretext.base.errors import ForetextError, ModelFileError
from foretext.serving.errors import CannotServe, Loading
from foretext.serving.opening import named_places, open_model
from foretext.serving.served_model import Models
from foretext.tasks.fasttext.classifier import FastTextClassifier
from tests.serving.models import word_vectors

SETTINGS = {"dim": 4, "epochs": 1, "workers": 1, "pre_tokenizer": "blanks"}  # as .bin has it


@pytest.fixture
def words(tmp_path: Path) -> Path:
    path = tmp_path / "words.bin"
    word_vectors().save(path)
    return path


def test_a_model_has_the_name_of_its_file_or_one_that_is_given(words: Path) -> None:
    assert named_places([str(words)]) == {"words.bin": words}
    assert named_places([f"mine={words}"]) == {"mine": words}


def test_a_path_with_a_sign_of_names_in_it_is_a_path(tmp_path: Path) -> None:
    odd = tmp_path / "a=b"
    odd.mkdir()
    with pytest.raises(ForetextError, match="'a=b' is no name of a model"):
        named_places([str(odd)])
    assert named_places([f"ab={odd}"]) == {"ab": odd}


def test_a_file_of_a_classifier_is_opened_as_one(tmp_path: Path, words: Path) -> None:
    path = tmp_path / "topics.bin"
    texts, labels = ["the ship", "the judge"] * 5, ["sea", "law"] * 5
    FastTextClassifier(**SETTINGS).fit(texts, labels).save(path)
    assert "predict" in open_model(path).abilities
    assert "neighbors" in open_model(words).abilities


def test_models_are_there_when_all_are_open(words: Path) -> None:
    models = Models({}, {"words": words})
    assert models.is_loading
    with pytest.raises(Loading):
        models.find(None, "embed")
    models.load()
    assert not models.is_loading
    assert models.find(None, "embed").name == "words"
    with pytest.raises(CannotServe, match="No model of this server has 'tag'"):
        models.find(None, "tag")


def test_a_model_that_tags_has_answered_once_before_there_are_requests() -> None:
    asked: list[list[str]] = []

    class Tags:
        kind = "tagging"
        abilities = ("tag",)
        text_framing = None

        def answered(self, rows: Iterable[tuple[str, ...]]) -> list[dict[str, str]]:
            asked.append([text for (text,) in rows])
            return [{}]

    Models({"names": Tags()}).load()
    assert asked == [["a"]]


def test_what_answers_no_requests_is_refused() -> None:
    class Silent:
        kind = "autoencoder"
        abilities = ()

    with pytest.raises(ModelFileError, match="'codes' holds autoencoder, which answers no"):
        Models({"codes": Silent()}).load()
