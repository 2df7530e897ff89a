"""Signs that a text was damaged or preprocessed."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from foretext.corpus.findings import Place
from foretext.corpus.places import Locate
from foretext.corpus.sentences import split_sentences

__all__ = ["Sign", "Symptoms"]

_MOJIBAKE = re.compile(r"[ÃÂ][\x80-\xbf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]|â€[\x80-\xbf™œ˜“”¦]|ï¿½")
_HTML = re.compile(
    r"</?(?:p|br|div|span|a|b|i|em|strong|li|ul|ol|table|tr|td|th|ref|img|h[1-6])\b[^<>\n]{0,200}>"
    r"|&(?:amp|lt|gt|quot|nbsp|apos|#\d{1,6});"
)
_ENOUGH = 20  # signs of a tokeniser
_SAMPLE = 4096  # characters of each text of which letters are counted


@dataclass
class Sign:
    """How often a sign was seen, and where first."""

    count: int = 0
    example: str = ""
    place: Place | None = None

    def add(self, count: int, text: str, at: int, locate: Locate) -> None:
        """Add `count` signs in `text`, the first at the character `at`."""
        if not self.count:
            start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
            self.example = text[max(start, at - 20) : min(end, at + 40)].strip()
            self.place = locate(text, at, first=True)
        self.count += count


@dataclass
class Symptoms:
    """Counts signs, text by text; `characters` are those of a sample."""

    mojibake: Sign = field(default_factory=Sign)
    replacement: Sign = field(default_factory=Sign)
    html: Sign = field(default_factory=Sign)
    unknown: Sign = field(default_factory=Sign)
    lines: int = 0  # of the sample
    sentences: int = 0  # of the sample, if lines were split by punctuation
    commas: int = 0
    free_commas: int = 0  # with a space on each side, as tokenisers write them
    characters: Counter[str] = field(default_factory=Counter)

    def add(self, text: str, locate: Locate) -> None:
        """Count the next text in normal form."""
        sample = text[:_SAMPLE]
        self.characters.update(sample)
        self.lines += sample.count("\n") + 1
        self.sentences += split_sentences(sample).count("\n") + 1
        self.commas += text.count(",")
        self.free_commas += text.count(" , ")
        for sign, mark in ((self.replacement, "\ufffd"), (self.unknown, "<unk>")):
            if mark in text:
                sign.add(text.count(mark), text, text.index(mark), locate)
        if any(mark in text for mark in "ÃÂâï"):
            _search(_MOJIBAKE, self.mojibake, text, locate)
        if "<" in text or "&" in text:
            _search(_HTML, self.html, text, locate)

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
            return "its commas are separate words"
        if self.unknown.count >= _ENOUGH:
            return "rare words are <unk> in it"
        return None

    @property
    def is_lower_case(self) -> bool:
        """Whether a text in a script with two cases has almost no capital letters."""
        upper = sum(count for letter, count in self.characters.items() if letter.isupper())
        lower = sum(count for letter, count in self.characters.items() if letter.islower())
        return lower >= 1000 and upper < 0.001 * lower


def _search(pattern: re.Pattern[str], sign: Sign, text: str, locate: Locate) -> None:
    if first := pattern.search(text):
        count = sum(1 for _ in pattern.finditer(text))
        sign.add(count, text, first.start(), locate)
