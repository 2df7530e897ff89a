"""Pre-tokenisers: classes of characters, one definition for our kernels and for `tokenizers`.

A pre-tokeniser is two sets of characters, written as inside the brackets of a regular expression of
the `tokenizers` library: runs of `word` characters are words, each `alone` character is a word, all
others separate words. The kernels get the sets as tables over all code points, read from the
library itself, so that both find the same words in every version of Unicode.

Text is brought into a Unicode normal form first, so that one word written in two forms is one word.
"""

from __future__ import annotations

import json
import re
import sys
from functools import cache, cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from foretext.base.errors import SettingError
from foretext.base.parsing import parse_json
from foretext.corpus.chinese_words import is_jieba_installed, separate_words
from foretext.corpus.decoding import INVISIBLE, Form, normalize
from foretext.corpus.emoji import EMOJI
from foretext.corpus.word_table import new_scratch
from foretext.kernels.letters import ALONE, IGNORED, SEPARATOR, WORD, Letters, split_words
from foretext.shards.portable import Portable

if TYPE_CHECKING:
    from tokenizers.normalizers import Normalizer
    from tokenizers.pre_tokenizers import PreTokenizer as LibraryPreTokenizer

__all__ = ["PreTokenizer", "PreTokenizerKind", "library_form", "likely_kind"]

_MAKER = "foretext.corpus.pre_tokenizers:PreTokenizer.made"

PreTokenizerKind = Literal[
    "whitespace",
    "basic_english",
    "unicode_words",
    "words_and_punctuation",
    "chinese_characters",
    "chinese_words",
]


class CharacterSets(NamedTuple):
    word: str
    alone: str = ""
    ignored: str = ""  # characters that are dropped without ending the word
    blanks: str = ""  # a string that is read as a space


HAN = "\u2e80-\u2fdf\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
BLANK = r"\s\x1c-\x1f"  # where str.split() splits; the library's \s lacks the last four

KINDS: dict[str, CharacterSets] = {
    "whitespace": CharacterSets(rf"[^{BLANK}]"),
    "basic_english": CharacterSets(
        rf"[^{BLANK}'.,()!?;:]", alone="['.,()!?]", ignored='"', blanks="<br />"
    ),
    "unicode_words": CharacterSets(r"\w", alone=f"[{EMOJI}]", ignored=INVISIBLE),
    "words_and_punctuation": CharacterSets(
        r"[\w&&[^\p{Han}]]", alone=rf"[\p{{Han}}[^\w{BLANK}]]", ignored=INVISIBLE
    ),
    "chinese_characters": CharacterSets(
        r"[\w&&[^\p{Han}]]", alone=rf"[\p{{Han}}{EMOJI}]", ignored=INVISIBLE
    ),
    "chinese_words": CharacterSets(rf"[^{BLANK}]", ignored=INVISIBLE),
}
EARLIER: dict[str, CharacterSets] = {  # edition 1 of kinds that have a second one
    "unicode_words": CharacterSets(r"\w"),
    "words_and_punctuation": CharacterSets(r"[\w&&[^\p{Han}]]", alone=rf"[\p{{Han}}[^\w{BLANK}]]"),
    "chinese_characters": CharacterSets(r"[\w&&[^\p{Han}]]", alone=r"\p{Han}"),
    "chinese_words": CharacterSets(rf"[^{BLANK}]"),
}


def mostly_han(sample: str) -> bool:
    """Whether more than half of the letters of a text are Han."""
    letters = re.sub(r"[\W\d_]+", "", sample)
    han = re.sub(f"[^{HAN}]+", "", letters)
    return 2 * len(han) > len(letters)


def likely_kind(sample: str) -> PreTokenizerKind:
    """Return the kind for a text: Chinese if more than half of its letters are Han."""
    if not mostly_han(sample):
        return "unicode_words"
    return "chinese_words" if is_jieba_installed() else "chinese_characters"


class PreTokenizer:
    """Splits text into words.

    * ``whitespace``: what `str.split` gives.
    * ``basic_english``: torchtext's rules: each of ``' . , ( ) ! ?`` is a word, ``"`` is removed,
      ``; :`` and ``<br />`` are spaces.
    * ``unicode_words``: runs of letters, digits, marks and connecting punctuation (``\\w``); each
      emoji is a word.
    * ``words_and_punctuation``: the same, but each Han character is a word, and so is each
      character that is neither blank nor of a word: spans of words end wherever an answer may.
    * ``chinese_characters``: as ``unicode_words``, but each Han character is a word.
    * ``chinese_words``: jieba's words and emoji, punctuation dropped (needs the extra ``chinese``).

    All but the first two join what stands around a soft hyphen, a word joiner and other characters
    that nobody sees.

    Each character is lower-cased separately, as in the `tokenizers` library: a final sigma becomes
    ``σ``, where `str.lower` depends on its neighbours and writes ``ς``.

    Args:
        kind: one of these.
        lowercase: whether words are lower-cased.
        segmented: whether `chinese_words` gets text with blanks between its words already, as of
            a `SegmentedCorpus`.
        form: the Unicode normal form of words; "none": as they are written.
        edition: of the rules of this kind; None: the newest. Words that an earlier version of
            foretext learned are cut by edition 1, without emoji, and end where nobody sees it.

    Raises:
        MissingExtraError: `chinese_words` without jieba.
    """

    def __init__(
        self,
        kind: PreTokenizerKind,
        *,
        lowercase: bool = True,
        segmented: bool = False,
        form: Form = "NFC",
        edition: int | None = None,
    ) -> None:
        newest = 2 if kind in EARLIER else 1
        self.kind = kind
        self.edition = min(edition or newest, newest)
        self.form = form
        self.lowercase = lowercase
        self.segmented = segmented
        if kind == "chinese_words":
            separate_words("")

    @property
    def portable(self) -> Portable:
        """What makes an equal one in another process."""
        settings = [self.kind, self.lowercase, self.segmented, self.form, self.edition]
        return Portable(_MAKER, json.dumps(settings))

    @classmethod
    def made(cls, settings: str) -> PreTokenizer:
        """Return the one that `portable` stands for."""
        kind, lowercase, segmented, form, edition = parse_json(
            settings,
            "the pre-tokeniser",
            SettingError,
            tuple[PreTokenizerKind, bool, bool, Form, int],
        )
        return cls(kind, lowercase=lowercase, segmented=segmented, form=form, edition=edition)

    @cached_property
    def letters(self) -> Letters:
        """Tables for the kernels."""
        return _letters(self._sets, self.lowercase)

    @cached_property
    def blanks(self) -> re.Pattern[str] | None:
        """What is read as a space, such as a line break of HTML; None: blanks alone."""
        sets = self._sets
        return _blank_pattern(sets, self.lowercase) if sets.blanks else None

    def words(self, text: str) -> list[str]:
        """Return the words of a text, in order."""
        data = self.utf8(text)
        words = np.empty(2 * data.size, np.uint8)
        written = split_words(data, self.letters, new_scratch(2 * data.size // 8 * 8 + 8), words)
        return words[:written].tobytes().decode().split("\n")[:-1]

    def utf8(self, text: str) -> np.ndarray:
        """(N,) uint8, what the kernels read: UTF-8 after replacements of more than one character.

        A lone surrogate, which UTF-8 cannot encode, becomes ``?``.
        """
        text = normalize(text, self.form)
        if self.blanks is not None and "<" in text:
            text = self.blanks.sub(" ", text)
        if self.kind == "chinese_words" and not self.segmented:
            text = separate_words(text, with_emoji=self.edition > 1)
        if self.lowercase:
            text = text.replace("İ", "i\u0307")  # the only one with a lower case of two characters
        return np.frombuffer(text.encode("utf-8", "replace"), np.uint8)

    def library_normalizer(self) -> Normalizer:
        """Return the normaliser of the `tokenizers` library that does what `utf8` does."""
        from tokenizers import Regex, normalizers

        sets = self._sets
        steps: list[Normalizer] = [] if self.form == "none" else [library_form(self.form)]
        if self.lowercase:
            steps.append(normalizers.Lowercase())
        if sets.ignored:
            steps.append(normalizers.Replace(Regex(f"[{sets.ignored}]"), ""))
        if sets.blanks:
            steps.append(normalizers.Replace(sets.blanks, " "))
        return normalizers.Sequence(steps)

    def library_pre_tokenizer(self) -> LibraryPreTokenizer:
        """Return the same splitter of the `tokenizers` library, for text with jieba's spaces."""
        sets = self._sets
        return _split(f"{sets.word}+" + (f"|{sets.alone}" if sets.alone else ""))

    @property
    def _sets(self) -> CharacterSets:
        return (EARLIER if self.edition == 1 and self.kind in EARLIER else KINDS)[self.kind]


def library_form(form: Literal["NFC", "NFKC"]) -> Normalizer:
    """Return the normaliser of the `tokenizers` library for a normal form."""
    from tokenizers import normalizers

    return normalizers.NFC() if form == "NFC" else normalizers.NFKC()


def _split(pattern: str) -> LibraryPreTokenizer:
    """Keep what matches, drop the rest."""
    from tokenizers import Regex, pre_tokenizers

    return pre_tokenizers.Split(Regex(pattern), behavior="removed", invert=True)


def _blank_pattern(sets: CharacterSets, lowercase: bool) -> re.Pattern[str]:
    """Match the string even with ignored characters in it, because they are removed first."""
    between = f"[{sets.ignored}]*" if sets.ignored else ""
    return re.compile(between.join(map(re.escape, sets.blanks)), re.I if lowercase else 0)


@cache
def _letters(sets: CharacterSets, lowercase: bool) -> Letters:
    lower = _lower_case() if lowercase else np.arange(sys.maxunicode + 1, dtype=np.int32)
    classes = np.full(sys.maxunicode + 1, SEPARATOR, np.uint8)
    classes[_members(sets.word)] = WORD
    if sets.alone:
        classes[_members(sets.alone)] = ALONE
    classes[[ord(character) for character in sets.ignored]] = IGNORED
    classes = classes[lower]  # the library lower-cases first
    fast = np.zeros(256, np.uint8)
    fast[:128] = np.where(classes[:128] == WORD, lower[:128], 0)
    return Letters(classes, lower, fast)


def _members(characters: str) -> np.ndarray:
    """(0x110000,) bool, the code points of a set, from the library."""
    split = _split(f"{characters}+")
    table, is_asked = np.zeros((2, sys.maxunicode + 1), np.bool_)
    for points in _assigned():
        is_asked[points] = True
        for _, (start, end) in split.pre_tokenize_str(_text(points)):
            table[points[start:end]] = True
    table[~is_asked] = table[points[-1]]
    return table


def _lower_case() -> np.ndarray:
    """(0x110000,) int32, the lower case of each code point, from the library."""
    from tokenizers import normalizers

    lowercase = normalizers.Lowercase()
    lower = np.arange(sys.maxunicode + 1, dtype=np.int32)
    for points in _assigned():
        text = _text(points).replace("İ", "I")  # done before the kernels
        small = lowercase.normalize_str(text).encode("utf-32-le")
        lower[points] = np.frombuffer(small, np.uint32)
    return lower


def _assigned() -> list[np.ndarray]:
    """Code points of the assigned planes, without surrogates; the last one is unassigned.

    The other planes, empty or for private use, would take half a second; all their characters are
    like that last one. They are in parts, because the library needs 200 bytes for each character.
    """
    points: np.ndarray = np.r_[0:0xD800, 0xE000:0x34000, 0xE0000:0xE0200]
    return np.array_split(points.astype(np.uint32), 32)


def _text(points: np.ndarray) -> str:
    return points.tobytes().decode("utf-32-le")
