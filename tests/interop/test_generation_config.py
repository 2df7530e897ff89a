"""How a folder's model writes: ids around its texts, and settings of the search."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from foretext.base.errors import ModelFileError
from foretext.generation import Decoding
from foretext.interop.hugging_face import load_hugging_face, save_hugging_face
from foretext.interop.loaded import Loaded
from tests.interop.sequence_folders import their_folder
from tests.interop.test_older_folders import edit_config


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """BART's, whose generation_config.json is written by `loaded_with`."""
    their_folder(tmp_path, "Bart", "ForConditionalGeneration")
    (tmp_path / "generation_config.json").unlink()
    return tmp_path


def loaded_with(folder: Path, **settings: Any) -> Loaded:
    (folder / "generation_config.json").write_text(json.dumps(settings))
    return load_hugging_face(folder)


SUMMARIES = {  # of a model of summaries as it is published
    "num_beams": 4,
    "length_penalty": 2.0,
    "early_stopping": True,
    "no_repeat_ngram_size": 3,
    "min_length": 56,
    "max_length": 142,
}
SEARCHES: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({}, {}),
    (
        SUMMARIES,
        {
            "num_beams": 4,
            "length_penalty": 2.0,
            "early_stopping": True,
            "no_repeat_ngram_size": 3,
            "min_new_tokens": 55,
            "max_new_tokens": 141,
        },
    ),
    ({"max_length": 20, "max_new_tokens": 50}, {"max_new_tokens": 50}),
    ({"num_beams": 5, "num_return_sequences": 3}, {"num_beams": 5, "num_best": 3}),
    ({"do_sample": True}, {"temperature": 1.0, "top_k": 50, "top_p": None}),
    (
        {"do_sample": True, "temperature": 0.7, "top_k": 0, "top_p": 0.9},
        {"temperature": 0.7, "top_k": None, "top_p": 0.9},
    ),
    ({"temperature": 0.7, "top_k": 5}, {}),
    (
        {"length_penalty": None, "num_beams": None, "early_stopping": "never"},
        {"early_stopping": "never"},
    ),
]


@pytest.mark.parametrize(("theirs", "ours"), SEARCHES)
def test_settings_of_the_search(theirs: Any, ours: Any, folder: Path) -> None:
    loaded = loaded_with(folder, **theirs)
    assert loaded.decoding == Decoding(**ours)
    assert loaded.unused == ("final_logits_bias",)


def test_ids_of_earlier_folders_stand_in_the_other_file(folder: Path) -> None:
    edit_config(folder, **SUMMARIES, forced_bos_token_id=0, decoder_start_token_id=0)
    loaded = load_hugging_face(folder)
    assert loaded.decoding is not None
    assert loaded.decoding.num_beams == 4
    reading = loaded.objective.reading(())
    assert (reading.opening, reading.first, reading.last) == ((0,), 0, 2)


def test_its_own_file_is_before_the_other(folder: Path) -> None:
    edit_config(folder, num_beams=7, decoder_start_token_id=0, forced_eos_token_id=2)
    loaded = loaded_with(folder, decoder_start_token_id=3, forced_eos_token_id=None)
    assert loaded.decoding == Decoding()
    assert loaded.objective.reading(()).opening == (3,)
    assert loaded.objective.reading(()).last is None
    loaded = loaded_with(folder, suppress_tokens=[5, 6], bad_words_ids=[[1], [6]])
    assert loaded.objective.reading(()).never == (1, 6, 5)
    assert loaded.objective.reading(()).opening == (0,)


def test_another_end(folder: Path) -> None:
    loaded = loaded_with(folder, eos_token_id=4)
    assert loaded.objective.end == 4
    assert loaded.objective.reading((9,)).source == (0, 9, 4)


UNREAD = [
    ({"repetition_penalty": 1.2}, "repetition_penalty"),
    ({"repetition_penalty": 1.0, "num_beam_groups": 1}, None),
    ({"num_beams": 4, "num_beam_groups": 2}, "num_beam_groups"),
    ({"num_beams": 4, "do_sample": True}, "do_sample"),
    ({"bad_words_ids": [[5, 6]]}, "bad_words_ids"),
    ({"eos_token_id": [2, 4]}, "eos_token_id"),
    ({"encoder_no_repeat_ngram_size": 3}, "encoder_no_repeat_ngram_size"),
]


@pytest.mark.parametrize(("theirs", "name"), UNREAD)
def test_what_has_no_effect_is_listed(theirs: Any, name: str | None, folder: Path) -> None:
    listed = () if name is None else (f"generation_config.json: {name}",)
    assert loaded_with(folder, **theirs).unused == ("final_logits_bias", *listed)


REFUSED = [
    ({"decoder_start_token_id": 320}, "the start token has the id 320, and the model has ids up"),
    ({"forced_bos_token_id": -1}, "the first token has the id -1"),
    ({"suppress_tokens": [10**9]}, "the never token has the id 1000000000"),
    ({"eos_token_id": "2"}, "eos_token_id"),
    ({"num_beams": 0}, "num_beams = 0"),
    ({"num_beams": 2.5}, "num_beams"),
    ({"min_length": 50, "max_length": 20}, "min_new_tokens = 49 is more than max_new_tokens = 19"),
    ({"num_return_sequences": 2}, "num_best = 2 and num_beams = 1"),
    ({"bad_words_ids": [1]}, "bad_words_ids"),
]


@pytest.mark.parametrize(("theirs", "sentence"), REFUSED)
def test_what_is_refused(theirs: Any, sentence: str, folder: Path) -> None:
    with pytest.raises(ModelFileError, match=rf"generation_config\.json.*{sentence}"):
        loaded_with(folder, **theirs)


@pytest.mark.parametrize(
    "decoding",
    [
        Decoding(num_beams=5, length_penalty=0.6, early_stopping="never", num_best=2),
        Decoding(temperature=0.5, top_p=0.9, max_new_tokens=9),
    ],
)
def test_settings_come_back(decoding: Decoding, folder: Path) -> None:
    loaded = load_hugging_face(folder)
    parts = loaded.tokenizer, loaded.backbone, loaded.objective
    save_hugging_face(folder / "again", *parts, {}, decoding=decoding)
    again = load_hugging_face(folder / "again")
    assert again.decoding == decoding
    assert again.objective.writing == loaded.objective.writing
