"""What stands around texts, as the `tokenizers` library puts it there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from foretext.tokenizers.frames import framed, with_frame
from foretext.tokenizers.hf_files import save_framed_tokenizer
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer


@pytest.mark.parametrize("has_segments", [True, False])
def test_around_texts_and_pairs(wordpiece: SubwordTokenizer, has_segments: bool) -> None:
    cls, sep, mask = (wordpiece.special.required(task) for task in ("cls", "sep", "mask"))
    a, b = wordpiece.encode("the dog"), wordpiece.encode("every cat purrs")
    library = framed(wordpiece, [cls], [mask], [sep, sep], has_segments=has_segments).library
    assert library.encode("the dog").ids == [cls, *a, sep, sep]
    pair = library.encode("the dog", "every cat purrs")
    assert pair.ids == [cls, *a, mask, *b, sep, sep]
    second = [int(has_segments)] * (len(b) + 2)
    assert pair.type_ids == [0] * (len(a) + 2) + second


def test_nothing_around(byte_bpe: SubwordTokenizer) -> None:
    library = framed(byte_bpe, [], [], []).library
    ids = byte_bpe.encode("the dog")
    assert library.encode("the dog").ids == ids
    assert library.encode("the dog", "the dog").ids == ids + ids


def test_ids_stay(wordpiece: SubwordTokenizer) -> None:
    assert with_frame(wordpiece, "bert").fingerprint == wordpiece.fingerprint


def test_token_that_fills_up(
    wordpiece: SubwordTokenizer, byte_bpe: SubwordTokenizer, tmp_path: Path
) -> None:
    """That of the tokenizer where it has one, the given one where not."""
    for tokenizer, expected in ((wordpiece, "[PAD]"), (byte_bpe, "<|endoftext|>")):
        end = tokenizer.special.end
        pad = tokenizer.special.mask if end is None else end
        save_framed_tokenizer(tokenizer, tmp_path, 24, has_segments=False, pad=pad)
        config = json.loads((tmp_path / "tokenizer_config.json").read_text())
        assert config["pad_token"] == expected
        assert config["model_max_length"] == 24
        assert "model_input_names" not in config
