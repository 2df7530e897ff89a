"""Tokenizers in folders of `transformers`, written and read.

Written: ``tokenizer.json`` with the template of the kind of model, and the two small files that
name the special tokens. Read: the same, or the files of older models: ``vocab.txt`` (BERT),
``vocab.json`` with ``merges.txt`` (GPT-2, RoBERTa, BART), ``spiece.model`` (ALBERT, XLNet, T5),
``spm.model`` (DeBERTa), ``sentencepiece.bpe.model`` (XLM-R, CamemBERT), or Marian's four files.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from foretext.base.errors import CorpusError
from foretext.base.files import atomic_file
from foretext.base.parsing import read_json
from foretext.tokenizers.forms import without_form
from foretext.tokenizers.frames import FrameKind, with_frame
from foretext.tokenizers.marian import is_marian, read_marian_source, read_marian_target
from foretext.tokenizers.published import ModelConfig, TokenizerConfig, read_bert, read_gpt
from foretext.tokenizers.published_classes import check_class
from foretext.tokenizers.sentencepiece import SENTENCEPIECE_FILES, read_sentencepiece
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tokenizers import normalizers

__all__ = [
    "load_hf_tokenizer",
    "load_target_tokenizer",
    "save_framed_tokenizer",
    "save_hf_tokenizer",
    "save_target_tokenizer",
]

TARGET = "target_tokenizer.json"  # of what a text becomes, where it has one of its own

ROLES = {  # their names: ours
    "pad_token": "pad",
    "unk_token": "unknown",
    "cls_token": "cls",
    "sep_token": "sep",
    "mask_token": "mask",
    "bos_token": "start",
    "eos_token": "end",
}


def save_hf_tokenizer(
    tokenizer: SubwordTokenizer,
    folder: Path,
    model_max_length: int | None,
    kind: FrameKind,
    *,
    has_segments: bool = True,
) -> None:
    """Write what ``transformers.AutoTokenizer.from_pretrained(folder)`` needs, without a network.

    Args:
        tokenizer: of the model; its template is replaced by that of `kind`.
        folder: must exist.
        model_max_length: in tokens, with special tokens; None: no limit.
        kind: of model, which decides the template.
        has_segments: whether a model of that kind reads which text of a pair a token belongs to.

    Raises:
        SettingError: the tokenizer lacks a special token.
        OutputError: the folder cannot be written.
    """
    has_segments = has_segments and kind != "gpt"
    framed = with_frame(tokenizer, kind, has_segments=has_segments)
    save_framed_tokenizer(framed, folder, model_max_length, has_segments=has_segments)


def save_framed_tokenizer(
    tokenizer: SubwordTokenizer,
    folder: Path,
    model_max_length: int | None,
    *,
    has_segments: bool,
    pad: int | None = None,
) -> None:
    """Write the same for a tokenizer that has its template already.

    Args:
        tokenizer: with its template.
        folder: must exist.
        model_max_length: in tokens, with special tokens; None: no limit.
        has_segments: whether the model reads which text of a pair a token belongs to.
        pad: id for padding, where the tokenizer has no padding token.

    Raises:
        OutputError: the folder cannot be written.
    """
    names = _names(tokenizer)
    if pad is not None:
        names.setdefault("pad_token", tokenizer.tokens[pad])
    config: dict[str, Any] = {
        "tokenizer_class": "PreTrainedTokenizerFast",  # reads tokenizer.json unchanged
        "clean_up_tokenization_spaces": False,
        **names,
        **_bert_settings(tokenizer),
    }
    if model_max_length is not None:
        config["model_max_length"] = model_max_length
    if has_segments:
        config["model_input_names"] = ["input_ids", "token_type_ids", "attention_mask"]
    if tokenizer.cls_at_end:  # their classes take the last position, whatever stands there
        config["padding_side"] = "left"
    tokenizer.save(folder / "tokenizer.json")
    _write_json(folder / "tokenizer_config.json", config)
    _write_json(folder / "special_tokens_map.json", names)


def load_hf_tokenizer(folder: Path) -> SubwordTokenizer:
    """Read a folder of ``transformers``, of any release; of two tokenizers, that of the source.

    Raises:
        CorpusError: it contains no tokenizer, or the files are damaged.
    """
    config = _config(folder)
    if (folder / "tokenizer.json").is_file():
        check_class(folder, config, "tokenizer.json")
        return SubwordTokenizer.load(folder / "tokenizer.json")
    if is_marian(folder):
        check_class(folder, config, "source.spm")
        return read_marian_source(folder, config)
    if (folder / "vocab.txt").is_file():
        check_class(folder, config, "vocab.txt")
        return read_bert(folder / "vocab.txt", config)
    if (folder / "vocab.json").is_file() and (folder / "merges.txt").is_file():
        check_class(folder, config, "merges.txt")
        return read_gpt(folder, config)
    for name in SENTENCEPIECE_FILES:
        if (folder / name).is_file():
            check_class(folder, config, name)
            return read_sentencepiece(folder / name, config)
    *names, last = ("vocab.json and merges.txt", *SENTENCEPIECE_FILES)
    raise CorpusError(
        f"{folder} contains no tokenizer; give a folder with tokenizer.json, vocab.txt, "
        f"{', '.join(names)} or {last}."
    )


def load_target_tokenizer(folder: Path) -> SubwordTokenizer | None:
    """Read the tokenizer of what a text becomes; None: there is one tokenizer for both.

    Raises:
        CorpusError: the files are damaged.
    """
    if (folder / TARGET).is_file():
        return SubwordTokenizer.load(folder / TARGET)
    return read_marian_target(folder, _config(folder)) if is_marian(folder) else None


def save_target_tokenizer(tokenizer: SubwordTokenizer | None, folder: Path) -> None:
    """Write what `load_target_tokenizer` reads; None: there is no such file.

    Raises:
        OutputError: the folder cannot be written.
    """
    if tokenizer is None:
        (folder / TARGET).unlink(missing_ok=True)
    else:
        tokenizer.save(folder / TARGET)


def _config(folder: Path) -> TokenizerConfig:
    """What the small files say, of which each may be missing."""
    config: TokenizerConfig = {}
    for name in ("special_tokens_map.json", "tokenizer_config.json"):
        if (folder / name).is_file():
            config |= read_json(folder / name, CorpusError, TokenizerConfig)
    if not config.get("tokenizer_class") and (folder / "config.json").is_file():
        model: ModelConfig = read_json(folder / "config.json", CorpusError, ModelConfig)
        config["tokenizer_class"] = model.get("tokenizer_class")
    return config


def _names(tokenizer: SubwordTokenizer) -> dict[str, str]:
    """The token for each of their names of special tokens."""
    found = {theirs: getattr(tokenizer.special, ours) for theirs, ours in ROLES.items()}
    return {task: tokenizer.tokens[index] for task, index in found.items() if index is not None}


def _bert_settings(tokenizer: SubwordTokenizer) -> dict[str, bool]:
    """What a `BertTokenizer`, which does not read the rules of tokenizer.json, has to know.

    Without `strip_accents` it would remove accents from all that it lower-cases.
    """
    _, rules = without_form(tokenizer.library.normalizer)
    if not isinstance(rules, normalizers.BertNormalizer):
        return {}
    strips = rules.lowercase if rules.strip_accents is None else rules.strip_accents
    return {
        "do_lower_case": rules.lowercase,
        "strip_accents": strips,
        "tokenize_chinese_chars": rules.handle_chinese_chars,
    }


def _write_json(path: Path, content: dict[str, Any]) -> None:
    with atomic_file(path) as temporary:
        temporary.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8", newline="\n")
