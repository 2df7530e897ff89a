"""The texts by which a copy is compared with the original: the user's, and some that are hard."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from foretext.base.errors import CorpusError, ForetextError
from foretext.base.parsing import read_toml
from foretext.corpus import Corpus
from foretext.corpus.texts import TextSource, found_sources
from foretext.exporting.form import Texts

__all__ = ["HARD", "compared_rows"]

MOST = 1000  # texts of the user
QUESTION = 5  # characters of a question
LONG = 400  # times that words are repeated in the longest text

HARD = (
    "A short text.",
    "Café, naïve façade: the Ärzte of Łódź don't say “İstanbul”…",
    "THE KING (of all) said: e-mail me @ 3.14%, #tag, C++ & http://example.org/a?b=1!",
    "今天天气很好，我们去公园散步。",
    "中文 and English 混排，まぜて 한국어도.",
    "👩‍👩‍👧‍👦 family 🏳️‍🌈 flag 😀😀",
    "tabs\tand\nlines\r\n  and   blanks ",
    "ﬁne ½ ① Ｆｕｌｌ ％ x\u0301 \u200b\u00ad zero",
    "[CLS] [SEP] <s> </s> ##ing <|endoftext|>",
    "a",
    " ",
    "",
    "pneumonoultramicroscopicsilicovolcanoconiosis" * 4,
    "the ship sails to an island in the sea " * LONG,
    "今天天气很好" * LONG,
)


def compared_rows(
    run: Path, given: TextSource | None, num_texts: int, *, asks: bool = False
) -> list[Texts]:
    """Return inputs of `num_texts` texts each: the user's, then the hard ones.

    Args:
        run: whose text is read where none is given and it is still there.
        given: files, or texts in memory; None: those of the run.
        num_texts: of an input.
        asks: whether the first text is a question, and short.

    Raises:
        CorpusError: the given texts cannot be read, or there is none.
    """
    known = _given(given) if given is not None else _of_run(run)
    found = [*known, *HARD]
    if num_texts == 1:
        return [(text,) for text in found]
    others = [*found[1:], found[0]]
    if asks:
        others = [text[:QUESTION] for text in others]
        return [pair for pair in zip(others, found, strict=True) if all(map(str.strip, pair))]
    return list(zip(found, others, strict=True))


def _given(given: TextSource) -> Sequence[str]:
    texts = list(islice(_documents(given), MOST))
    if not texts:
        raise CorpusError("There is no text to compare the export by; give other ones (--texts).")
    return texts


def _of_run(run: Path) -> Sequence[str]:
    """Return texts that the run has learned from, where their files are still there."""
    recipe = run / "recipe.toml"
    try:
        sections = read_toml(recipe, CorpusError)
        sources = sections.get("corpus", {}).get("sources") or []
        return list(islice(_documents(sources), MOST)) if sources else []
    except ForetextError:  # moved, or never a file
        return []


def _documents(given: TextSource) -> Iterator[str]:
    return (text.strip("\n") for text in Corpus(found_sources(given)))
