"""Tokenizers of published models that come as a file of SentencePiece: ALBERT, XLNet, DeBERTa.

Their programs did more to a text than the file says: each kind has rules of its own, which here are
those of the library `transformers` where it converts such files.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from foretext.errors import CorpusError
from foretext.tokenizers.frames import FrameKind, with_frame
from foretext.tokenizers.library_errors import library_errors
from foretext.tokenizers.published import TokenizerConfig, add_tokens, named_token
from foretext.tokenizers.sentencepiece_file import (
    Kind,
    Piece,
    SentencePieces,
    read_sentencepiece_file,
)
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tokenizers import AddedToken as LibraryToken
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers

__all__ = ["SENTENCEPIECE_FILES", "read_sentencepiece"]

SENTENCEPIECE_FILES = ("spm.model", "spiece.model")
TASKS = (  # in the order in which those that a file lacks get ids
    "bos_token",
    "eos_token",
    "unk_token",
    "sep_token",
    "pad_token",
    "cls_token",
    "mask_token",
)
BLANK = "▁"
PENALTY = 100.0  # of tokens that join a number with a comma


class Rules(NamedTuple):
    """What a kind of model adds to its file."""

    names: tuple[str, ...]  # of special tokens; the first is looked for, the last is the mask
    frame: FrameKind
    lowercase: bool = False  # by default
    simplifies: bool = True  # quotes and accents; commas behind numbers are cut off
    mask_takes_blank: bool = True  # the one before it


DEBERTA = Rules(
    ("[CLS]", "[SEP]", "[PAD]", "[UNK]", "[MASK]"),
    "bert",
    simplifies=False,
    mask_takes_blank=False,
)
ALBERT = Rules(("[CLS]", "[SEP]", "<pad>", "<unk>", "[MASK]"), "bert", lowercase=True)
XLNET = Rules(("<cls>", "<sep>", "<pad>", "<unk>", "<mask>"), "xlnet")
KINDS = {"spm.model": (DEBERTA,), "spiece.model": (ALBERT, XLNET)}


def read_sentencepiece(path: Path, config: TokenizerConfig) -> SubwordTokenizer:
    """Read one of `SENTENCEPIECE_FILES`; `config` is that of its tokenizer_config.json.

    Raises:
        CorpusError: the file is damaged, or of a model that foretext does not have.
    """
    model = read_sentencepiece_file(path)
    rules = _rules(path, model)
    weigh = _without_commas if rules.simplifies else _score
    scores = [(piece.text, weigh(piece)) for piece in model.pieces]
    with library_errors(f"{path} cannot be used as a tokenizer"):
        library = Tokenizer(models.Unigram(scores, model.unknown, model.byte_fallback))
        library.normalizer = _normalizer(rules, model, config)
    library.pre_tokenizer = _pre_tokenizer(model, config)
    library.decoder = decoders.Metaspace(BLANK, _scheme(model))
    library.add_tokens(
        [
            LibraryToken(piece.text, normalized=False, special=piece.kind is Kind.CONTROL)
            for piece in model.pieces
            if piece.kind in (Kind.CONTROL, Kind.USER_DEFINED)
        ]
    )
    add_tokens(library, path.parent)
    _add_special_tokens(library, rules, config)
    return with_frame(SubwordTokenizer.checked(library, path), rules.frame)


def _rules(path: Path, model: SentencePieces) -> Rules:
    texts = {piece.text for piece in model.pieces}
    for rules in KINDS[path.name]:
        if rules.names[0] in texts:
            return rules
    looked_for = " or ".join(rules.names[0] for rules in KINDS[path.name])
    raise CorpusError(
        f"{path} has no token {looked_for}, so it is of a model that foretext does not have; take "
        "a folder with a tokenizer.json."
    )


def _add_special_tokens(library: Tokenizer, rules: Rules, config: TokenizerConfig) -> None:
    """Make the named tokens special; the mask gets an id behind the others if it has none."""
    mask = named_token(config, "mask_token") or rules.names[-1]
    named = [named_token(config, task) for task in TASKS]
    present = [name for name in rules.names if library.token_to_id(name) is not None]
    for name in dict.fromkeys(name for name in (*named, *present, mask) if name):
        takes_blank = rules.mask_takes_blank and name == mask
        library.add_special_tokens([LibraryToken(name, lstrip=takes_blank, normalized=False)])


def _normalizer(
    rules: Rules, model: SentencePieces, config: TokenizerConfig
) -> normalizers.Normalizer:
    steps: list[normalizers.Normalizer] = []
    if rules.simplifies:
        steps += [normalizers.Replace("``", '"'), normalizers.Replace("''", '"')]
        if not config.get("keep_accents", False):
            steps += [normalizers.NFKD(), normalizers.StripAccents()]
    if config.get("do_lower_case", rules.lowercase):
        steps.append(normalizers.Lowercase())
    if not rules.simplifies:  # the others keep a blank before a token that is found as it is
        steps.append(normalizers.Strip())
    if model.characters:
        steps.append(normalizers.Precompiled(model.characters))
    if model.collapses_blanks:
        steps.append(normalizers.Replace(Regex(" {2,}"), " "))
    return normalizers.Sequence(steps)


def _pre_tokenizer(model: SentencePieces, config: TokenizerConfig) -> pre_tokenizers.PreTokenizer:
    blanks = pre_tokenizers.Metaspace(BLANK, _scheme(model))
    if not config.get("split_by_punct", False):
        return blanks
    return pre_tokenizers.Sequence([pre_tokenizers.Punctuation("isolated"), blanks])


def _scheme(model: SentencePieces) -> str:
    return "always" if model.begins_with_blank else "never"


def _score(piece: Piece) -> float:
    return piece.score


def _without_commas(piece: Piece) -> float:
    """The score of a token, far lower where a comma follows a digit: both are cut apart then."""
    joins = piece.text[-1] == "," and piece.text[-2:-1].isdigit()
    return piece.score - PENALTY if joins else piece.score
