"""Special tokens: the purpose of each, by its name in published models."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import count
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from foretext.base.errors import SettingError
from foretext.base.parsing import parse_json

if TYPE_CHECKING:
    from tokenizers import Tokenizer

__all__ = ["UNKNOWN_NAMES", "SpecialTokens", "ordinary_tokens", "sentinel_name"]

UNKNOWN_NAMES = ("[UNK]", "<unk>")

NAMES = {  # the first name that a tokenizer has counts
    "pad": ("[PAD]", "<pad>", "<|pad|>"),
    "unknown": UNKNOWN_NAMES,
    "cls": ("[CLS]", "<cls>", "<s>"),
    "sep": ("[SEP]", "<sep>", "</s>"),
    "mask": ("[MASK]", "<mask>"),
    "start": ("<|startoftext|>", "<|endoftext|>", "<s>", "[BOS]", "<eos>"),
    "end": ("<|endoftext|>", "</s>", "[EOS]", "<eos>"),
}
RESERVED = re.compile(r"\[unused\d+\]")  # reserved in BERT's vocabularies
BLANK = "▁"  # mT5 writes it before each sentinel
OF_UER = "extra"  # sentinels of T5 with BERT's vocabulary: extra0, extra1, and so on
LEAST_OF_UER = 20  # fewer are words of a text


class SpecialTokens(NamedTuple):
    """Ids of the special tokens; None for those that a tokenizer does not have."""

    pad: int | None = None
    unknown: int | None = None
    cls: int | None = None  # first token of an input
    sep: int | None = None  # last token of each of its texts
    mask: int | None = None
    start: int | None = None  # first token of a text
    end: int | None = None  # last token of a text
    sentinels: tuple[int, ...] = ()  # stand for the first hidden span, the second, and so on

    @property
    def ids(self) -> frozenset[int]:
        """The ids of all of them."""
        *named, sentinels = self
        return frozenset(each for each in (*named, *sentinels) if each is not None)

    def required(self, task: str) -> int:
        """Return the id of a special token.

        Raises:
            SettingError: the tokenizer has no such token.
        """
        found: int | None = getattr(self, task)
        if found is None:
            names = " or ".join(NAMES[task])
            raise SettingError(
                f"The tokenizer has no {task} token ({names}), but this objective needs one; add "
                f"'{NAMES[task][0]}' to the special_tokens of the section [tokenizer]."
            )
        return found

    @classmethod
    def of(cls, library: Tokenizer) -> Self:
        """Find BERT's `[CLS]`, RoBERTa's `<s>`, GPT-2's `<|endoftext|>` and so on."""
        ids = _special_ids(library)
        found = {
            task: next((ids[name] for name in names if name in ids), None)
            for task, names in NAMES.items()
        }
        unknown = _unknown_id(library)
        if unknown is not None:
            found["unknown"] = unknown
        return cls(**found, sentinels=_sentinels(library))


def sentinel_name(number: int) -> str:
    """Return the token that stands for a hidden span, numbered from 0 (Raffel et al. 2020)."""
    return f"<extra_id_{number}>"


def ordinary_tokens(library: Tokenizer, tokens: Sequence[str]) -> np.ndarray:
    """(V,) bool, the tokens that stand for text: not special, unknown or reserved."""
    ordinary = np.array([token != "" and not RESERVED.fullmatch(token) for token in tokens])
    ordinary[list(_special_ids(library).values())] = False
    ordinary[list(_sentinels(library))] = False
    if (unknown := _unknown_id(library)) is not None:
        ordinary[unknown] = False
    return ordinary


def _special_ids(library: Tokenizer) -> dict[str, int]:
    added = library.get_added_tokens_decoder()
    return {token.content: index for index, token in added.items() if token.special}


def _sentinels(library: Tokenizer) -> tuple[int, ...]:
    """The ids of the sentinels, special or not, as far as they are numbered without a gap."""
    of_t5 = _numbered(library, lambda n: (sentinel_name(n), BLANK + sentinel_name(n)))
    if of_t5:
        return of_t5
    of_uer = _numbered(library, lambda n: (f"{OF_UER}{n}",))
    return of_uer if len(of_uer) >= LEAST_OF_UER else ()


def _numbered(library: Tokenizer, names: Callable[[int], Sequence[str]]) -> tuple[int, ...]:
    """The ids of tokens by number; each may have several names."""
    found: list[int] = []
    for number in count():
        ids = [library.token_to_id(name) for name in names(number)]
        present = [index for index in ids if index is not None]
        if not present:
            break
        found.append(present[0])
    return tuple(found)


def _unknown_id(library: Tokenizer) -> int | None:
    """The id of text that has no token."""
    if hasattr(library.model, "unk_token"):  # foreign: of tokenizers
        name = library.model.unk_token
        return None if name is None else library.token_to_id(name)
    model = parse_json(library.model.__getstate__(), "The tokenizer's model", SettingError)
    unknown: int | None = model["unk_id"]
    return unknown
