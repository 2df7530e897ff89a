"""Word-by-word translation: what a network from text to text has to beat.

Each word of the source becomes the word that IBM model 1 finds likeliest for it, in the order of
the source; words that no row had are copied. It knows nothing of order or agreement, and of no word
that becomes two.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Self

from pydantic import Field, model_validator

from foretext.base.config import Config
from foretext.base.errors import CorpusError
from foretext.corpus.chinese_words import mark_words
from foretext.corpus.pre_tokenizers import PreTokenizer, likely_kind
from foretext.corpus.scripts import WITHOUT_BLANKS, script_of
from foretext.tasks.text_to_text.ibm_model_1 import IbmModel1, WordRows

__all__ = ["Piece", "Spacing", "WordSplitter", "WordTranslator"]

SAMPLED = 10_000  # texts by which blanks and lengths are learned, about
SHORT = 0.5  # length of targets by that of sources below which they are no translations

SAMPLE = 1 << 16  # characters that the script is found from


class WordTranslator:
    """Texts to texts, a word at a time.

    Where targets are less than half as long as their sources, as summaries are, it translates the
    beginning of a source alone, as many words as targets have in the mean.

    Attributes:
        num_rows: rows that it has learned from, after `fit`: all, or some where they are too many.
        num_words: of an output, at most; None: an output is as long as its source.
    """

    class Config(IbmModel1.Config):
        """How it learns which words translate each other."""

        max_words: int = Field(default=100, ge=1)
        """Words of a text that are learned from, the first ones."""

        @model_validator(mode="after")
        def _has_room_for_a_row(self) -> Self:
            needed = self.max_words * (self.max_words + 1)  # with the empty word
            if self.max_pairs < needed:
                raise ValueError(
                    f"max_pairs = {self.max_pairs} has no room for the pairs of a row of "
                    f"max_words = {self.max_words}; set it to {needed} or more"
                )
            return self

    def __init__(self, config: Config | None = None) -> None:
        self.config = config or self.Config()

    @property
    def name(self) -> str:
        """What it does, as reports call it."""
        return "word-by-word translation (IBM model 1)"

    def fit(self, pairs: Sequence[tuple[str, str]]) -> Self:
        """Learn from pairs of a source and a target.

        Raises:
            CorpusError: there is no pair, or none has a word on both sides.
        """
        if not pairs:
            raise CorpusError("There is no pair of texts to learn from; give some.")
        sources, targets = zip(*pairs, strict=True)
        self._splitter, own = WordSplitter(sources), WordSplitter(targets)
        some = [own.pieces(text) for text in _some(targets)]
        self.num_words = _shorter_length([self._splitter.pieces(t) for t in _some(sources)], some)
        self._spacing = Spacing(some)
        self._keeps_blanks = self._splitter.has_blanks and own.has_blanks
        self._capitalises = 2 * sum(target[:1].isupper() for target in targets) > len(targets)
        self._translations = self._learned(
            self._numbered(self._splitter, sources), self._numbered(own, targets)
        )
        return self

    def predict(self, sources: Sequence[str]) -> list[str]:
        """Return the translation of each text."""
        return [self._translated(source) for source in sources]

    def translation(self, word: str) -> str | None:
        """Return what a word becomes; None: it is copied."""
        for known in (word, word.lower(), word.capitalize()):
            if known in self._translations:
                return self._translations[known]
        return None

    def _numbered(self, splitter: WordSplitter, texts: Iterable[str]) -> tuple[list[str], WordRows]:
        """Return all words, and texts as the numbers of their words from 1."""
        numbers: dict[str, int] = {}
        rows = WordRows.of(
            [numbers.setdefault(piece.text, len(numbers) + 1) for piece in pieces]
            for text in texts
            for pieces in [splitter.pieces(text)[: self.config.max_words]]
        )
        return list(numbers), rows

    def _learned(
        self, sources: tuple[list[str], WordRows], targets: tuple[list[str], WordRows]
    ) -> dict[str, str]:
        """Return the likeliest translation of each word."""
        (their_words, their_rows), (words, rows) = sources, targets
        model = IbmModel1(self.config).fit(their_rows, rows)
        self.num_rows = model.num_rows
        best = zip(their_words, model.best_targets()[1:].tolist(), strict=True)
        return {word: words[target - 1] for word, target in best if target}

    def _translated(self, source: str) -> str:
        """Return a translation with the blanks of the source, or with those of target texts."""
        parts: list[str] = []
        last, was_alike = "", False  # the piece before this one, and whether its source is alike
        for text, follows_blank in self._splitter.pieces(source)[: self.num_words]:
            found = self.translation(text)
            piece = text if found is None else found
            is_alike = is_mark(text) == is_mark(piece)
            if self._keeps_blanks and is_alike and was_alike:
                needs_blank = follows_blank
            else:
                needs_blank = bool(last) and self._spacing.needs_blank(last, piece)
            parts += [" " * needs_blank, piece]
            last, was_alike = piece, is_alike
        text = "".join(parts)
        return text[:1].upper() + text[1:] if self._capitalises else text


def _some(texts: Sequence[str]) -> Sequence[str]:
    """Return texts out of all parts of many."""
    return texts[:: max(1, len(texts) // SAMPLED)]


def _shorter_length(sources: Sequence[list[Piece]], targets: Sequence[list[Piece]]) -> int | None:
    """Return the mean length of targets where it is far below that of sources; else None."""
    theirs, own = (sum(map(len, texts)) for texts in (sources, targets))
    return max(1, round(own / len(targets))) if own < SHORT * theirs else None


class Piece(NamedTuple):
    """A word, or one other character that is not a blank."""

    text: str
    follows_blank: bool  # whether blanks stand before it

    @property
    def is_mark(self) -> bool:
        """Whether it is no word."""
        return is_mark(self.text)


class WordSplitter:
    """Splits texts into words, as a pre-tokenizer that suits them finds these, and marks.

    Args:
        texts: by whose script the pre-tokenizer is chosen: jieba's words of Chinese where it is
            installed.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._kind = likely_kind(_sample(texts))
        self._pre_tokenizer = PreTokenizer(self._kind, lowercase=False)

    @property
    def has_blanks(self) -> bool:
        """Whether blanks stand between the words of these texts."""
        return self._kind == "unicode_words"

    def pieces(self, text: str) -> list[Piece]:
        """Return words and marks in order."""
        if self._kind == "chinese_words":
            return list(_marked(text))
        return list(_located(text, self._pre_tokenizer.words(text)))


class Spacing:
    """Whether a blank stands between two pieces of a text, as texts in its language have it.

    Args:
        texts: the pieces of such texts.
    """

    def __init__(self, texts: Iterable[Sequence[Piece]]) -> None:
        before, after, marks = Counter[str](), Counter[str](), Counter[str]()
        for pieces in texts:
            for place, piece in enumerate(pieces):
                if piece.is_mark:
                    marks[piece.text] += 1
                    before[piece.text] += piece.follows_blank
                    is_last = place + 1 == len(pieces)
                    after[piece.text] += is_last or pieces[place + 1].follows_blank
        self._joined_before = frozenset(mark for mark in marks if 2 * before[mark] < marks[mark])
        self._joined_after = frozenset(mark for mark in marks if 2 * after[mark] < marks[mark])

    def needs_blank(self, first: str, second: str) -> bool:
        """Whether a blank belongs between two pieces."""
        if first in self._joined_after or second in self._joined_before:
            return False
        return not (_is_unspaced(first[-1]) or _is_unspaced(second[0]))


def is_mark(text: str) -> bool:
    """Whether a piece is no word."""
    return len(text) == 1 and not text.isalnum()


def _sample(texts: Iterable[str]) -> str:
    """Return the beginnings of texts, together some thousands of characters."""
    sample, size = [], 0
    for text in texts:
        sample.append(text[: SAMPLE - size])
        size += len(sample[-1])
        if size >= SAMPLE:
            break
    return "\n".join(sample)


def _located(text: str, words: Iterable[str]) -> Iterator[Piece]:
    """Find words of a text again, and what stands between them."""
    end = 0
    for word in words:
        start = text.index(word, end)
        between = text[end:start]
        yield from _marks(between)
        yield Piece(word, between[-1:].isspace())
        end = start + len(word)
    yield from _marks(text[end:])


def _marks(between: str) -> Iterator[Piece]:
    before = ""
    for character in between:
        if not character.isspace():
            yield Piece(character, before.isspace())
        before = character


def _marked(text: str) -> Iterator[Piece]:
    """Yield jieba's words and marks."""
    follows_blank = False
    for found in re.finditer("10*", mark_words(text)):
        piece = text[found.start() : found.end()]
        if not piece.isspace():
            yield Piece(piece, follows_blank)
        follows_blank = piece.isspace()


def _is_unspaced(character: str) -> bool:
    return script_of(character) in WITHOUT_BLANKS
