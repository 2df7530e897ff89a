"""Tokenizers of published models that come as a file of SentencePiece.

ALBERT, XLNet, DeBERTa, T5, XLM-R and CamemBERT; `sentencepiece_rules` says what each adds to it.
"""

from __future__ import annotations

from pathlib import Path

from typing_extensions import TypedDict

from foretext.base.errors import CorpusError
from foretext.base.parsing import read_json
from foretext.tokenizers.frames import with_frame
from foretext.tokenizers.library_errors import library_errors
from foretext.tokenizers.published import TokenizerConfig, add_tokens, named_token
from foretext.tokenizers.sentencepiece_file import (
    Kind,
    Piece,
    SentencePieces,
    read_sentencepiece_file,
)
from foretext.tokenizers.sentencepiece_rules import RULES, Rules
from foretext.tokenizers.special_tokens import sentinel_name
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tokenizers import AddedToken as LibraryToken
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers

__all__ = ["BLANK", "SENTENCEPIECE_FILES", "metaspace", "normalizer_steps", "read_sentencepiece"]

SENTENCEPIECE_FILES = tuple(RULES)
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
SENTINELS, MOST_SENTINELS = 100, 10_000  # of T5 where its folder names no number, and the limit


class _ModelConfig(TypedDict, total=False):
    """What is read of config.json here."""

    model_type: str | None


def read_sentencepiece(path: Path, config: TokenizerConfig) -> SubwordTokenizer:
    """Read one of `SENTENCEPIECE_FILES`; `config` is that of its tokenizer_config.json.

    Raises:
        CorpusError: the file is damaged, or of a model that foretext does not have.
    """
    model = read_sentencepiece_file(path)
    rules = _rules(path, model)
    tokens = _tokens(rules, model, config, path)
    ids = {text: index for index, (text, _) in enumerate(tokens)}
    with library_errors(f"{path} cannot be used as a tokenizer"):
        unknown = ids[model.pieces[model.unknown].text]
        library = Tokenizer(models.Unigram(tokens, unknown, model.byte_fallback))
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
    tokenizer = SubwordTokenizer.checked(library, path)
    return with_frame(tokenizer, rules.frame, has_segments=rules.has_segments)


def _rules(path: Path, model: SentencePieces) -> Rules:
    kinds = RULES[path.name]
    config = path.parent / "config.json"
    found: _ModelConfig = read_json(config, CorpusError, _ModelConfig) if config.is_file() else {}
    model_type = found.get("model_type") or ""
    of_type = kinds.get(model_type, kinds[""])
    if not of_type:
        raise CorpusError(
            f"{path} is read for models of the kinds {' and '.join(filter(None, kinds))}, and "
            f"model_type of the config.json beside it is {model_type!r}; take a folder with a "
            "tokenizer.json."
        )
    texts = {piece.text for piece in model.pieces}
    for rules in of_type:
        if rules.names[0] in texts:
            return rules
    looked_for = " or ".join(rules.names[0] for rules in of_type)
    raise CorpusError(
        f"{path} has no token {looked_for}, so it is of a model that foretext does not have; take "
        "a folder with a tokenizer.json."
    )


def _tokens(
    rules: Rules, model: SentencePieces, config: TokenizerConfig, path: Path
) -> list[tuple[str, float]]:
    """Tokens and their scores by id: those of the file, and what this kind of model adds."""
    weigh = _without_commas if rules.simplifies else _score
    dropped = {piece.text for piece in model.pieces[: rules.num_dropped]}
    if not dropped <= {*rules.first}:
        raise CorpusError(
            f"{path} does not begin with the tokens of its kind of model; take a folder with a "
            "tokenizer.json."
        )
    own = [(piece.text, weigh(piece)) for piece in model.pieces[rules.num_dropped :]]
    tokens = [*((text, 0.0) for text in rules.first), *own]
    number = _num_sentinels(rules, config)
    if not 0 <= number <= MOST_SENTINELS:
        raise CorpusError(
            f"{path.parent / 'tokenizer_config.json'}: extra_ids = {number} is no number of "
            f"sentinels from 0 to {MOST_SENTINELS:,}; fetch the file again."
        )
    tokens += [(sentinel_name(index), 0.0) for index in reversed(range(number))]
    if len({text for text, _ in tokens}) < len(tokens):
        raise CorpusError(
            f"{path} has a token that this kind of model adds to it, too; fetch it again, or take "
            "a folder with a tokenizer.json."
        )
    return tokens


def _num_sentinels(rules: Rules, config: TokenizerConfig) -> int:
    return config.get("extra_ids", SENTINELS) if rules.sentinels else 0


def _add_special_tokens(library: Tokenizer, rules: Rules, config: TokenizerConfig) -> None:
    """Make the named tokens special; the mask gets an id behind the others if it has none."""
    mask = named_token(config, "mask_token") or rules.mask
    named = [named_token(config, task) for task in TASKS]
    added = map(sentinel_name, range(_num_sentinels(rules, config)))
    present = [name for name in (*rules.names, *added) if library.token_to_id(name) is not None]
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
    # The others keep a blank before a token that is found as it is.
    steps += normalizer_steps(model, strip=not rules.simplifies)
    return normalizers.Sequence(steps)


def normalizer_steps(model: SentencePieces, *, strip: bool) -> list[normalizers.Normalizer]:
    """Return what the library SentencePiece itself does to a text before it cuts it."""
    steps: list[normalizers.Normalizer] = [normalizers.Strip()] if strip else []
    if model.characters:
        steps.append(normalizers.Precompiled(model.characters))
    if model.collapses_blanks:
        steps.append(normalizers.Replace(Regex(" {2,}"), " "))
    return steps


def _pre_tokenizer(model: SentencePieces, config: TokenizerConfig) -> pre_tokenizers.PreTokenizer:
    if not config.get("split_by_punct", False):
        return metaspace(model)
    return pre_tokenizers.Sequence([pre_tokenizers.Punctuation("isolated"), metaspace(model)])


def metaspace(model: SentencePieces) -> pre_tokenizers.Metaspace:
    """Return what writes blanks as the file's tokens have them."""
    return pre_tokenizers.Metaspace(BLANK, _scheme(model))


def _scheme(model: SentencePieces) -> str:
    return "always" if model.begins_with_blank else "never"


def _score(piece: Piece) -> float:
    return piece.score


def _without_commas(piece: Piece) -> float:
    """The score of a token, far lower where a comma follows a digit: both are cut apart then."""
    joins = piece.text[-1] == "," and piece.text[-2:-1].isdigit()
    return piece.score - PENALTY if joins else piece.score
