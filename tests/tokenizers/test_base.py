"""Damaged tokenizers that the library panics at, or whose ids would fill the memory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from foretext.base.errors import CorpusError
from foretext.tokenizers.base import library_errors
from foretext.tokenizers.subword_tokenizer import MANY, SubwordTokenizer

WORDPIECE = {
    "type": "WordPiece",
    "unk_token": "[UNK]",
    "continuing_subword_prefix": "##",
    "max_input_chars_per_word": 100,
    "vocab": {"[UNK]": 0, "a": 1},
}
BPE = {"type": "BPE", "vocab": {"a": 0, "b": 1}, "merges": []}
ADDED = {"content": "x", **dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)}


def tokenizer_file(folder: Path, **parts: Any) -> Path:
    names = ("normalizer", "pre_tokenizer", "post_processor", "decoder", "truncation", "padding")
    whole = {"version": "1.0", "added_tokens": [], **dict.fromkeys(names), "model": WORDPIECE}
    path = folder / "tokenizer.json"
    path.write_text(json.dumps(whole | parts))
    return path


@pytest.mark.parametrize(
    "parts",
    [
        {"model": WORDPIECE | {"vocab": {}}},
        {"model": WORDPIECE | {"vocab": {"a": -1}}},
        {"model": WORDPIECE | {"vocab": {"a": 10**12}}},
        {"model": WORDPIECE | {"vocab": {"[UNK]": 0, "a": 2**32 - 1}}},
        {"model": BPE | {"merges": [["a", "b"]]}},
        {"model": BPE | {"merges": [["a", "b"]], "continuing_subword_prefix": "####"}},
        {"model": {"type": "Unigram", "unk_id": 5, "vocab": [["a", -1.0]]}},
        {"model": 5},
        {"normalizer": {"type": "Precompiled", "precompiled_charsmap": "/////w=="}},
        {"pre_tokenizer": {"type": "Split", "pattern": {"Regex": "("}, "behavior": "Isolated"}},
        {"added_tokens": 3},
    ],
)
def test_what_cannot_be_read(
    parts: dict[str, Any], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(CorpusError, match=r"json (cannot be read as a|is not a) tokenizer"):
        SubwordTokenizer.load(tokenizer_file(tmp_path, **parts))


@pytest.mark.parametrize(
    "parts",
    [
        {"model": WORDPIECE | {"vocab": {"a": 0}}},
        {"model": {"type": "Unigram", "unk_id": None, "vocab": [["a", -1.0]]}},
        {"normalizer": {"type": "Precompiled", "precompiled_charsmap": "BAAAAP////8="}},
    ],
)
def test_what_cannot_be_used(
    parts: dict[str, Any], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    tokenizer = SubwordTokenizer.load(tokenizer_file(tmp_path, **parts))
    for asked in (
        lambda: tokenizer.encode("b"),
        lambda: tokenizer.encode_batch(["a", "b"]),
        lambda: tokenizer.encode_block("b " * MANY),
    ):
        with pytest.raises(CorpusError, match="cannot encode the text; it is damaged"):
            asked()


def test_ids_that_cannot_be_decoded(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    decoder = {"type": "Strip", "content": "a", "start": 5, "stop": 100}
    tokenizer = SubwordTokenizer.load(tokenizer_file(tmp_path, decoder=decoder))
    with pytest.raises(CorpusError, match="cannot decode the ids"):
        tokenizer.decode([0, 1])


def test_ids_may_have_gaps(tmp_path: Path) -> None:
    added = [ADDED | {"id": 1_000, "special": True}]
    path = tokenizer_file(tmp_path, model=WORDPIECE | {"vocab": {"[UNK]": 0, "a": 900}})
    assert SubwordTokenizer.load(path).vocab_size == 901
    path = tokenizer_file(tmp_path, added_tokens=added)
    assert SubwordTokenizer.load(path).encode("a x") != []


def test_a_lone_surrogate_is_no_text(tmp_path: Path) -> None:
    tokenizer = SubwordTokenizer.load(tokenizer_file(tmp_path))
    with pytest.raises(CorpusError, match="the text is not Unicode"):
        tokenizer.encode("\ud800")


def test_being_interrupted_is_no_error() -> None:
    with pytest.raises(KeyboardInterrupt), library_errors("This cannot be read"):
        raise KeyboardInterrupt
