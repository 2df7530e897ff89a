"""Tokenizers of Marian's models: a file of SentencePiece for each side, and the ids of both.

A source is cut by ``source.spm`` and a target by ``target.spm``; ``vocab.json`` says which id a
piece has. A model with two vocabularies has the target's ids in ``target_vocab.json``.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from foretext.base.errors import CorpusError
from foretext.base.parsing import read_json
from foretext.tokenizers.base import library_errors
from foretext.tokenizers.frames import with_frame
from foretext.tokenizers.published import TokenizerConfig, named_token
from foretext.tokenizers.sentencepiece import (
    BLANK,
    Kind,
    SentencePieces,
    metaspace,
    normalizer_steps,
    read_sentencepiece_file,
)
from foretext.tokenizers.subword_tokenizer import GAPS, SubwordTokenizer
from tokenizers import AddedToken as LibraryToken
from tokenizers import Tokenizer, decoders, models, normalizers

__all__ = ["is_marian", "read_marian_source", "read_marian_target"]

SOURCE, TARGET = "source.spm", "target.spm"
VOCABULARY, TARGET_VOCABULARY = "vocab.json", "target_vocab.json"
SPECIAL = {"eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>"}
HIDDEN = "\ue000"  # stands before tokens that no text of this side is cut into


def is_marian(folder: Path) -> bool:
    """Whether a folder has such files."""
    return (folder / SOURCE).is_file() and (folder / VOCABULARY).is_file()


def read_marian_source(folder: Path, config: TokenizerConfig) -> SubwordTokenizer:
    """Read the tokenizer of sources; `config` is that of tokenizer_config.json.

    Raises:
        CorpusError: a file is missing or damaged, or they do not belong together.
    """
    return _read(folder / SOURCE, folder / VOCABULARY, config)


def read_marian_target(folder: Path, config: TokenizerConfig) -> SubwordTokenizer:
    """Read the tokenizer of targets, whose ids are those of the sources if there is one vocabulary.

    Raises:
        CorpusError: as of `read_marian_source`.
    """
    separate = config.get("separate_vocabs", False)
    return _read(folder / TARGET, folder / (TARGET_VOCABULARY if separate else VOCABULARY), config)


def _read(path: Path, vocabulary: Path, config: TokenizerConfig) -> SubwordTokenizer:
    model = read_sentencepiece_file(path)
    tokens = _by_id(vocabulary)
    special = [named_token(config, task) or name for task, name in SPECIAL.items()]
    languages = [token for token in tokens if token.startswith(">>") and token.endswith("<<")]
    if missing := [name for name in special if name not in tokens]:
        raise CorpusError(
            f"{vocabulary} has no token '{missing[0]}'; take the files that belong together, or "
            "name its special tokens in a tokenizer_config.json beside it."
        )
    with library_errors(f"{path} cannot be used as a tokenizer"):
        unknown = tokens.index(special[1])
        library = Tokenizer(models.Unigram(_scored(tokens, model, [*special, *languages]), unknown))
        library.normalizer = normalizers.Sequence(normalizer_steps(model, strip=True))
    library.pre_tokenizer = metaspace(model)
    library.decoder = decoders.Sequence(
        [decoders.Replace(HIDDEN, ""), decoders.Metaspace(BLANK, metaspace(model).prepend_scheme)]
    )
    library.add_special_tokens([LibraryToken(t, normalized=False) for t in (*special, *languages)])
    return with_frame(SubwordTokenizer.checked(library, path), "t5", has_segments=False)


def _by_id(path: Path) -> list[str]:
    """Return the tokens in the order of their ids; numbers without a token get a hidden one."""
    ids: dict[str, int] = read_json(path, CorpusError, dict[str, int])
    last = max(ids.values(), default=-1)
    if not ids or min(ids.values()) < 0 or last >= len(ids) + GAPS:
        raise CorpusError(
            f"{path} is no vocabulary: it has {len(ids):,} tokens with ids up to {last:,}; fetch "
            "it again."
        )
    tokens = [f"{HIDDEN}{number}" for number in range(last + 1)]
    for token, number in ids.items():
        tokens[number] = token
    if len({*ids.values()}) < len(ids):
        raise CorpusError(f"{path} gives the same id to two tokens; fetch it again.")
    return tokens


def _scored(
    tokens: list[str], model: SentencePieces, special: Collection[str]
) -> list[tuple[str, float]]:
    """Return the tokens with their scores, those hidden that a text of this side is not cut into.

    A piece of the file that has no id is left out: the text is cut into others, where Marian would
    write the unknown token. A single character that the file does not have is found by its id, as
    it is there.
    """
    scores = {p.text: p.score for p in model.pieces if p.kind in (Kind.NORMAL, Kind.USER_DEFINED)}
    lowest = min(scores.values(), default=0.0)
    found = []
    for token in tokens:
        is_seen = token in scores or token in special or len(token) == 1
        found.append((token if is_seen else HIDDEN + token, scores.get(token, lowest)))
    return found
