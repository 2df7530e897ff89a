"""The texts on which a copy and its original are compared: the user's, and some hard ones."""

from __future__ import annotations

import glob
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from foretext.base.errors import CorpusError
from foretext.corpus import Corpus
from foretext.corpus.texts import TextSource, found_sources
from foretext.exporting.form import Texts
from foretext.exporting.learned_files import learned_files

__all__ = ["HARD", "ComparedRows", "all_rows", "compared_rows"]

MOST = 1000  # texts of the user
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


class ComparedRows(NamedTuple):
    """The inputs by which a copy is compared."""

    rows: list[Texts]  # the user's first
    num_own: int  # texts or rows of the user among them

    @property
    def parts(self) -> tuple[list[Texts], list[Texts]]:
        """The user's inputs, and the hard ones."""
        return self.rows[: self.num_own], self.rows[self.num_own :]

    @property
    def with_words(self) -> ComparedRows:
        """Those whose texts all have words: programs of others read no empty question."""
        own, hard = ([row for row in part if all(map(str.strip, row))] for part in self.parts)
        return ComparedRows([*own, *hard], len(own))


def compared_rows(
    run: Path, given: TextSource | None, num_texts: int, model: Any, *, asks: bool = False
) -> ComparedRows:
    """Return inputs of `num_texts` texts each: the user's, then the hard ones.

    Args:
        run: whose text is read where none is given and it is still there.
        given: files, or texts in memory; None: those of the run.
        num_texts: of an input.
        model: of the run, which reads the rows of a task.
        asks: whether the first text is a question, which has to have words.

    Raises:
        CorpusError: texts that are there cannot be read, or none is in those that are given.
    """
    found = all_rows(run, given, num_texts, model, asks=asks)
    return found.with_words if asks else found


def all_rows(
    run: Path, given: TextSource | None, num_texts: int, model: Any, *, asks: bool = False
) -> ComparedRows:
    """Return what `compared_rows` does, with questions that are empty.

    Args and errors are those of `compared_rows`.
    """
    own: Sequence[Texts] = [(text,) for text in _given(given)] if given is not None else []
    own = own if given is not None else _of_run(run, model)
    pairs = [row for row in own if len(row) == num_texts]
    texts = [row[0] for row in own if len(row) != num_texts] if num_texts > 1 else []
    found = [*texts, *HARD]
    if num_texts == 1:
        return ComparedRows([*pairs, *((text,) for text in HARD)], len(pairs))
    others = [*found[1:], found[0]]
    rows = zip(others, found, strict=True) if asks else zip(found, others, strict=True)
    return ComparedRows([*pairs, *rows], len(own))


def _given(given: TextSource) -> Sequence[str]:
    texts = list(_documents(given))
    if not texts:
        raise CorpusError(
            "There is no text to compare the export with; give other files by --texts."
        )
    return texts


def _of_run(run: Path, model: Any) -> Sequence[Texts]:
    """Return inputs that the run has learned from, where their files are still there."""
    learned = learned_files(run)
    sources, train = learned.sources, learned.train
    if isinstance(train, str) and train and _is_there(train):
        inputs = (each.texts for each in islice(model.inputs(train), MOST))
        return [(each,) if isinstance(each, str) else tuple(each) for each in inputs]
    if sources and all(map(_is_there, sources)):
        return [(text,) for text in _documents(sources)]
    return []


def _is_there(name: str) -> bool:
    is_matched = any(glob.iglob(name, recursive=True))  # noqa: PTH207 (a pattern may be absolute)
    return is_matched or Path(name).exists()


def _documents(given: TextSource) -> Iterator[str]:
    texts = (text.strip("\n") for text in Corpus(found_sources(given)))
    return islice(texts, MOST)
