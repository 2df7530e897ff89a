"""What every tokenizer is, of whole words or of sub-words: text in, ids out, one file to keep."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import CorpusError, ForetextError, SettingError, is_panic
from foretext.corpus.blocks import Blocks
from foretext.corpus.decoding import Form, Normalized
from foretext.shards.portable import Portable
from foretext.tokenizers.special_tokens import SpecialTokens

if TYPE_CHECKING:
    from tokenizers import Encoding

__all__ = ["EncodedBlock", "OffsetIds", "Tokenizer", "WordIds", "library_errors"]

WordIds = list[list[int]]  # one id or more for each word of a sentence


class EncodedBlock(NamedTuple):
    """Ids of a text of several documents; the starts are indices into `ids`, the first is 0."""

    ids: np.ndarray  # (N,) uint32
    sentence_starts: np.ndarray  # (S,) int64
    document_starts: np.ndarray  # (documents,) int64


class OffsetIds(NamedTuple):
    """Ids of a text, and the characters that each one stands for."""

    ids: NDArray[np.int32]  # (T,)
    offsets: NDArray[np.int32]  # (T, 2) first character, and the one after the last

    @classmethod
    def of(cls, encoding: Encoding, given: Normalized) -> Self:
        """Return what an encoding of the library `tokenizers` says.

        Args:
            encoding: of a text in a normal form.
            given: the text as it was given, which the characters are those of.
        """
        spans = encoding.offsets
        if not given.is_as_given:
            spans = [given.span(*offsets) for offsets in spans]
        return cls(np.array(encoding.ids, np.int32), np.array(spans, np.int32).reshape(-1, 2))


class Tokenizer(ABC):
    """Text to ids and back. No special tokens are added around a text: see `Framing`.

    Attributes:
        kind: what `config.json` of a task says, so that the folder opens with the same class.
    """

    kind: ClassVar[Literal["words", "subwords"]]

    @staticmethod
    def resolved(config: Any, corpus: Blocks) -> Any:
        """Return the settings of its `Config` with a value for each that the text decides.

        These are settings such as ``lowercase = "auto"``; only the beginning of `corpus` is read.

        Args:
            config: of the tokenizer.
            corpus: the text.
        """
        return config

    @property
    @abstractmethod
    def form(self) -> Form:
        """The Unicode normal form that texts are brought into first."""

    @abstractmethod
    def composing(self, form: Form) -> Self:
        """Return one with equal tokens that brings each text into a Unicode normal form first.

        So text in any form has the ids of the text that it learned from.

        Args:
            form: of the text that it, or a model with it, has learned from; "none": as it is.
        """

    @property
    def expects_unknown(self) -> bool:
        """Whether unknown tokens are normal, because rare words are left out.

        Where they are not, many of them mean that the tokenizer learned from other text.
        """
        return False

    @property
    @abstractmethod
    def vocab_size(self) -> int:
        """One more than the largest id."""

    @property
    @abstractmethod
    def tokens(self) -> Sequence[str]:
        """Tokens by id."""

    @property
    @abstractmethod
    def fingerprint(self) -> str:
        """Hexadecimal digest of all rules and tokens: equal ids for equal fingerprints."""

    @property
    @abstractmethod
    def special(self) -> SpecialTokens:
        """Ids of `[CLS]`, `[MASK]` and their like, by task."""

    @property
    def portable(self) -> Portable | None:
        """What makes an equal one in another process; None: only this process encodes."""
        return None

    @property
    def is_in_library(self) -> bool:
        """Whether the `tokenizers` library gives the same ids by the file that `save` writes."""
        return True

    @property
    def word_rules(self) -> Mapping[str, Any] | None:
        """The rules for looking up a whole word, as JSON has them; None: words are cut."""
        return None

    @property
    def pad(self) -> int:
        """The id that fills rows up; 0 where no token is for that."""
        return self.special.pad or 0

    @property
    def between(self) -> list[int]:
        """Ids between the two texts of a pair: ``[SEP]``, or ``</s></s>`` in RoBERTa's template."""
        return [] if self.special.sep is None else [self.special.sep]

    @property
    def prefix(self) -> list[int]:
        """Ids that the tokenizer's own template puts before a text, such as Llama's ``<s>``."""
        return []

    @property
    def cls_at_end(self) -> bool:
        """Whether the tokenizer's own template puts `[SEP] [CLS]` behind a text, as XLNet's."""
        return False

    @property
    def spelling(self) -> NDArray[np.uint8] | None:
        """How the words are spelled that have ids from V on, (U, K); None: there are none."""
        return None

    def opened(self) -> Tokenizer:
        """Return what encodes some texts with ids of their own for unknown words, if it can."""
        return self

    @abstractmethod
    def encode(self, text: str) -> list[int]:
        """Return the ids of a text."""

    def encode_batch(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the ids of each text."""
        return [self.encode(text) for text in texts]

    def remember_recent(self, max_characters: int) -> None:
        """Encode a text only once that comes again soon, where encoding takes long.

        Args:
            max_characters: of the texts that are remembered.
        """
        return

    @abstractmethod
    def encode_words(self, sentences: Sequence[Sequence[str]]) -> list[WordIds]:
        """Return the ids of sentences that are split into words already, at least one a word."""

    @abstractmethod
    def encode_block(self, text: str) -> EncodedBlock:
        """Return ids of a text where "\\n" ends a sentence and "\\n\\n" a document.

        Threads may share the tokenizer.
        """

    def encode_with_offsets(self, texts: Sequence[str]) -> list[OffsetIds]:
        """Return the ids of each text with the characters that they stand for.

        Raises:
            SettingError: this kind of tokenizer does not know them.
        """
        raise SettingError(
            f"A tokenizer of {self.kind} does not know which characters its tokens stand for; "
            "take a base with a sub-word tokenizer."
        )

    @abstractmethod
    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of some ids."""

    @abstractmethod
    def save(self, path: Path) -> None:
        """Write a tokenizer.json, which the library `tokenizers` opens too.

        Raises:
            OutputError: the file cannot be written.
        """


@contextmanager
def library_errors(what: str) -> Iterator[None]:
    """Raise a CorpusError instead of the library's own errors; its message begins with `what`.

    The library raises no subclass of `Exception`. A damaged tokenizer can also make it panic,
    which is a `BaseException` in Python.
    """
    try:
        yield
    except ForetextError:
        raise
    except Exception as error:
        raise CorpusError(f"{what} ({error}).") from error
    except BaseException as error:
        if not is_panic(error):
            raise
        raise CorpusError(f"{what} ({error}).") from error
