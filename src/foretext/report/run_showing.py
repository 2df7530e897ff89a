"""`show` for a trained model: what it makes of the lines of a text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from foretext.artifact import kind_of_run, load
from foretext.base.arguments import checked_arguments, given_array, shown_value
from foretext.base.errors import CorpusError, SettingError
from foretext.corpus import Corpus, CorpusConfig
from foretext.corpus.texts import TextSource, found_sources, is_text, iterate_texts, lines_or_files
from foretext.data.images import read_images
from foretext.kinds import KINDS, TASK, Kind
from foretext.messages import language, message
from foretext.report.showing import Showing

__all__ = ["MOST_LINES", "show_run"]

MOST_LINES = 8  # where nobody says how many
MOST_READ = 10_000  # lines that are counted


@checked_arguments
def show_run(
    run: Any, text: TextSource, number: int | None = None, reading: CorpusConfig | None = None
) -> Showing:
    """Show what a trained model makes of a text, line by line, in the language of messages.

    Args:
        run: the path of a run, of a vector file or of another library's folder; or what
            `foretext.load` has opened.
        text: a text itself; or a corpus, rows of the model's task, or an autoencoder's examples.
        number: lines, or examples, at most; None: `MOST_LINES`.
        reading: of a corpus.

    Raises:
        ForetextError: the model cannot be opened, or the text cannot be read.
    """
    is_path = isinstance(run, str | Path)
    model, kind = (load(run), kind_of_run(run)) if is_path else (run, _kind_of(run))
    subject = Path(run).name or str(run) if is_path else type(model).__name__
    most = MOST_LINES if number is None else number
    if reading is not None:
        _refuse_reading(subject, kind, text)
    if not kind.reads_text:
        shown = tuple(model.show(_examples(subject, text)[:most]))
        return Showing(subject, shown, language(), "insight")
    lines = list(islice(_lines(model, kind, text, reading), MOST_READ + 1))
    if not lines:
        raise CorpusError("The text is empty; give a text, or a file, folder or glob of texts.")
    shown = tuple(model.show(lines[:most]))
    if len(lines) > most:
        shown = (shown[0].noted([_cut(most, len(lines))]), *shown[1:])
    return Showing(subject, shown, language(), "insight")


def _kind_of(model: Any) -> Kind:
    """Return the row of an opened model; a task names itself."""
    name = getattr(model, "kind", None)  # foreign: it has none
    show = getattr(model, "show", None)  # foreign: it has none
    if isinstance(model, type) or not isinstance(name, str) or show is None:
        raise SettingError(
            f"{shown_value(model)} shows nothing; give the name of a recipe, a task or a kind of "
            "tokenizer, a Recipe, or a run or what foretext.load has opened."
        )
    return KINDS.get(name, TASK)


def _refuse_reading(subject: str, kind: Kind, text: TextSource) -> None:
    """Refuse settings of a corpus where none is read."""
    if kind.reads_rows or not kind.reads_text or is_text(text):
        raise SettingError(
            f"column and encoding have no effect on what {subject} reads here; they are of a "
            "corpus in files; leave them out."
        )


def _examples(subject: str, given: Any) -> Any:
    """Return examples of an autoencoder, from a file or an array."""
    if not isinstance(given, str | Path):
        return given_array(given, "text")
    if not Path(given).is_file():
        raise CorpusError(
            f"{subject} is an autoencoder, which reads no text: give an idx or a .npy file of "
            "examples, or an array."
        )
    return read_images(given)


def _cut(shown: int, number: int) -> str:
    """Say how many lines are shown of how many."""
    every = f"{number:,}"
    if number > MOST_READ:
        every = message("insight.more_than", number=MOST_READ)
    return message(
        "insight.first_line" if shown == 1 else "insight.first_lines", shown=shown, all=every
    )


def _lines(model: Any, kind: Kind, text: TextSource, reading: CorpusConfig | None) -> Iterator[str]:
    """Yield the lines of a text, of a corpus or of rows; tabs stand between the texts of a row."""
    given: TextSource | Sequence[str] = text
    if isinstance(text, str):
        given = lines_or_files(text)
        if isinstance(given, list):
            yield from given
            return
    elif not isinstance(text, Path):
        yield from (each.replace("\n", " ") for each in iterate_texts(text))
        return
    if kind.reads_rows:
        for kept in model.inputs(given):
            yield "\t".join(" ".join(str(part).split()) for part in kept.texts[: len(model.fields)])
        return
    for document in Corpus(found_sources(given), reading or CorpusConfig()):
        yield from document.split("\n")
