"""Tokenizers in the files of older models, from before tokenizer.json."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

from typing_extensions import TypedDict

from foretext.base.errors import CorpusError
from foretext.base.parsing import read_json, read_text
from foretext.tokenizers.base import library_errors
from foretext.tokenizers.frames import framed, with_frame
from foretext.tokenizers.library_additions import with_special_tokens
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.tokenizers.wordpiece import PREFIX
from tokenizers import AddedToken as LibraryToken
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers

__all__ = ["ModelConfig", "TokenizerConfig", "add_tokens", "named_token", "read_bert", "read_gpt"]

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


class AddedToken(TypedDict):
    """How a special token is described, where it is not its text alone."""

    content: str


class TokenizerConfig(TypedDict, total=False):
    """What is read of tokenizer_config.json and special_tokens_map.json."""

    pad_token: str | AddedToken | None
    unk_token: str | AddedToken | None
    cls_token: str | AddedToken | None
    sep_token: str | AddedToken | None
    mask_token: str | AddedToken | None
    bos_token: str | AddedToken | None
    eos_token: str | AddedToken | None
    do_lower_case: bool
    strip_accents: bool | None
    tokenize_chinese_chars: bool
    add_prefix_space: bool
    keep_accents: bool
    split_by_punct: bool
    extra_ids: int  # sentinels of T5
    separate_vocabs: bool  # of Marian
    tokenizer_class: str | None
    word_tokenizer_type: str | None  # of Japanese BERT: the program that finds words


class ModelConfig(TypedDict, total=False):
    """What config.json says of the tokenizer."""

    tokenizer_class: str | None


def read_bert(path: Path, config: TokenizerConfig) -> SubwordTokenizer:
    """Read a ``vocab.txt``, a token a line; `config` is that of its tokenizer_config.json.

    Raises:
        CorpusError: the file cannot be read, or lacks a special token.
    """
    lines = StringIO(read_text(path, CorpusError), newline=None)
    ids = {line.rstrip("\n"): index for index, line in enumerate(lines)}
    names = {task: named_token(config, task) or name for task, name in BERT_NAMES.items()}
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
    add_tokens(library, path.parent)
    return with_frame(SubwordTokenizer.checked(library, path), "bert")


def read_gpt(folder: Path, config: TokenizerConfig) -> SubwordTokenizer:
    """Read ``vocab.json`` and ``merges.txt``, of GPT-2 or of RoBERTa.

    Raises:
        CorpusError: the files are damaged or do not belong together.
    """
    with library_errors(f"{folder}: vocab.json and merges.txt cannot be read as BPE"):
        model = models.BPE.from_file(str(folder / "vocab.json"), str(folder / "merges.txt"))
    library = Tokenizer(model)
    library.pre_tokenizer = pre_tokenizers.ByteLevel(
        add_prefix_space=config.get("add_prefix_space", False)
    )
    library.decoder = decoders.ByteLevel()
    add_tokens(library, folder)
    usual = GPT_NAMES if library.token_to_id(GPT_NAMES[0]) is not None else ROBERTA_NAMES
    named = [named_token(config, task) for task in GPT_TASKS]
    for name in dict.fromkeys([name for name in named if name] or usual):
        if library.token_to_id(name) is not None:  # RoBERTa's mask takes the blank before it
            token = LibraryToken(name, lstrip=name == "<mask>", special=True)
            library.add_special_tokens([token])
    tokenizer = SubwordTokenizer.checked(library, folder / "vocab.json")
    cls, sep = tokenizer.special.cls, tokenizer.special.sep
    if usual is GPT_NAMES or cls is None or sep is None:
        return tokenizer
    return framed(tokenizer, [cls], [sep, sep], [sep], has_segments=False)


def named_token(config: TokenizerConfig, task: str) -> str | None:
    """Return a special token, which is a text there, or the description of one; None: not named."""
    token: str | AddedToken | None = config.get(task)  # type: ignore[assignment]
    return token["content"] if isinstance(token, dict) else token


def add_tokens(library: Tokenizer, folder: Path) -> None:
    """Add what ``added_tokens.json`` has: tokens with the ids behind the vocabulary's.

    Raises:
        CorpusError: the file is damaged, or belongs to another vocabulary.
    """
    path = folder / "added_tokens.json"
    if not path.is_file():
        return
    added: dict[str, int] = read_json(path, CorpusError, dict[str, int])
    for token, index in sorted(added.items(), key=lambda item: item[1]):
        library.add_tokens([token])
        if library.token_to_id(token) != index:
            raise CorpusError(
                f"{path}: '{token}' has the id {index}, which does not follow those of the "
                "vocabulary beside it; take the files that belong together."
            )
