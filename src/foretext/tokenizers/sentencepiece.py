"""Tokenizers of published models that come as a file of SentencePiece.

ALBERT, XLNet, DeBERTa, T5, XLM-R and CamemBERT.

Models of the library SentencePiece (Kudo and Richardson 2018), read without that library. A
``.model`` file is one message of protocol buffers: fields, each with a number and a type of
encoding. This reads the few fields that decide which ids a text gets, and skips the others.

What each kind of published model adds to its file of SentencePiece. Their programs did more to a
text than the file says, and gave other ids to the tokens: here as the library `transformers` does
where it converts such files.
"""

from __future__ import annotations

import math
import struct
from collections import Counter
from collections.abc import Iterator, Mapping
from enum import IntEnum
from pathlib import Path
from typing import Any, NamedTuple

from typing_extensions import TypedDict

from foretext.base.errors import CorpusError
from foretext.base.parsing import read_bytes, read_json
from foretext.tokenizers.base import library_errors
from foretext.tokenizers.frames import FrameKind, with_frame
from foretext.tokenizers.published import TokenizerConfig, add_tokens, named_token
from foretext.tokenizers.special_tokens import sentinel_name
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tokenizers import AddedToken as LibraryToken
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers

__all__ = [
    "BLANK",
    "SENTENCEPIECE_FILES",
    "Kind",
    "Piece",
    "Rules",
    "SentencePieces",
    "metaspace",
    "normalizer_steps",
    "read_sentencepiece",
    "read_sentencepiece_file",
]

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

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5  # types of encoding
MAX_SHIFT = 63  # bits of a number
PIECES, TRAINER, NORMALIZER = 1, 2, 3  # fields of a model
TEXT, SCORE, KIND = 1, 2, 3  # of a piece
ALGORITHM, BYTE_FALLBACK, SPACES_BEHIND = 3, 35, 24  # of the trainer
CHARACTERS, PREFIX, COLLAPSE, ESCAPE = 2, 3, 4, 5  # of the normaliser
ALGORITHMS = {1: "unigram", 2: "bpe", 3: "word", 4: "char"}

Value = int | bytes


class Rules(NamedTuple):
    """What a kind of model adds to its file."""

    names: tuple[str, ...]  # of special tokens; a file of this kind has the first one
    frame: FrameKind
    mask: str | None = None  # it gets an id behind the others if the file has none
    first: tuple[str, ...] = ()  # tokens that stand before those of the file
    num_dropped: int = 0  # tokens of the file, in place of which they stand
    sentinels: bool = False  # whether `<extra_id_0>` and so on stand behind the others
    has_segments: bool = True
    lowercase: bool = False  # by default
    simplifies: bool = False  # quotes and accents; commas behind numbers are cut off
    mask_takes_blank: bool = True  # the one before it


DEBERTA = Rules(("[CLS]", "[SEP]", "[PAD]", "[UNK]"), "bert", mask="[MASK]", mask_takes_blank=False)
ALBERT = Rules(
    ("[CLS]", "[SEP]", "<pad>", "<unk>"), "bert", mask="[MASK]", lowercase=True, simplifies=True
)
XLNET = Rules(("<cls>", "<sep>", "<pad>", "<unk>"), "xlnet", mask="<mask>", simplifies=True)
T5 = Rules(("</s>", "<pad>", "<unk>"), "t5", sentinels=True, has_segments=False)
XLM_ROBERTA = Rules(  # the ids of fairseq
    ("<s>", "</s>", "<pad>", "<unk>"),
    "roberta",
    mask="<mask>",
    first=("<s>", "<pad>", "</s>", "<unk>"),
    num_dropped=3,  # <unk> <s> </s>
    has_segments=False,
)
CAMEMBERT = XLM_ROBERTA._replace(
    first=("<s>NOTUSED", "<pad>", "</s>NOTUSED", "<unk>", "<unk>NOTUSED"),
    num_dropped=1,  # <unk>
)

# By the name of the file and the model_type of the config.json beside it; "" is any other one.
RULES: Mapping[str, Mapping[str, tuple[Rules, ...]]] = {
    "spm.model": {"": (DEBERTA,)},
    "spiece.model": {"": (ALBERT, XLNET, T5)},
    "sentencepiece.bpe.model": {
        "": (),
        "xlm-roberta": (XLM_ROBERTA,),
        "camembert": (CAMEMBERT,),
    },
}

SENTENCEPIECE_FILES = tuple(RULES)


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


class Kind(IntEnum):
    """What a piece stands for."""

    NORMAL = 1
    UNKNOWN = 2
    CONTROL = 3  # special, and never found in a text
    USER_DEFINED = 4  # found in a text as it is
    UNUSED = 5
    BYTE = 6


class Piece(NamedTuple):
    """A token."""

    text: str
    score: float  # log probability
    kind: Kind


class SentencePieces(NamedTuple):
    """What decides the ids of a text."""

    pieces: list[Piece]  # by id
    unknown: int  # id
    characters: bytes  # a compiled table of replacements; empty: there are none
    begins_with_blank: bool  # whether a text gets a blank before it
    collapses_blanks: bool  # whether blanks at the ends and repeated ones are removed
    byte_fallback: bool  # whether unknown characters become bytes


def read_sentencepiece_file(path: Path) -> SentencePieces:
    """Read the ``.model`` file of a unigram model.

    Raises:
        CorpusError: it is missing or damaged, or of another kind; the sentence says which.
    """
    data = read_bytes(path, CorpusError)
    try:
        return _model(data)
    except (ValueError, TypeError, struct.error) as error:
        raise CorpusError(
            f"{path} cannot be read as a model of SentencePiece ({error}); fetch it again, or take "
            "a folder with a tokenizer.json."
        ) from None


def _model(data: bytes) -> SentencePieces:
    parts: dict[int, bytes] = {TRAINER: b"", NORMALIZER: b""}
    pieces = []
    for number, value in _fields(data):
        if number == PIECES:
            pieces.append(_piece(_bytes(value)))
        elif number in parts:
            parts[number] += _bytes(value)  # parts of one message add up
    trainer, normalizer = dict(_fields(parts[TRAINER])), dict(_fields(parts[NORMALIZER]))
    _check_trainer(trainer)
    if not _flag(normalizer, ESCAPE, default=True):
        raise ValueError("it leaves blanks as they are, which is not supported")
    return SentencePieces(
        pieces,
        _unknown(pieces),
        _bytes(normalizer.get(CHARACTERS, b"")),
        _flag(normalizer, PREFIX, default=True),
        _flag(normalizer, COLLAPSE, default=True),
        _flag(trainer, BYTE_FALLBACK, default=False),
    )


def _check_trainer(trainer: dict[int, Value]) -> None:
    algorithm = _number(trainer.get(ALGORITHM, 1))
    if algorithm != 1:
        name = ALGORITHMS.get(algorithm, algorithm)
        raise ValueError(f"it is of the kind {name}, and only unigram is supported")
    if _flag(trainer, SPACES_BEHIND, default=False):
        raise ValueError("it marks the ends of words in place of beginnings, which is unsupported")


def _unknown(pieces: list[Piece]) -> int:
    unknown = [index for index, piece in enumerate(pieces) if piece.kind is Kind.UNKNOWN]
    if len(unknown) != 1:
        raise ValueError(f"it has {len(unknown)} unknown tokens in place of one")
    text, count = Counter(piece.text for piece in pieces).most_common(1)[0]
    if count > 1:
        raise ValueError(f"the token {text!r} is there twice")
    return unknown[0]


def _piece(data: bytes) -> Piece:
    fields = dict(_fields(data))
    text = _bytes(fields.get(TEXT, b"")).decode("utf-8")  # its error is a ValueError
    score = struct.unpack("<f", _bytes(fields.get(SCORE, b"\0\0\0\0")))[0]
    if not text or not math.isfinite(score):
        raise ValueError(f"the token {text!r} has the score {score}")
    return Piece(text, score, Kind(_number(fields.get(KIND, Kind.NORMAL))))


def _fields(data: bytes) -> Iterator[tuple[int, Value]]:
    """Yield number and value of each field; numbers of 4 or 8 bytes stay bytes.

    Raises:
        ValueError: a field ends behind the data, or its encoding is unknown.
    """
    place = 0
    while place < len(data):
        key, place = _varint(data, place)
        number, encoding = divmod(key, 8)
        if encoding == VARINT:
            value, place = _varint(data, place)
            yield number, value
            continue
        if encoding == BYTES:
            size, place = _varint(data, place)
        elif encoding in (FIXED32, FIXED64):
            size = 4 if encoding == FIXED32 else 8
        else:
            raise ValueError(f"field {number} has the unknown encoding {encoding}")
        if size > len(data) - place:
            raise ValueError(f"field {number} ends behind the data")
        yield number, data[place : place + size]
        place += size


def _varint(data: bytes, place: int) -> tuple[int, int]:
    """Return a number, of seven bits a byte, the lowest ones first, and the place behind it."""
    value = 0
    for shift in range(0, MAX_SHIFT + 1, 7):
        if place >= len(data):
            raise ValueError("it ends within a number")
        value |= (data[place] & 0x7F) << shift
        place += 1
        if data[place - 1] < 0x80:
            return value, place
    raise ValueError("a number has more than 64 bits")


def _bytes(value: Any) -> bytes:
    if not isinstance(value, bytes):
        raise TypeError("a number stands where bytes are expected")
    return value


def _number(value: Value) -> int:
    if not isinstance(value, int):
        raise TypeError("bytes stand where a number is expected")
    return value


def _flag(fields: dict[int, Value], number: int, *, default: bool) -> bool:
    return bool(_number(fields.get(number, default)))
