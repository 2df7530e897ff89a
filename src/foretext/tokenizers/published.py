"""Tokenizers in the files that models were published with before there was tokenizer.json."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from foretext.errors import CorpusError
from foretext.tokenizers.frames import with_frame
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer, with_special_tokens
from foretext.tokenizers.wordpiece import PREFIX
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers

__all__ = ["read_bert", "read_gpt"]

BERT_NAMES = {
    "pad_token": "[PAD]",
    "unk_token": "[UNK]",
    "cls_token": "[CLS]",
    "sep_token": "[SEP]",
    "mask_token": "[MASK]",
}
GPT_TASKS = (*BERT_NAMES, "bos_token", "eos_token")
GPT_NAMES = ("<|endoftext|>",)
ROBERTA_NAMES = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")


def read_bert(path: Path, config: dict[str, Any]) -> SubwordTokenizer:
    """Read a ``vocab.txt``, a token a line; `config` is that of its tokenizer_config.json.

    Raises:
        CorpusError: the file cannot be read, or lacks a special token.
    """
    try:
        with path.open(encoding="utf-8") as file:
            ids = {line.rstrip("\n"): index for index, line in enumerate(file)}
    except (OSError, UnicodeDecodeError) as error:
        raise CorpusError(f"{path} cannot be read as a vocabulary ({error}).") from error
    names = {task: _content(config.get(task) or name) for task, name in BERT_NAMES.items()}
    if missing := [name for name in names.values() if name not in ids]:
        raise CorpusError(
            f"{path} has no line '{missing[0]}'; give a vocabulary of BERT, or name its special "
            "tokens in a tokenizer_config.json beside it."
        )
    library = Tokenizer(models.WordPiece(ids, unk_token=names["unk_token"]))
    library.normalizer = normalizers.BertNormalizer(
        handle_chinese_chars=config.get("tokenize_chinese_chars", True),
        strip_accents=config.get("strip_accents"),
        lowercase=config.get("do_lower_case", True),
    )
    library.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    library.decoder = decoders.WordPiece(prefix=PREFIX)
    with_special_tokens(library, list(names.values()))
    return with_frame(SubwordTokenizer(library), "bert")


def read_gpt(folder: Path, config: dict[str, Any]) -> SubwordTokenizer:
    """Read ``vocab.json`` and ``merges.txt``; of RoBERTa, which shares them, not the frame.

    Raises:
        CorpusError: the files are damaged or do not belong together.
    """
    try:
        model = models.BPE.from_file(str(folder / "vocab.json"), str(folder / "merges.txt"))
    except Exception as error:  # the library raises nothing narrower
        raise CorpusError(
            f"{folder}: vocab.json and merges.txt cannot be read as BPE ({error})."
        ) from error
    library = Tokenizer(model)
    library.pre_tokenizer = pre_tokenizers.ByteLevel(
        add_prefix_space=config.get("add_prefix_space", False)
    )
    library.decoder = decoders.ByteLevel()
    usual = GPT_NAMES if library.token_to_id(GPT_NAMES[0]) is not None else ROBERTA_NAMES
    names = dict.fromkeys(
        [_content(config[task]) for task in GPT_TASKS if config.get(task)] or usual
    )
    for name in names:
        if library.token_to_id(name) is not None:  # RoBERTa's mask takes the blank before it
            library.add_special_tokens([AddedToken(name, lstrip=name == "<mask>", special=True)])
    return SubwordTokenizer(library)


def _content(token: str | dict[str, Any]) -> str:
    """A special token is a text, or a description of one."""
    return token if isinstance(token, str) else str(token["content"])
