"""A sub-word tokenizer in use: the `tokenizers` library behind the verbs of our own tokenizers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Self

import numpy as np

from foretext.errors import CorpusError, SettingError
from foretext.files import atomic_file
from foretext.parsing import parse_json, read_text
from foretext.tokenizers.base import EncodedBlock, OffsetIds, Tokenizer, WordIds
from foretext.tokenizers.library_errors import library_errors
from foretext.tokenizers.special_tokens import SpecialTokens, ordinary_tokens
from foretext.tokenizers.split_words import SplitWords
from foretext.tokenizers.word_encoder import WordEncoder
from foretext.tokenizers.word_marks import WordMarks
from tokenizers import Tokenizer as LibraryTokenizer
from tokenizers import models, processors

__all__ = [
    "DEFAULT_SPECIAL_TOKENS",
    "UNKNOWN",
    "SubwordTokenizer",
    "with_bert_template",
    "with_special_tokens",
]

UNKNOWN = "[UNK]"
MANY = 1 << 14  # characters from which a table of words pays
GAPS = 1 << 20  # ids without a token that a vocabulary may have
CANNOT_ENCODE = "This tokenizer cannot encode the text; it is damaged, or the text is no Unicode"
DEFAULT_SPECIAL_TOKENS = ["[PAD]", UNKNOWN, "[CLS]", "[SEP]", "[MASK]"]


class SubwordTokenizer(Tokenizer):
    """Text to ids and back, by a `tokenizers.Tokenizer`.

    No `[CLS]` or `[SEP]` is added when encoding; whoever builds examples does that.

    Attributes:
        library: the tokenizer of the library; not to be changed once this one was used.
    """

    kind = "subwords"

    def __init__(self, library: LibraryTokenizer) -> None:
        self.library = library

    @property
    def vocab_size(self) -> int:
        """One more than the largest id."""
        return len(self.tokens)

    @property
    def expects_unknown(self) -> bool:
        """Whether rare words are left out, so that unknown tokens are normal."""
        return isinstance(self.library.model, models.WordLevel)

    @cached_property
    def tokens(self) -> list[str]:
        """Tokens by id, as the library writes them; "" for an id that has none."""
        ids = self.library.get_vocab()
        tokens = [""] * (max(ids.values()) + 1)
        for token, index in ids.items():
            tokens[index] = token
        return tokens

    @cached_property
    def special(self) -> SpecialTokens:
        """Ids of `[CLS]`, `[MASK]` and their like, by task."""
        return SpecialTokens.of(self.library)

    @property
    def prefix(self) -> list[int]:
        """Ids that the tokenizer's own template puts before a text, such as Llama's ``<s>``."""
        special = self.special
        openers = [special.start, special.cls]
        return [token for token in self.library.encode("").ids if token in openers]

    @cached_property
    def ordinary(self) -> np.ndarray:
        """(V,) bool, the tokens that stand for text."""
        return ordinary_tokens(self.library, self.tokens)

    @cached_property
    def word_marks(self) -> WordMarks:
        """Which tokens open a word, and which close one.

        Raises:
            SettingError: the tokenizer leaves no mark of where words begin.
        """
        return WordMarks.of(self.library, self.tokens)

    @property
    def word_starts(self) -> np.ndarray:
        """(V,) bool, the tokens that open a word whatever stands before them.

        `word_marks.starts` sees more: that a word begins after a bracket, too.

        Raises:
            SettingError: the tokenizer marks no words, or their ends alone.
        """
        opens = self.word_marks.opens
        if not opens.any():
            raise SettingError(
                "This tokenizer marks the ends of words alone; mask tokens instead of whole "
                "words, or learn one of kind wordpiece or byte-level bpe."
            )
        return opens

    @cached_property
    def fingerprint(self) -> str:
        """Hexadecimal digest of all rules and tokens: equal ids for equal fingerprints."""
        rules = parse_json(self.library.to_str(), "The tokenizer", CorpusError)
        del rules["post_processor"]  # what stands around a text has no part in its ids
        return hashlib.sha256(json.dumps(rules).encode()).hexdigest()[:32]

    def encode(self, text: str) -> list[int]:
        """Ids of the tokens of `text`."""
        with library_errors(CANNOT_ENCODE):
            return self.library.encode(text, add_special_tokens=False).ids

    def encode_batch(self, texts: Sequence[str]) -> list[list[int]]:
        """Ids of each text; the library works on several at a time."""
        with library_errors(CANNOT_ENCODE):
            encodings = self.library.encode_batch_fast(list(texts), add_special_tokens=False)
        return [encoding.ids for encoding in encodings]

    def encode_words(self, sentences: Sequence[Sequence[str]]) -> list[WordIds]:
        """Return the sub-words of each word, the unknown token for a word that has none."""
        return self._split_words.encode(sentences)

    def encode_with_offsets(self, texts: Sequence[str]) -> list[OffsetIds]:
        """Return the ids of each text with the characters that they stand for."""
        with library_errors(CANNOT_ENCODE):
            encodings = self.library.encode_batch(list(texts), add_special_tokens=False)
        return [
            OffsetIds(
                np.array(encoding.ids, np.int32),
                np.array(encoding.offsets, np.int32).reshape(-1, 2),
            )
            for encoding in encodings
        ]

    def decode(self, ids: Iterable[int]) -> str:
        """Text of the tokens, special ones too."""
        with library_errors("This tokenizer cannot decode the ids; it is damaged"):
            return self.library.decode(list(ids), skip_special_tokens=False)

    def encode_block(self, text: str) -> EncodedBlock:
        """Ids, sentences and documents of a text where "\\n" ends a sentence, "\\n\\n" a document.

        Each sentence is encoded by itself; line ends get no id. Threads may share the tokenizer.
        """
        block = None
        if len(text) >= MANY and self._word_encoder is not None:
            with library_errors(CANNOT_ENCODE):
                block = self._word_encoder.encode(text)
        if block is None:
            block = self._encode_by_library(text)
        ids, sentences, documents = block
        return EncodedBlock(ids, _distinct(sentences, ids.size), _distinct(documents, ids.size))

    @cached_property
    def _split_words(self) -> SplitWords:
        unknown = self.special.unknown
        return SplitWords(self.encode_batch, self.pad if unknown is None else unknown)

    @cached_property
    def _word_encoder(self) -> WordEncoder | None:
        return WordEncoder.of(self.library)

    def _encode_by_library(self, text: str) -> EncodedBlock:
        """The same, with the starts of what has no ids."""
        sentences: list[str] = []
        opens: list[int] = []  # index of the sentence that opens a document
        for document in text.split("\n\n"):
            opens.append(len(sentences))
            sentences += [line for line in document.split("\n") if line]
        encoded = self.encode_batch(sentences)
        starts = np.cumsum([0, *map(len, encoded)])
        ids = np.fromiter((i for sentence in encoded for i in sentence), np.uint32, starts[-1])
        return EncodedBlock(ids, starts, starts[opens])

    def save(self, path: Path) -> None:
        """Write a tokenizer.json, which `tokenizers` and `transformers` open with equal ids."""
        with atomic_file(path) as temporary:
            temporary.write_text(self.library.to_str(pretty=True), encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a tokenizer.json, ours or anybody's; lengths it cuts or fills up to are dropped.

        Raises:
            CorpusError: the file is not there or no tokenizer.
        """
        content = read_text(path, CorpusError)
        with library_errors(f"{path} cannot be read as a tokenizer"):
            return cls.checked(LibraryTokenizer.from_str(content), path)

    @classmethod
    def checked(cls, library: LibraryTokenizer, path: Path) -> Self:
        """Take what was read from a file; lengths it cuts or fills up to are dropped.

        Raises:
            CorpusError: it has no tokens, has ids far above their number, or cannot be used.
        """
        library.no_truncation()
        library.no_padding()
        ids = library.get_vocab().values()
        if not ids or max(ids) >= len(ids) + GAPS:
            raise CorpusError(
                f"{path} is no tokenizer of a model: it has {len(ids):,} tokens with ids up to "
                f"{max(ids, default=0):,}; fetch it again."
            )
        with library_errors(f"{path} cannot be used as a tokenizer"):
            library.encode("")
        return cls(library)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SubwordTokenizer):
            return NotImplemented
        return self.library.to_str() == other.library.to_str()

    __hash__ = None  # type: ignore[assignment]


def with_special_tokens(
    library: LibraryTokenizer, special_tokens: Sequence[str]
) -> LibraryTokenizer:
    """Tell the library which tokens of the vocabulary are special: found in text as they stand."""
    library.add_special_tokens(list(special_tokens))
    return library


def with_bert_template(library: LibraryTokenizer) -> LibraryTokenizer:
    """Put ``[CLS]`` and ``[SEP]`` around texts, where the vocabulary has both."""
    ids = {token: library.token_to_id(token) for token in ("[CLS]", "[SEP]")}
    if None not in ids.values():
        library.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]",
            pair="[CLS] $A [SEP] $B:1 [SEP]:1",
            special_tokens=list(ids.items()),
        )
    return library


def _distinct(starts: np.ndarray, num_ids: int) -> np.ndarray:
    """Starts of what has any ids."""
    starts = np.unique(starts)
    return starts[starts < num_ids].astype(np.int64)
