"""The rules of llama.cpp's tokenizers: equal to those of `tokenizers`, and to llama.cpp itself."""

from __future__ import annotations

import sys
import unicodedata
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from foretext.exporting.gguf.architecture import as_llama_cpp_has_it
from foretext.exporting.gguf.causes import FORM, LONG, RARE, Causes
from foretext.exporting.gguf.llama_cpp import started
from foretext.exporting.gguf.reading import (
    Reading,
    byte_letters,
    gpt2_pieces,
    wordpiece_words,
)
from foretext.exporting.gguf.vocabulary import Vocabulary, vocabulary_of
from foretext.exporting.texts import HARD
from tests.exporting.gguf.llama import NPM, in_llama_cpp, model_of
from tests.lazy_import import lazy_import

gguf = lazy_import("gguf")
tokenizers = lazy_import("tokenizers")

WORD = "\u2581"


def vocabulary(name: str) -> Vocabulary:
    model = model_of(name)
    framing = model.row_framing if model.visibility == "causal" else model.text_framing
    return vocabulary_of(model.tokenizer, model.backbone.vocab_size, framing)


@pytest.mark.parametrize("name", ["bert", "bert cased", "bert uncased", "bert roberta", "gpt2"])
def test_ids_are_those_of_foretext_or_a_cause_is_known(name: str) -> None:
    tokenizer, known = model_of(name).tokenizer, vocabulary(name)
    reading, causes = Reading(known), Causes(known, model_of(name).tokenizer)
    for text, own in zip(HARD, tokenizer.encode_batch(HARD), strict=True):
        assert (reading.ids(text) == own) == (causes.of(text, own) is None), text
    equal = [causes.of(text, tokenizer.encode_batch([text])[0]) is None for text in HARD]
    assert sum(equal) >= len(HARD) - 3


def test_what_is_read_otherwise_has_a_cause() -> None:
    tokenizer = model_of("bert").tokenizer
    causes = Causes(vocabulary("bert"), tokenizer)
    said = {"\u0130the": RARE, "the" * 40: LONG.format(100), "the king": None}
    for text, cause in said.items():
        assert causes.of(text, tokenizer.encode_batch([text])[0]) == cause
    writer = model_of("gpt2").tokenizer
    found = Causes(vocabulary("gpt2"), writer)
    assert found.of("cafe\u0301", writer.encode_batch(["cafe\u0301"])[0]) == FORM
    assert found.of("the king", [1, 2, 3]) is None  # a fault, which the comparison shall find


@pytest.mark.parametrize(("lowercase", "strips"), [(True, False), (False, False), (True, True)])
def test_words_are_those_of_the_library(lowercase: bool, strips: bool) -> None:
    normalizer = tokenizers.normalizers.BertNormalizer(lowercase=lowercase, strip_accents=strips)
    splitter = tokenizers.pre_tokenizers.BertPreTokenizer()
    for text in HARD:
        text = text.replace("\u0130", "I").replace("한국어도", "")
        normal = normalizer.normalize_str(text)
        theirs = [word for word, _ in splitter.pre_tokenize_str(normal)]
        found = wordpiece_words(text, lowercase=lowercase, strip_accents=strips)
        assert found == theirs, text


def test_pieces_are_those_of_the_library() -> None:
    splitter = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    letters = byte_letters()
    assert {*letters} == {*splitter.alphabet()}
    for text in (*HARD, "it's   we'll\n\n  12\u00bd x  ", "  ", "a \n", "'S 's' 've"):
        theirs = [piece for piece, _ in splitter.pre_tokenize_str(text)]
        found = [
            "".join(letters[byte] for byte in piece.encode("utf-8")) for piece in gpt2_pieces(text)
        ]
        assert found == theirs, text


def every_character(step: int) -> list[str]:
    """Characters that Python's Unicode knows, each `step`th one, and all of the first planes."""
    points = [*range(1, 0x3400), *range(0x3400, sys.maxunicode, step)]
    known = (chr(point) for point in points if chr(point) != WORD)
    return [each for each in known if unicodedata.category(each) not in ("Cn", "Co", "Cs")]


def write_characters(path: Path, characters: list[str], **normalizer: bool) -> list[str]:
    """Write a BERT whose tokens are characters, and return these."""
    network, own = as_llama_cpp_has_it(model_of("bert")), vocabulary("bert")
    tokens = [*own.tokens[:5]]
    for each in characters:
        tokens += [each, WORD + each]
    tokens = [*dict.fromkeys(tokens)]
    writer = gguf.GGUFWriter(path, "bert")
    keys = {f"bert.{key}": value for key, value in network.keys.items()}
    keys |= {f"tokenizer.ggml.{key}": value for key, value in own.keys.items()}
    keys |= {f"tokenizer.ggml.normalizer.{key}": value for key, value in normalizer.items()}
    keys["bert.vocab_size"] = len(tokens)
    for key, value in keys.items():
        adders = {bool: writer.add_bool, int: writer.add_uint32, float: writer.add_float32}
        adders[type(value)](key, value)
    writer.add_tokenizer_model("bert")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(tokens)
    writer.add_token_types([*own.kinds[:5], *[1] * (len(tokens) - 5)])
    writer.add_token_type_count(2)
    for name, values in network.weights().items():
        is_tokens = name == "token_embd.weight"
        writer.add_tensor(
            name, np.zeros((len(tokens), values.shape[1]), np.float32) if is_tokens else values
        )
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return tokens


def joined(tokens: list[str]) -> list[str]:
    words: list[str] = []
    for token in tokens:
        if token.startswith(WORD):
            words.append(token[1:])
        else:
            words[-1] += token
    return words


@in_llama_cpp
@pytest.mark.slow
@pytest.mark.parametrize(("lowercase", "strips"), [(True, False), (True, True)])
def test_llama_cpp_reads_characters_in_this_way(
    lowercase: bool, strips: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NODE_PATH", str(NPM))
    characters = every_character(97)
    closed = {unicodedata.normalize("NFD", each)[0] for each in characters}
    small = {each.lower()[0] for each in closed | {*characters}}
    path, known = tmp_path / "characters.gguf", sorted({*characters} | closed | small)
    keys = {"lowercase": lowercase, "strip_accents": strips}
    tokens = write_characters(path, known, **keys)
    texts = [f"a{each}b" for each in characters]
    llama, _ = started(path)
    assert llama is not None
    question: dict[str, Any] = {"prefix": [], "suffix": [], "positions": 32, "onlyIds": True}
    with llama:
        found = llama.answers({"texts": texts, "room": 9, "writes": False, **question})
    for text, each in zip(texts, found, strict=True):
        words = wordpiece_words(text, lowercase=lowercase, strip_accents=strips)
        assert joined([tokens[index] for index in each.ids]) == words, ascii(text)
