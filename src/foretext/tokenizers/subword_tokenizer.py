"""A tokenizer of the `tokenizers` library as one of ours.

The texts that were encoded last, for who encodes a text twice. A server counts the tokens of a
text before it accepts it, and the model encodes it soon after; a query that is compared with many
texts is encoded with each of them.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property
from itertools import pairwise
from pathlib import Path
from threading import Lock
from types import MappingProxyType
from typing import Any, ClassVar, Protocol, Self

import numpy as np

from foretext.base.errors import CorpusError, SettingError
from foretext.base.files import atomic_file
from foretext.base.parsing import parse_json, read_text
from foretext.corpus.decoding import Form, normalized
from foretext.corpus.pre_tokenizers import HAN
from foretext.corpus.scripts import WITHOUT_BLANKS, script_of
from foretext.shards.portable import Portable
from foretext.tokenizers.base import EncodedBlock, OffsetIds, Tokenizer, WordIds, library_errors
from foretext.tokenizers.forms import composing, without_form
from foretext.tokenizers.laid_texts import LaidTexts, lay_texts
from foretext.tokenizers.special_tokens import SpecialTokens, ordinary_tokens
from foretext.tokenizers.word_encoder import WordEncoder
from foretext.tokenizers.word_marks import WordMarks
from tokenizers import Encoding, decoders, models
from tokenizers import Tokenizer as LibraryTokenizer

__all__ = ["RecentTexts", "SubwordTokenizer", "without_blanks"]

MANY = 1 << 14  # characters from which a table of words is faster
GAPS = 1 << 20  # ids without a token that a vocabulary may have
CANNOT_ENCODE = "This tokenizer cannot encode the text; it is damaged, or the text is not Unicode"

_LETTERS = f"{HAN}\u3000-\u30ff\uff00-\uffef"  # with their punctuation, and kana
_BETWEEN = re.compile(f"(?<=[{_LETTERS}]) (?=[{_LETTERS}])")

Encode = Callable[[Sequence[str]], list[list[int]]]

MAX_WORDS = 1 << 20  # known at a time


class SubwordTokenizer(Tokenizer):
    """Text to ids and back, by a `tokenizers.Tokenizer`.

    Encoding adds no `[CLS]` or `[SEP]`: `Framing` does that.

    Attributes:
        library: the tokenizer of the library, which must not change any more.
        ends: ids of the first and last token of a text by their names in `SpecialTokens`, where
            the folder of a model says others than the names of the tokens do; its own template is
            the right one then.
    """

    kind = "subwords"
    counts_words: ClassVar[bool] = False  # whether it learns from counts, which `shards` can give
    examples: ClassVar[str] = "foretext.tokenizers.showing:show_cuts"  # what shows how it learns
    plans_vocabulary: ClassVar[bool] = True  # whether a plan may choose `vocab_size`, by the text

    def __init__(
        self, library: LibraryTokenizer, ends: Mapping[str, int] = MappingProxyType({})
    ) -> None:
        self.library = library
        self.ends = dict(ends)
        self._recent: RecentTexts | None = None

    @cached_property
    def form(self) -> Form:
        """The Unicode normal form that texts are brought into first."""
        return without_form(self.library.normalizer)[0]

    def composing(self, form: Form) -> Self:
        """Return the same tokens, for text that is brought into a normal form.

        The normaliser of the library does it, so that `transformers` does it too, and each token
        still knows the characters of the text as it was given.
        """
        library = composing(self.library, form)
        return self if library is self.library else type(self)(library, self.ends)

    @staticmethod
    def learned_bytes(config: Any, sample: str) -> float | None:
        """Return how many bytes of a text like `sample` it learns from, at most; None: all.

        Args:
            config: of the tokenizer.
            sample: the beginning of a text.
        """
        return None

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
        """Tokens by id, as the library writes them; "" for an id without a token."""
        ids = self.library.get_vocab()
        tokens = [""] * (max(ids.values()) + 1)
        for token, index in ids.items():
            tokens[index] = token
        return tokens

    @cached_property
    def special(self) -> SpecialTokens:
        """Ids of `[CLS]`, `[MASK]` and so on."""
        special, ends = SpecialTokens.of(self.library), self.ends
        return special._replace(
            start=ends.get("start", special.start), end=ends.get("end", special.end)
        )

    @cached_property
    def between(self) -> list[int]:
        """Ids between the two texts of a pair: ``[SEP]``, or ``</s></s>`` in RoBERTa's template."""
        once = super().between
        alone, pair = self.library.encode("").ids, self.library.encode("", "").ids
        has_two = len(pair) - len(alone) == 2 and pair[-3:-1] == 2 * once
        return 2 * once if has_two else once

    @property
    def prefix(self) -> list[int]:
        """Ids that the tokenizer's own template puts before a text, such as Llama's ``<s>``."""
        special = self.special
        openers = [special.start, special.cls]
        return [token for token in self.library.encode("").ids if token in openers]

    @property
    def cls_at_end(self) -> bool:
        """Whether the tokenizer's own template puts `[SEP] [CLS]` behind a text, as XLNet's."""
        special = self.special
        found: list[int | None] = [*self.library.encode("").ids]
        return special.cls is not None and found == [special.sep, special.cls]

    @cached_property
    def ordinary(self) -> np.ndarray:
        """(V,) bool, the tokens that stand for text."""
        return ordinary_tokens(self.library, self.tokens)

    @cached_property
    def word_marks(self) -> WordMarks:
        """Which tokens begin a word, and which end one.

        Raises:
            SettingError: the tokenizer does not mark where words begin.
        """
        return WordMarks.of(self.library, self.tokens)

    @property
    def word_starts(self) -> np.ndarray:
        """(V,) bool, the tokens that begin a word after any other token.

        `word_marks.starts` finds more: a word begins after a bracket, too.

        Raises:
            SettingError: the tokenizer marks no words, or only their ends.
        """
        opens = self.word_marks.opens
        if not opens.any():
            raise SettingError(
                "This tokenizer marks only the ends of words; mask tokens instead of whole "
                "words, or learn a wordpiece or byte-level bpe tokenizer."
            )
        return opens

    @cached_property
    def fingerprint(self) -> str:
        """Hexadecimal digest of all rules and tokens: equal ids for equal fingerprints."""
        rules = parse_json(self.library.to_str(), "The tokenizer", CorpusError)
        del rules["post_processor"]  # the template does not change ids
        return hashlib.sha256(json.dumps(rules).encode()).hexdigest()[:32]

    @property
    def portable(self) -> Portable | None:
        """What makes an equal one in another process."""
        return Portable(f"{__name__}:SubwordTokenizer.made", self.library.to_str())

    @classmethod
    def made(cls, settings: str) -> SubwordTokenizer:
        """Return the one that `portable` stands for."""
        return cls(LibraryTokenizer.from_str(settings))

    def opened(self) -> Tokenizer:
        """Return what encodes some texts with ids of their own for unknown words."""
        from foretext.tokenizers.open_vocabulary import OpenVocabulary

        return OpenVocabulary(self)

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text."""
        with library_errors(CANNOT_ENCODE):
            return self.library.encode(text, add_special_tokens=False).ids

    def encode_batch(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the ids of each text; the library uses several threads."""
        return (
            self._encode_batch(texts) if self._recent is None else self._recent.encode_batch(texts)
        )

    def remember_recent(self, max_characters: int) -> None:
        """Encode a text only once that comes again soon."""
        self._recent = RecentTexts(self._encode_batch, max_characters)

    def _encode_batch(self, texts: Sequence[str]) -> list[list[int]]:
        with library_errors(CANNOT_ENCODE):
            encodings = self.library.encode_batch_fast(list(texts), add_special_tokens=False)
        return [encoding.ids for encoding in encodings]

    def lay_texts(self, texts: Sequence[str]) -> LaidTexts:
        """Return the ids of many texts end to end, several times as fast as `encode_batch`.

        Threads may share the tokenizer.
        """
        with library_errors(CANNOT_ENCODE):
            return lay_texts(texts, self._word_encoder, self.encode_batch)

    def encode_words(self, sentences: Sequence[Sequence[str]]) -> list[WordIds]:
        """Return the sub-words of each word, the unknown token for a word that has none."""
        return self._split_words.encode(sentences)

    def encode_with_offsets(self, texts: Sequence[str]) -> list[OffsetIds]:
        """Return the ids of each text with the characters that they stand for."""
        given = [normalized(text, self.form) for text in texts]
        encodings = self._encodings([each.text for each in given])
        return [OffsetIds.of(*pair) for pair in zip(encodings, given, strict=True)]

    def _encodings(self, texts: list[str]) -> list[Encoding]:
        with library_errors(CANNOT_ENCODE):
            found: list[Encoding] = self.library.encode_batch(texts, add_special_tokens=False)
        return found

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of some ids, special tokens too."""
        with library_errors("This tokenizer cannot decode the ids; it is damaged"):
            text = self.library.decode(list(ids), skip_special_tokens=False)
        return without_blanks(text) if self._joins_by_blanks else text

    def encode_block(self, text: str) -> EncodedBlock:
        """Return ids of a text where "\\n" ends a sentence and "\\n\\n" a document.

        Each sentence is encoded separately; line ends have no ids. Threads may share the tokenizer.
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
    def _joins_by_blanks(self) -> bool:
        """Whether decoding puts blanks between words, in place of those that the text had."""
        decoder = self.library.decoder
        return decoder is None or isinstance(decoder, decoders.WordPiece)

    @cached_property
    def _split_words(self) -> _SplitWords:
        unknown = self.special.unknown
        return _SplitWords(self.encode_batch, self.pad if unknown is None else unknown)

    @cached_property
    def _word_encoder(self) -> WordEncoder | None:
        return WordEncoder.of(self.library)

    def _encode_by_library(self, text: str) -> EncodedBlock:
        """The same, with the starts of sentences and documents that have no ids."""
        sentences: list[str] = []
        opens: list[int] = []  # index of the first sentence of each document
        for document in text.split("\n\n"):
            opens.append(len(sentences))
            sentences += [line for line in document.split("\n") if line]
        encoded = self.encode_batch(sentences)
        starts = np.cumsum([0, *map(len, encoded)])
        ids = np.fromiter((i for sentence in encoded for i in sentence), np.uint32, starts[-1])
        return EncodedBlock(ids, starts, starts[opens])

    def save(self, path: Path) -> None:
        """Write a tokenizer.json, which `tokenizers` and `transformers` open, with equal ids.

        Raises:
            OutputError: the file cannot be written.
        """
        with atomic_file(path) as temporary:
            temporary.write_text(self.library.to_str(pretty=True), encoding="utf-8", newline="\n")

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read any tokenizer.json; its truncation and padding are removed.

        Raises:
            CorpusError: the file is missing, or is not a tokenizer.
        """
        content = read_text(path, CorpusError)
        with library_errors(f"{path} cannot be read as a tokenizer"):
            return cls.checked(LibraryTokenizer.from_str(content), path)

    @classmethod
    def checked(cls, library: LibraryTokenizer, path: Path) -> Self:
        """Return the tokenizer of a file; its truncation and padding are removed.

        Args:
            library: what was read.
            path: of its file, for errors.

        Raises:
            CorpusError: it has no tokens, ids far above their number, or cannot be used.
        """
        library.no_truncation()
        library.no_padding()
        ids = library.get_vocab().values()
        if not ids or max(ids) >= len(ids) + GAPS:
            raise CorpusError(
                f"{path} is not a tokenizer of a model: it has {len(ids):,} tokens with ids up to "
                f"{max(ids, default=0):,}; download it again."
            )
        with library_errors(f"{path} cannot be used as a tokenizer"):
            library.encode("")
        return cls(library)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self  # it never changes, so that copies of a network share it

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SubwordTokenizer):
            return NotImplemented
        return self.library.to_str() == other.library.to_str()

    __hash__ = None  # type: ignore[assignment]


def _distinct(starts: np.ndarray, num_ids: int) -> np.ndarray:
    """The starts of sentences or documents that have ids."""
    starts = np.unique(starts)
    return starts[starts < num_ids].astype(np.int64)


def without_blanks(text: str) -> str:
    """Return a text without the blanks that stand between two letters of such a script.

    A decoder that joins words by blanks puts them there, not the author of the text.
    """
    return _BETWEEN.sub("", text)


class RecentTexts:
    """Encodes texts, and remembers the latest; threads may share it.

    Args:
        encode: gives the ids of each text.
        max_characters: of the texts that are remembered; a longer text is not.
    """

    def __init__(self, encode: Encode, max_characters: int) -> None:
        self._encode = encode
        self._max_characters = max_characters
        self._ids: dict[str, list[int]] = {}  # the oldest first
        self._num_characters = 0
        self._lock = Lock()  # of the two

    def encode_batch(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the ids of each text, in lists of the caller's own."""
        with self._lock:
            found = {text: self._ids[text] for text in texts if text in self._ids}
        new = [text for text in dict.fromkeys(texts) if text not in found]
        encoded = dict(zip(new, self._encode(new), strict=True)) if new else {}
        with self._lock:
            for text, ids in encoded.items():
                self._remember(text, ids)
        found |= encoded
        return [list(found[text]) for text in texts]

    def _remember(self, text: str, ids: list[int]) -> None:
        if text in self._ids or len(text) > self._max_characters:  # another thread may be faster
            return
        self._ids[text] = ids
        self._num_characters += len(text)
        while self._num_characters > self._max_characters:
            oldest = next(iter(self._ids))
            del self._ids[oldest]
            self._num_characters -= len(oldest)


class _Encoder(Protocol):
    def __call__(self, texts: Sequence[str]) -> list[list[int]]: ...


class _SplitWords:
    """The sub-words of each word; a word that occurred before is looked up.

    A word that follows another has a blank before it, because byte-level tokenizers mark words
    within a text so; scripts without blanks have none. WordPiece ignores the blank.

    Args:
        encode: returns the ids of each text.
        nothing: id of a word that has no ids.
    """

    def __init__(self, encode: _Encoder, nothing: int) -> None:
        self._encode = encode
        self._nothing = [nothing]
        self._known: dict[str, list[int]] = {}

    def encode(self, sentences: Sequence[Sequence[str]]) -> list[WordIds]:
        """Return one id or more for each word."""
        written = [_with_blanks(words) for words in sentences]
        self._learn({word for words in written for word in words})
        return [[self._known[word] for word in words] for words in written]

    def _learn(self, words: set[str]) -> None:
        if len(self._known) + len(words) > MAX_WORDS:
            self._known = {}
        new = [word for word in words if word not in self._known]
        for word, ids in zip(new, self._encode(new), strict=True):
            self._known[word] = ids or self._nothing


def _with_blanks(words: Sequence[str]) -> list[str]:
    written = list(words[:1])
    for before, word in pairwise(words):
        joins = _is_without_blanks(before[-1:]) or _is_without_blanks(word[:1])
        written.append(word if joins else f" {word}")
    return written


@cache
def _is_without_blanks(character: str) -> bool:
    """Whether a character, "" or one, is of a script that has no blanks."""
    return bool(character) and script_of(character) in WITHOUT_BLANKS
