"""What the beginning of a corpus says of all of it: its script, and how much text it has."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from foretext.corpus.corpus import Corpus
from foretext.corpus.formats import normal_form
from foretext.corpus.scripts import WITHOUT_BLANKS, script_rates

__all__ = ["TextFacts", "text_facts"]

SAMPLE = 1 << 20  # stored bytes that are looked at, of all files together
MOST_FILES = 8  # that are looked at
LANGUAGES = {"Han": "zh", "Kana": "ja", "Hangul": "ko", "Thai": "th"}  # that a script tells
JAPANESE = 0.05  # share of Kana from which a text in Han is Japanese


@dataclass(frozen=True)
class TextFacts:
    """What is known of a text without reading all of it.

    Attributes:
        num_bytes: of the text in UTF-8, about; of a compressed file as it would be unpacked.
        scripts: share of each script in the letters, the largest first; {}: there are no letters.
    """

    num_bytes: int
    scripts: dict[str, float]

    @property
    def script(self) -> str:
        """The script of most letters, such as "Latin" or "Han"; "other" without letters."""
        return next(iter(self.scripts), "other")

    @property
    def language(self) -> str:
        """Code of the language (ISO 639-1) where the script tells it; else "": it is not known."""
        if self.script == "Han" and self.scripts.get("Kana", 0.0) >= JAPANESE:
            return "ja"
        return LANGUAGES.get(self.script, "")

    @property
    def has_blanks(self) -> bool:
        """Whether there are blanks between words."""
        return self.script not in WITHOUT_BLANKS


def text_facts(corpus: Corpus) -> TextFacts:
    """Read the beginnings of some files of a corpus.

    Raises:
        CorpusError: a file cannot be read.
    """
    sources = corpus.sources[:: -(-len(corpus.sources) // MOST_FILES)]
    letters: Counter[str] = Counter()
    num_bytes = stored = 0
    for source in sources:
        with source.open() as file:
            for text in normal_form(file, source.name, corpus.reading(source)):
                letters.update(text)
                num_bytes += len(text.encode())
                if file.tell() >= SAMPLE // len(sources):
                    break
            stored += file.tell()
    every = corpus.num_bytes
    known = num_bytes if every is None or not stored else round(every * num_bytes / stored)
    return TextFacts(known, script_rates(letters))
