"""Texts end to end have the ids that they have one by one."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tests.language_model.models import SENTENCES, learned_tokenizer

TEXTS = [
    *SENTENCES,
    "",
    "the king\nand a ship",
    "\n",
    "   ",
    "a\u200bship [MASK] é",
    "the\r\nsea\u2028island\x85castle",
    "",
]


def one_by_one(tokenizer: SubwordTokenizer, texts: list[str]) -> list[list[int]]:
    return [tokenizer.encode(text) for text in texts]


def parts(tokenizer: SubwordTokenizer, texts: list[str]) -> list[list[int]]:
    ids, starts = tokenizer.lay_texts(texts)
    assert (ids.dtype, starts.dtype, starts[0], starts[-1]) == (np.uint32, np.int64, 0, len(ids))
    return [part.tolist() for part in np.split(ids, starts[1:-1])] if texts else []


@pytest.mark.parametrize("kind", ["wordpiece", "bpe", "word"])
def test_equal_ids(kind: str) -> None:
    tokenizer = learned_tokenizer(kind)
    for texts in (TEXTS, TEXTS[:4], TEXTS[4:5], TEXTS[6:8], ["x", "", "", "y"]):
        assert parts(tokenizer, texts) == one_by_one(tokenizer, texts), texts


@pytest.mark.parametrize("kind", ["wordpiece", "bpe"])
def test_the_fast_way_is_taken(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizer = learned_tokenizer(kind)
    expected = one_by_one(tokenizer, SENTENCES)
    monkeypatch.setattr(SubwordTokenizer, "encode_batch", None)
    assert parts(tokenizer, SENTENCES) == expected


def test_no_texts() -> None:
    ids, starts = learned_tokenizer("wordpiece").lay_texts([])
    assert (len(ids), starts.tolist()) == (0, [0])


def test_copies_of_what_holds_a_tokenizer_share_it() -> None:
    """The table of its words has a lock, which cannot be copied."""
    tokenizer = learned_tokenizer("wordpiece")
    tokenizer.lay_texts(SENTENCES)
    assert copy.deepcopy([tokenizer])[0] is tokenizer
