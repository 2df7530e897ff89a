"""Names of tokens for people, whatever marks a tokenizer writes."""

from __future__ import annotations

from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.tokenizers.token_names import token_names
from tests.language_model.models import learned_tokenizer
from tokenizers import Tokenizer, decoders, models, pre_tokenizers


def test_wordpiece_has_them() -> None:
    tokenizer = learned_tokenizer("wordpiece")
    assert token_names(tokenizer) == tokenizer.tokens


def test_byte_level_tokens_that_follow_a_blank_are_words() -> None:
    tokenizer = learned_tokenizer("bpe")
    names = token_names(tokenizer)
    assert len(set(names)) == len(names) == tokenizer.vocab_size
    index = tokenizer.tokens.index
    assert names[index("Ġthe")] == "the"
    assert names[index("t")] == "##t"
    assert names[index("<|endoftext|>")] == "<|endoftext|>"


def test_unigram_tokens_and_names_that_two_would_have() -> None:
    pieces = [
        ("<unk>", 0.0),
        ("▁ship", -1.0),
        ("ship", -2.0),
        (".", -3.0),
        ("▁.", -3.0),
        ("▁", -4.0),
    ]
    library = Tokenizer(models.Unigram(pieces, 0, False))
    library.pre_tokenizer = pre_tokenizers.Metaspace()
    library.decoder = decoders.Metaspace()
    assert token_names(SubwordTokenizer(library)) == ["<unk>", "ship", "##ship", ".", "▁.", "▁"]
