"""Signs that a text was damaged or preprocessed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from foretext.corpus.findings import Place
from foretext.corpus.sentences import split_sentences
from foretext.corpus.symbols import Symbols
from foretext.corpus.wrong_encoding import (
    FEWEST_WORDS,
    STRANGE_RATE,
    is_strange,
    unusual_words,
)
from foretext.messages import message

__all__ = ["SIGNS", "Sign", "Symptoms"]

SIGNS = ("mojibake", "replacement", "html", "unknown", "strange", "invisible", "labels")
_LATIN = r"[\x80-\xbf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]"
# Each begins with a letter, which is searched for first: that is many times faster.
_MOJIBAKE = tuple(map(re.compile, (f"Ã{_LATIN}", f"Â{_LATIN}", r"â€[\x80-\xbf™œ˜“”¦]", "ï¿½")))
_HTML = (
    re.compile(
        r"</?(?:p|br|div|span|a|b|i|em|strong|li|ul|ol|table|tr|td|th|ref|img|h[1-6])\b"
        r"[^<>\n]{0,200}>"
    ),
    re.compile(r"&(?:amp|lt|gt|quot|nbsp|apos|#\d{1,6});"),
)
_REPLACEMENT, _UNKNOWN = (re.compile("\ufffd"),), (re.compile("<unk>"),)
_LABEL = (re.compile(r"__label__(?=\S)"),)  # fastText's
_INVISIBLE = tuple(map(re.compile, "\u00ad\u2060"))
_ENOUGH = 20  # signs of a tokeniser
_LINES = 1 << 15  # characters of each text, about, of which symbols are counted
_SAMPLE = 4096  # characters of each text of which letters are counted


@dataclass
class Sign:
    """How often a sign was seen, and where first."""

    count: int = 0
    example: str = ""
    at: int = 0  # character of the part of the text
    place: Place | None = None

    def add(self, patterns: Iterable[re.Pattern[str]], text: str, start: int) -> None:
        """Count what matches one of the patterns in `text`, which stands at `start` in its part."""
        found = [
            match.start()
            for pattern in patterns
            if pattern.pattern[0] in text
            for match in pattern.finditer(text)
        ]
        if found and not self.count:
            at = min(found)
            first, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
            self.example = text[max(first, at - 20) : min(end, at + 40)].strip()
            self.at = start + at
        self.count += len(found)

    def merge(self, other: Sign, locate: Callable[[int], Place]) -> None:
        """Count the signs of the next part, in which `locate` finds the place of a character."""
        if other.count and not self.count:
            self.example, self.place = other.example, locate(other.at)
        self.count += other.count


@dataclass
class Symptoms:
    """Counts signs, text by text; `characters` are those of a sample, the beginning of each."""

    mojibake: Sign = field(default_factory=Sign)
    replacement: Sign = field(default_factory=Sign)
    html: Sign = field(default_factory=Sign)
    unknown: Sign = field(default_factory=Sign)
    strange: Sign = field(default_factory=Sign)  # words of no language, in the sample
    invisible: Sign = field(default_factory=Sign)
    labels: Sign = field(default_factory=Sign)
    unusual: int = 0  # words of the sample with a character beyond ASCII
    lines: int = 0  # of the sample
    sentences: int = 0  # of the sample, if lines were split by punctuation
    commas: int = 0
    free_commas: int = 0  # with a space on each side, as tokenisers write them
    characters: Counter[str] = field(default_factory=Counter)
    symbols: Symbols = field(default_factory=Symbols)  # of a sample of the lines

    def add(self, text: str, start: int = 0) -> None:
        """Count the next text in normal form, which stands at the character `start` of its part."""
        sample = text[:_SAMPLE]
        self.characters.update(sample)
        self.lines += sample.count("\n") + 1
        self.sentences += split_sentences(sample).count("\n") + 1
        for line in text.split("\n")[:: len(text) // _LINES + 1]:
            if line:
                self.symbols.add(line)
        self.commas += text.count(",")
        self.free_commas += text.count(" , ") if " , " in text else 0  # for it is rare, and slow
        self.mojibake.add(_MOJIBAKE, text, start)
        self.replacement.add(_REPLACEMENT, text, start)
        self.html.add(_HTML, text, start)
        self.unknown.add(_UNKNOWN, text, start)
        self.labels.add(_LABEL, text, start)
        if not text.isascii():
            self.invisible.add(_INVISIBLE, text, start)
            self._add_words(sample, start)

    def _add_words(self, sample: str, start: int) -> None:
        words = unusual_words(sample)
        self.unusual += len(words)
        strange = [word for word in words if is_strange(word)]
        if strange and not self.strange.count:
            self.strange.example, self.strange.at = strange[0], start + sample.index(strange[0])
        self.strange.count += len(strange)

    @property
    def is_of_wrong_encoding(self) -> bool:
        """Whether words beyond ASCII are those of no language."""
        is_enough = self.unusual >= FEWEST_WORDS
        return is_enough and self.strange.count > STRANGE_RATE * self.unusual

    def merge(self, other: Symptoms, locate: Callable[[int], Place]) -> None:
        """Count the signs of the next part, in which `locate` finds the place of a character."""
        for name in (
            "mojibake",
            "replacement",
            "html",
            "unknown",
            "strange",
            "invisible",
            "labels",
        ):
            getattr(self, name).merge(getattr(other, name), locate)
        for name in ("unusual", "lines", "sentences", "commas", "free_commas"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.characters.update(other.characters)
        self.symbols.merge(other.symbols)

    @property
    def is_tokenised(self) -> bool:
        """Whether the text has been cut into words already."""
        return self.tokenised_by is not None

    @property
    def tokenised_by(self) -> str | None:
        """What shows that a text has been cut into words; None: nothing does.

        The Penn Treebank has no commas: there it is ``<unk>``, which only a tokeniser writes.
        """
        if self.commas >= _ENOUGH and self.free_commas > 0.8 * self.commas:
            return message("findings.corpus.sign.commas")
        if self.unknown.count >= _ENOUGH:
            return message("findings.corpus.sign.unknown")
        return None

    @property
    def is_lower_case(self) -> bool:
        """Whether a text in a script with two cases has almost no capital letters."""
        upper = sum(count for letter, count in self.characters.items() if letter.isupper())
        lower = sum(count for letter, count in self.characters.items() if letter.islower())
        return lower >= 1000 and upper < 0.001 * lower
