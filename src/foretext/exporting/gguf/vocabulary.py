"""A tokenizer as llama.cpp has it: its tokens, and the rules that it has a name for.

WordPiece is its model "bert", whose tokens begin with ``▁`` where a word begins; byte pairs, split
as by GPT-2, are its model "gpt2".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from foretext.base.errors import CorpusError, SettingError
from foretext.base.parsing import parse_json
from foretext.data.framing import Framing
from foretext.tokenizers.forms import without_form
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer

__all__ = ["PIECE", "WORD", "Vocabulary", "vocabulary_of"]

NORMAL, UNKNOWN, CONTROL, UNUSED = 1, 2, 3, 5  # kinds of tokens, as the file counts them
PIECE = "##"  # begins a token that continues a word, in ours
WORD = "▁"  # begins a token that begins a word, in llama.cpp
ONNX = "export it to onnx"


@dataclass(frozen=True)
class Vocabulary:
    """What a file says of a tokenizer.

    Attributes:
        model: "bert" or "gpt2".
        tokens: as llama.cpp writes them, by id.
        kinds: of the tokens.
        merges: pairs, the first one merged first.
        keys: of the file, without ``tokenizer.ggml.``.
        form: that texts are brought into first, which llama.cpp does not do; "none".
        longest_word: letters of a word, beyond which it is unknown to foretext; None: no bound.
    """

    model: str
    tokens: list[str]
    kinds: list[int]
    merges: list[str]
    keys: Mapping[str, bool | int]
    form: str = "none"
    longest_word: int | None = None
    special: Mapping[str, int] = field(default_factory=dict)  # ids of tokens that texts may name


def vocabulary_of(tokenizer: SubwordTokenizer, num_rows: int, framing: Framing) -> Vocabulary:
    """Return a tokenizer as llama.cpp has it.

    Args:
        tokenizer: of a model.
        num_rows: token vectors of the model, which may be more than there are tokens.
        framing: what stands around a text.

    Raises:
        SettingError: llama.cpp would split texts differently.
    """
    rules: dict[str, Any] = parse_json(
        tokenizer.library.to_str(), "The tokenizer", CorpusError, dict[str, Any]
    )
    if any(not token["special"] for token in rules["added_tokens"]):
        raise SettingError(
            f"The tokenizer has added words, which llama.cpp finds at other positions; {ONNX}."
        )
    form, _ = without_form(tokenizer.library.normalizer)
    steps = _steps(rules["normalizer"], form)
    model = rules["model"]
    if model["type"] == "WordPiece":
        found = _wordpiece(model, rules, steps)
    elif model["type"] == "BPE":
        found = _byte_pairs(model, rules, steps)
    else:
        raise SettingError(
            f"The tokenizer is {model['type']}, of which a GGUF file cannot hold ours; it holds "
            f"WordPiece and byte-level BPE. {ONNX.capitalize()}."
        )
    special = {token["content"]: token["id"] for token in rules["added_tokens"]}
    kinds = [CONTROL if index in special.values() else NORMAL for index in range(num_rows)]
    tokens = list(tokenizer.tokens)
    for index in range(num_rows):
        if index >= len(tokens):
            tokens.append("")
        if not tokens[index]:
            tokens[index], kinds[index] = f"[PAD{index}]", UNUSED
        elif kinds[index] == NORMAL and model["type"] == "WordPiece":
            tokens[index] = _of_word(tokens[index])
    if tokenizer.special.unknown is not None:
        kinds[tokenizer.special.unknown] = UNKNOWN
    if len({*tokens}) < len(tokens):
        raise SettingError(
            f"Two tokens of the tokenizer would be one in llama.cpp, as '{PIECE}{WORD}a' and 'a' "
            f"are; {ONNX}."
        )
    return Vocabulary(
        model="bert" if model["type"] == "WordPiece" else "gpt2",
        tokens=tokens,
        kinds=kinds,
        keys={**found.keys, **_ids(tokenizer, framing)},
        merges=found.merges,
        form=form,
        longest_word=found.longest_word,
        special=special,
    )


@dataclass(frozen=True)
class _Rules:
    keys: Mapping[str, bool | int]
    merges: list[str] = field(default_factory=list)
    longest_word: int | None = None


def _steps(normalizer: Any, form: str) -> list[dict[str, Any]]:
    """Return the rules of a normaliser after its normal form."""
    if normalizer is None:
        return []
    steps = normalizer["normalizers"] if normalizer["type"] == "Sequence" else [normalizer]
    return list(steps[1:] if form != "none" else steps)


def _wordpiece(model: Any, rules: Any, steps: list[dict[str, Any]]) -> _Rules:
    if model["continuing_subword_prefix"] != PIECE:
        raise SettingError(
            f"The tokenizer's pieces begin with '{model['continuing_subword_prefix']}', and those "
            f"of llama.cpp with '{PIECE}'; {ONNX}."
        )
    splits = (rules["pre_tokenizer"] or {}).get("type")
    if [step["type"] for step in steps] != ["BertNormalizer"] or splits != "BertPreTokenizer":
        raise SettingError(
            f"The tokenizer does not split texts as BERT's does, and llama.cpp does; {ONNX}."
        )
    (step,) = steps
    if not (step["clean_text"] and step["handle_chinese_chars"]):
        raise SettingError(
            "The tokenizer keeps control characters or Chinese words whole, and llama.cpp does "
            f"not; {ONNX}."
        )
    strips = step["lowercase"] if step["strip_accents"] is None else step["strip_accents"]
    return _Rules(
        {"normalizer.lowercase": step["lowercase"], "normalizer.strip_accents": strips},
        longest_word=model["max_input_chars_per_word"],
    )


def _byte_pairs(model: Any, rules: Any, steps: list[dict[str, Any]]) -> _Rules:
    splits = rules["pre_tokenizer"] or {}
    if splits.get("type") != "ByteLevel" or not splits.get("use_regex"):
        raise SettingError(
            "The tokenizer merges characters, and GGUF holds byte-level BPE, split as by GPT-2; "
            f"{ONNX}."
        )
    if steps or splits["add_prefix_space"]:
        what = "puts a blank before texts" if not steps else "turns texts to lower case"
        raise SettingError(f"The tokenizer {what}, and llama.cpp does not; {ONNX}.")
    if model["ignore_merges"] or model["unk_token"] or model["continuing_subword_prefix"]:
        raise SettingError(f"The tokenizer merges pairs in a way that llama.cpp has not; {ONNX}.")
    pairs = (pair if isinstance(pair, str) else " ".join(pair) for pair in model["merges"])
    return _Rules({}, list(pairs))


def _of_word(token: str) -> str:
    """Return a token of WordPiece as llama.cpp writes it."""
    return token.removeprefix(PIECE) if token.startswith(PIECE) and token != PIECE else WORD + token


def _ids(tokenizer: SubwordTokenizer, framing: Framing) -> dict[str, bool | int]:
    """Return the ids of special tokens, and what stands around a text."""
    special, prefix, suffix = tokenizer.special, framing.prefix, framing.suffix
    begins = prefix[0] if prefix else special.start
    ends = suffix[0] if suffix else special.end
    if len(prefix) > 1 or len(suffix) > 1 or begins is None or ends is None:
        raise SettingError(
            "llama.cpp puts one token before a text and one after it, and this tokenizer has "
            f"other ones; {ONNX}."
        )
    ids = {
        "bos_token_id": begins,
        "eos_token_id": ends,
        "unknown_token_id": special.unknown,
        "seperator_token_id": special.sep,  # so spelled in the file
        "padding_token_id": special.pad,
        "cls_token_id": special.cls,
        "mask_token_id": special.mask,
    }
    around = {"add_bos_token": bool(prefix), "add_eos_token": bool(suffix)}
    return {name: index for name, index in ids.items() if index is not None} | around
