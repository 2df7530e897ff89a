"""``foretext convert`` where the target is a file of labels."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from foretext.base.counted import counted
from foretext.base.terminal import say
from foretext.cli.shared import clock_of, print_json

if TYPE_CHECKING:
    from foretext.data.rows.conversion import ConvertedLabels

__all__ = ["convert_rows", "is_of_labels", "refuse_undecided"]

SHOWN = 10  # entities that do not fit


def is_of_labels(target: Path, to: str | None) -> bool:
    """Whether a file is to hold labels, by its format or by its suffix.

    Raises:
        SettingError: there is no such format.
    """
    from foretext.base.errors import SettingError, did_you_mean
    from foretext.data.rows.label_formats import LABEL_FORMATS, format_named_by
    from foretext.vectors.formats import FORMATS

    if to is None:
        return format_named_by(target) is not None
    known = (*LABEL_FORMATS, *FORMATS)
    if to not in known:
        hint = did_you_mean(to, known) or f" There are: {', '.join(known)}."
        raise SettingError(f"--to {to}: there is no such format.{hint}")
    return to in LABEL_FORMATS


def refuse_undecided(source: Path, target: Path, to: str | None) -> None:
    """Refuse rows by their name whose target does not say what it is to hold.

    Raises:
        SettingError: it does not, and no format is given.
    """
    from foretext.base.errors import SettingError, VectorFileError
    from foretext.data.rows.label_formats import LABEL_FORMATS, format_named_by
    from foretext.vectors.formats.detection import detect_format

    if to is not None or not source.is_file() or format_named_by(source) is None:
        return
    try:
        detect_format(source)
    except VectorFileError:
        raise SettingError(
            f"{target}: the name does not say which format of labels is meant, and {source} has "
            f"no vectors; give --to with one of {', '.join(LABEL_FORMATS)}."
        ) from None


def convert_rows(
    source: Path | str,
    target: Path,
    to: Any,
    rows: dict[str, Any],
    *,
    as_json: bool,
    **options: Any,
) -> None:
    """Write labelled rows in another format, and say what it cannot hold."""
    from foretext.data.rows.conversion import convert_labels

    columns = {
        name: int(value) if isinstance(value, str) and value.isdecimal() else value
        for name, value in rows.items()
    }
    with clock_of("converting"):
        found = convert_labels(source, target, to, rows=columns, **options)
    if found.unlabelled:
        left_out = counted(found.unlabelled, "row is", "rows are")
        say(f"foretext: {left_out} left out, which nobody has labelled.", error=True)
    for misfit in found.misfits[:SHOWN]:
        say(f"foretext: {misfit.sentence}.", error=True)
    if more := len(found.misfits) - SHOWN:
        _say_more(more)
    if found.unclear:
        many = counted(len(found.unclear), "row has", "rows have")
        say(
            f"foretext: {found.unclear[0]}: {many} characters such as emoji, and entities without "
            "their texts; offsets were read as characters, not as UTF-16 code units: compare some.",
            error=True,
        )
    if as_json:
        print_json(found.summary())
    else:
        say(_line(found))


def _say_more(number: int) -> None:
    if number > 0:
        named = counted(number, "more entity does", "more entities do")
        say(f"foretext: {named} not fit tokens; --json names all.", error=True)


def _line(found: ConvertedLabels) -> str:
    noun, answer = ("sentence", "entity") if found.task == "tagging" else ("text", "label")
    noun = "pair" if found.task == "matching" else noun
    answers = counted(found.answers, answer, "entities" if answer == "entity" else "labels")
    return f"{counted(found.rows, noun)}, {answers}, as {found.format}: {found.target}"
