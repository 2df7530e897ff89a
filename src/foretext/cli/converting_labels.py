"""``foretext convert`` where the target is a file of labels."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from foretext.base.counted import number_of
from foretext.base.terminal import say
from foretext.cli.shared import clock_of, print_json
from foretext.messages import ended, message

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
            message(
                "options.convert.undecided",
                target=target,
                source=source,
                names=", ".join(LABEL_FORMATS),
            )
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
    with clock_of(message("progress.converting")):
        found = convert_labels(source, target, to, rows=columns, **options)
    if found.unlabelled:
        _tell(_one_or_many("unlabelled", found.unlabelled))
    for misfit in found.misfits[:SHOWN]:
        _tell(ended(misfit.sentence))
    if (more := len(found.misfits) - SHOWN) > 0:
        _tell(_one_or_many("more", more))
    if found.unclear:
        _tell(_one_or_many("unclear", len(found.unclear), where=found.unclear[0]))
    if as_json:
        print_json(found.summary())
    else:
        say(_line(found))


def _tell(sentence: str) -> None:
    say(f"foretext: {sentence}", error=True)


def _one_or_many(key: str, number: int, **values: object) -> str:
    """Return a sentence on one or more of something."""
    form = "one" if number == 1 else "many"
    return message(f"terminal.labels.{key}_{form}", number=number, **values)


def _line(found: ConvertedLabels) -> str:
    noun, answer = ("sentence", "entity") if found.task == "tagging" else ("text", "label")
    noun = "pair" if found.task == "matching" else noun
    return message(
        "terminal.labels.written",
        rows=number_of(noun, found.rows),
        answers=number_of(answer, found.answers),
        format=found.format,
        path=found.target,
    )
