"""`show` for a trained model: what it makes of the lines of a text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from foretext.artifact import kind_of_run, load
from foretext.base.arguments import checked_arguments
from foretext.base.errors import CorpusError
from foretext.corpus import Corpus, CorpusConfig
from foretext.corpus.texts import TextSource, found_sources, iterate_texts, lines_or_files
from foretext.data.images import read_images
from foretext.messages import language, message
from foretext.report.showing import Showing
from foretext.shown import Note, Shown
from foretext.tasks.predictor import Predictor

__all__ = ["MOST_LINES", "show_run"]

MOST_LINES = 8  # where nobody says how many
MOST_READ = 10_000  # lines whose number is said


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
    model = load(run) if is_path else run
    subject = Path(run).name or str(run) if is_path else type(model).__name__
    most = MOST_LINES if number is None else number
    if is_path and not kind_of_run(run).reads_text:
        if not isinstance(text, str | Path) or not Path(text).is_file():
            raise CorpusError(
                f"{run} is an autoencoder, which reads no text: give an idx or a .npy file of "
                "examples."
            )
        shown = tuple(model.show(read_images(text)[:most]))
        return Showing(subject, shown, language(), "insight")
    lines = list(islice(_lines(model, text, reading), MOST_READ))
    if not lines:
        raise CorpusError("The text is empty; give a text, or a file, folder or glob of texts.")
    shown = tuple(model.show(lines[:most]))
    if len(lines) > most:
        said = Note(message("insight.first_lines", shown=most, all=len(lines)))
        shown = (Shown(shown[0].title, (said, *shown[0].parts)), *shown[1:])
    return Showing(subject, shown, language(), "insight")


def _lines(model: Any, text: TextSource, reading: CorpusConfig | None) -> Iterator[str]:
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
    if isinstance(model, Predictor):
        for kept in model.inputs(given):
            yield "\t".join(" ".join(str(part).split()) for part in kept.texts[: len(model.fields)])
        return
    for document in Corpus(found_sources(given), reading or CorpusConfig()):
        yield from document.split("\n")
