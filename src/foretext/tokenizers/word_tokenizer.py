"""Whole words as tokens, for word vectors: learned by counting, encoded by one kernel.

``vocabulary.tsv``: a line with the settings of a word tokenizer, then words and their counts. In
a spreadsheet a cell that begins with ``=`` is a formula, and one that begins with a quotation
mark can continue over lines. So such words get an apostrophe before them. The second cell of the
first line says so; files without it are older and contain words unchanged.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

import numpy as np
from pydantic import BeforeValidator, Field

from foretext.base.config import Config as BaseConfig
from foretext.base.errors import CorpusError, SettingError
from foretext.base.files import atomic_file
from foretext.base.parsing import parse_json, read_text
from foretext.corpus.blocks import Advance, Blocks
from foretext.corpus.counts import count_words
from foretext.corpus.decoding import Form, normalize, normalized
from foretext.corpus.pre_tokenizers import PreTokenizer, PreTokenizerKind, likely_kind
from foretext.corpus.text_shards import TextShards
from foretext.corpus.word_table import WordTable, new_scratch
from foretext.kernels.word_table import MAX_WORD_BYTES
from foretext.kernels.words import encode_words
from foretext.shards.portable import Portable
from foretext.tokenizers.base import EncodedBlock, OffsetIds, Tokenizer, WordIds
from foretext.tokenizers.special_tokens import SpecialTokens
from foretext.tokenizers.vocabulary import UNKNOWN, Vocabulary

if TYPE_CHECKING:
    from tokenizers import Tokenizer as LibraryTokenizer

__all__ = ["COUNTS_FILE", "WordTokenizer", "read_vocabulary", "write_vocabulary"]

COUNTS_FILE = "vocabulary.tsv"
SAMPLE = 1 << 16  # characters that show the script

QUOTED = "words after '"  # the mark
LARGEST = 1 << 30  # bytes of the file
MOST = 2**63 - 1  # occurrences in all
UNCUT = "whitespace"  # the kind that leaves symbols within words
_FORMULA = tuple("=+-@\t\r\"'")  # with the apostrophe itself, so that reading can remove it


def _as_words(given: Any) -> Any:
    """Take one word for several, and the list that TOML has."""
    return (
        (given,) if isinstance(given, str) else tuple(given) if isinstance(given, list) else given
    )


_Words = Annotated[tuple[str, ...], BeforeValidator(_as_words)]


class WordTokenizer(Tokenizer):
    """A pre-tokeniser and a vocabulary of whole words; other words have id 0.

    Id 0 is also the padding; there are no special tokens.

    Args:
        config: with the kind of pre-tokeniser.
        vocabulary: the words.
        segmented: whether Chinese words have blanks between them already.
        form: the Unicode normal form of the words, which texts are brought into.
        edition: of the rules by which words are cut; None: the newest.
    """

    kind = "words"

    class Config(BaseConfig):
        """Settings of the section `[tokenizer]`."""

        pre_tokenizer: Literal["auto"] | PreTokenizerKind = "auto"
        """What a word is; auto: by the script of the text."""
        lowercase: bool = True
        """Turn texts to lower case."""
        min_count: int = Field(default=5, ge=1)
        """Occurrences that a word needs; rarer ones are unknown."""
        max_vocab_size: int | None = Field(default=None, ge=2)
        """Words, with [UNK], at most; the most frequent stay; none: no limit."""
        unknown_words: _Words = ()
        """Words that stand for unknown ones in the text, such as <unk>; they get no vector."""

    def __init__(
        self,
        config: Config,
        vocabulary: Vocabulary,
        *,
        segmented: bool = False,
        form: Form = "NFC",
        edition: int | None = None,
    ) -> None:
        assert config.pre_tokenizer != "auto", "learn() chooses the kind"
        self.config = config
        self.vocabulary = vocabulary
        self.pre_tokenizer = PreTokenizer(
            config.pre_tokenizer,
            lowercase=config.lowercase,
            segmented=segmented,
            form=form,
            edition=edition,
        )

    @staticmethod
    def resolved(config: Config, corpus: Blocks) -> Config:
        """Return the settings with the kind of pre-tokeniser by the beginning of `corpus`."""
        if config.pre_tokenizer != "auto":
            return config
        kind = likely_kind(next(corpus.blocks(SAMPLE), "")[:SAMPLE])
        return config.model_copy(update={"pre_tokenizer": kind})

    @classmethod
    def learn(
        cls,
        config: Config,
        corpus: Blocks,
        *,
        workers: int = 1,
        progress: Advance | None = None,
        segmented: bool = False,
        shards: TextShards | None = None,
        form: Form = "NFC",
    ) -> WordTokenizer:
        """Count the words of a corpus and keep the frequent ones.

        `progress` advances by the bytes read. The tokenizer's own `config` names the kind of
        pre-tokeniser that "auto" has chosen. With `segmented`, Chinese words have blanks between
        them in the corpus already, and in all that the tokenizer will get. With `shards`, processes
        count. Words are in the Unicode normal `form`.

        Raises:
            CorpusError: no word occurs `min_count` times.
            SettingError: the pre-tokeniser leaves no such word as one of `unknown_words`.
            MissingExtraError: ``chinese_words`` without jieba.
        """
        config = cls.resolved(config, corpus)
        assert config.pre_tokenizer != "auto", "resolved() chooses the kind"
        cut = PreTokenizer(
            config.pre_tokenizer, lowercase=config.lowercase, segmented=segmented, form=form
        )
        unknown = {UNKNOWN, *_unknown_as_cut(config, cut)}
        most = config.max_vocab_size  # [UNK] is one of them, but may stand in the text
        found = count_words(
            corpus,
            cut,
            min_count=config.min_count,
            most_words=None if most is None else most + len(unknown) - 1,
            workers=workers,
            progress=progress,
            shards=shards,
        )
        vocabulary = Vocabulary.of(found, most, unknown=unknown)
        return cls(config, vocabulary, segmented=segmented, form=form)

    @property
    def form(self) -> Form:
        """The Unicode normal form of the words."""
        return self.pre_tokenizer.form

    def composing(self, form: Form) -> Self:
        """Return the same words, for text that is brought into a normal form."""
        if form in ("none", self.form):
            return self
        cut = self.pre_tokenizer
        return type(self)(
            self.config,
            self.vocabulary,
            segmented=cut.segmented,
            form=form,
            edition=cut.edition,
        )

    @property
    def unknown(self) -> set[str]:
        """The words that never get an id of their own."""
        return {UNKNOWN, *_unknown_as_cut(self.config, self.pre_tokenizer)}

    @property
    def vocab_size(self) -> int:
        """Number of words with ids, and ``[UNK]``."""
        return len(self.vocabulary)

    @property
    def tokens(self) -> list[str]:
        """Words by id."""
        return self.vocabulary.words

    @property
    def expects_unknown(self) -> bool:
        """Rare words are left out."""
        return True

    @property
    def is_in_library(self) -> bool:
        """Whether the library has it: it has no jieba."""
        return self.config.pre_tokenizer != "chinese_words"

    @property
    def word_rules(self) -> Mapping[str, Any]:
        """The normal form of words, and whether they are lower-cased, character by character."""
        return {"form": self.form, "lowercase": self.config.lowercase}

    @property
    def special(self) -> SpecialTokens:
        """The unknown word alone."""
        return SpecialTokens(unknown=0)

    @cached_property
    def fingerprint(self) -> str:
        """Hexadecimal digest of the settings and words: equal ids for equal fingerprints."""
        forms = () if self.form == "NFC" else (self.form,)  # as before there were others
        edition = self.pre_tokenizer.edition
        editions = () if edition == 1 else (f"edition {edition}",)
        kind = self.config.pre_tokenizer
        parts = (*editions, *forms, kind, str(self.config.lowercase), *self.vocabulary.words)
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]

    @property
    def portable(self) -> Portable | None:
        """What makes an equal one in another process, without the counts of its words."""
        settings = [self.pre_tokenizer.portable.settings, *self.vocabulary.words]
        return Portable(f"{__name__}:WordTokenizer.made", json.dumps(settings))

    @classmethod
    def made(cls, settings: str) -> WordTokenizer:
        """Return the one that `portable` stands for; its counts are 0."""
        first, *words = parse_json(settings, "the tokenizer", SettingError, list[str])
        cut = PreTokenizer.made(first)
        config = cls.Config(pre_tokenizer=cut.kind, lowercase=cut.lowercase)
        vocabulary = Vocabulary(words, np.zeros(len(words), np.int64))
        return cls(config, vocabulary, segmented=cut.segmented, form=cut.form, edition=cut.edition)

    def words(self, text: str) -> list[str]:
        """Return the words of a text as they are looked up, known or not."""
        return self.pre_tokenizer.words(text)

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text, without its sentences and documents."""
        ids: list[int] = self.encode_block(text).ids.tolist()
        return ids

    def encode_words(self, sentences: Sequence[Sequence[str]]) -> list[WordIds]:
        """Return one id for each word, which is looked up without cutting it."""
        ids = self.vocabulary.ids
        return [[[ids.get(self._key(word), 0)] for word in words] for words in sentences]

    def encode_with_offsets(self, texts: Sequence[str]) -> list[OffsetIds]:
        """Return the ids of each text with the characters that they stand for.

        The library finds them, which gives equal ids and follows each character through all rules.

        Raises:
            SettingError: words are those of jieba, which the library does not have.
        """
        if self.config.pre_tokenizer == "chinese_words":
            raise SettingError(
                "[tokenizer] pre_tokenizer = 'chinese_words' does not say which characters a word "
                "stands for; take 'words_and_punctuation', with a word for each character."
            )
        given = [normalized(text, self.form) for text in texts]
        found = self._library.encode_batch([each.text for each in given])
        return [OffsetIds.of(*pair) for pair in zip(found, given, strict=True)]

    def decode(self, ids: Iterable[int]) -> str:
        """Return the words with spaces between them."""
        return " ".join(self.vocabulary.words[index] for index in ids)

    def encode_block(self, text: str) -> EncodedBlock:
        """Return ids of a text where "\\n" ends a sentence and "\\n\\n" a document.

        Releases the GIL; threads may share the tokenizer.
        """
        data = self.pre_tokenizer.utf8(text)
        ids = np.empty(data.size, np.uint32)
        sentences = np.empty(data.size // 2 + 1, np.int64)
        documents = np.empty_like(sentences)
        num_ids, num_sentences, num_documents = encode_words(
            data,
            self.pre_tokenizer.letters,
            self._table.arrays,
            new_scratch(),
            ids,
            sentences,
            documents,
        )
        return EncodedBlock(
            ids[:num_ids].copy(), sentences[:num_sentences].copy(), documents[:num_documents].copy()
        )

    def save(self, path: Path) -> None:
        """Write a tokenizer.json, and beside it ``vocabulary.tsv`` with settings and counts.

        ``tokenizers.Tokenizer.from_file`` opens the JSON, with equal ids. But the `tokenizers`
        library has no jieba: for ``chinese_words`` it needs text with spaces between the words.
        """
        cut = {"form": self.form, "edition": self.pre_tokenizer.edition}
        settings = json.dumps({**self.config.model_dump(), **cut})
        write_vocabulary(path.with_name(COUNTS_FILE), settings, self.vocabulary)
        with atomic_file(path) as temporary:
            temporary.write_text(self._library_json(), encoding="utf-8", newline="\n")

    @classmethod
    def load(cls, path: Path) -> WordTokenizer:
        """Read what `save` wrote.

        Raises:
            CorpusError: ``vocabulary.tsv`` is missing or damaged.
        """
        path = path.with_name(COUNTS_FILE)
        settings, vocabulary = read_vocabulary(path)
        kept = parse_json(settings, f"{path}, line 1", CorpusError, _Kept)
        config = cls.Config(**kept.model_dump(exclude={"form", "edition"}))
        if config.pre_tokenizer == "auto":
            raise CorpusError(
                f"{path}, line 1: 'auto' is not a pre-tokeniser of learned words; fetch or write "
                "it again."
            )
        if kept.form is None:  # of an earlier version
            return cls(config, vocabulary, form=_form_of(vocabulary), edition=1)
        return cls(config, vocabulary, form=kept.form, edition=kept.edition)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, WordTokenizer):
            return NotImplemented
        return (self.config, self.form, self.pre_tokenizer.edition, self.vocabulary) == (
            other.config,
            other.form,
            other.pre_tokenizer.edition,
            other.vocabulary,
        )

    __hash__ = None  # type: ignore[assignment]

    def _key(self, word: str) -> str:
        """Compose and lower-case as the pre-tokeniser does, character by character."""
        word = normalize(word, self.form)
        return "".join(map(str.lower, word)) if self.config.lowercase else word

    @cached_property
    def _table(self) -> WordTable:
        return WordTable.of(self.vocabulary.words)

    @cached_property
    def _library(self) -> LibraryTokenizer:
        from tokenizers.models import WordLevel

        from tokenizers import Tokenizer as LibraryTokenizer

        library = LibraryTokenizer(WordLevel(self.vocabulary.ids, unk_token=UNKNOWN))
        library.normalizer = self.pre_tokenizer.library_normalizer()
        library.pre_tokenizer = self.pre_tokenizer.library_pre_tokenizer()
        return library

    def _library_json(self) -> str:
        return self._library.to_str(pretty=True)


def _unknown_as_cut(config: WordTokenizer.Config, cut: PreTokenizer) -> list[str]:
    """Return the words that stand for unknown ones, as they are cut out of the text.

    Raises:
        SettingError: one of them is cut into several words, or into none.
    """
    found = []
    for word in config.unknown_words:
        words = cut.words(word)
        if len(words) != 1:
            became = " ".join(words) or "nothing"
            raise SettingError(
                f"[tokenizer] unknown_words: pre_tokenizer = '{cut.kind}' makes {became} of "
                f"'{word}', which is not one word; set tokenizer.pre_tokenizer = '{UNCUT}'."
            )
        found += words
    return found


class _Kept(WordTokenizer.Config):
    """What the first line of ``vocabulary.tsv`` says."""

    form: Form | None = None
    """Normal form of the words; none: they show it, in files of earlier versions."""
    edition: int | None = Field(default=None, ge=1, le=2)
    """Of the rules that cut words; none: the newest."""


def _form_of(vocabulary: Vocabulary) -> Form:
    """Return the normal form that words show: NFC, if all of them are in it."""
    is_composed = all(normalize(word, "NFC") == word for word in vocabulary.words)
    return "NFC" if is_composed else "none"


def write_vocabulary(path: Path, settings: str, vocabulary: Vocabulary) -> None:
    """Write words and counts; `settings` is a line of JSON."""
    lines = [f"# {settings}\t{QUOTED}"]
    pairs = zip(vocabulary.words, vocabulary.counts.tolist(), strict=True)
    lines += [f"{_quoted(word)}\t{count}" for word, count in pairs]
    with atomic_file(path) as temporary:
        temporary.write_bytes("\n".join([*lines, ""]).encode())


def read_vocabulary(path: Path) -> tuple[str, Vocabulary]:
    """Return the settings, as unchecked JSON, and the vocabulary.

    Raises:
        CorpusError: the file is missing or damaged.
    """
    text = read_text(path, CorpusError, largest=LARGEST)
    first, *lines = text.removesuffix("\n").split("\n")
    settings, _, mark = first.removeprefix("# ").partition("\t")
    if mark not in ("", QUOTED):
        raise _damaged(path, 1, f"it says '{mark[:40]}', unknown to this version")
    counts: dict[str, int] = {}
    for number, line in enumerate(lines, 2):
        word, count = _pair(path, number, line)
        word = word.removeprefix("'") if mark else word
        if word in counts:
            raise _damaged(path, number, f"'{word}' occurs twice")
        if len(word.encode()) > MAX_WORD_BYTES:  # counting ignores longer ones
            raise _damaged(path, number, f"a word has {MAX_WORD_BYTES:,} bytes at most")
        counts[word] = count
    if next(iter(counts), None) != UNKNOWN:
        raise _damaged(path, 2, f"{UNKNOWN} must be the first word")
    if sum(counts.values()) > MOST:
        raise CorpusError(f"{path} is damaged: its counts are too large; fetch or write it again.")
    return settings, Vocabulary(list(counts), np.array(list(counts.values()), np.int64))


def _quoted(word: str) -> str:
    return f"'{word}" if word.startswith(_FORMULA) else word


def _pair(path: Path, number: int, line: str) -> tuple[str, int]:
    word, tab, count = line.partition("\t")
    if not tab or not (count.isascii() and count.isdecimal()) or len(count) > len(str(MOST)):
        raise _damaged(path, number, "a line must have a word, a tab and a count")
    return word, int(count)


def _damaged(path: Path, number: int, cause: str) -> CorpusError:
    return CorpusError(f"{path}, line {number} is damaged: {cause}; fetch or write it again.")
