"""The steps of an export: check, write, run what was written, compare, keep."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from foretext._version import __version__
from foretext.artifact import kind_of_run, load, opened_run
from foretext.base.arguments import checked_arguments
from foretext.base.counted import number_of
from foretext.base.errors import SettingError, suggestion
from foretext.base.files import atomic_folder
from foretext.exporting import EXPORTS
from foretext.exporting.files import refuse_output, write_json
from foretext.exporting.form import Computed, ExportForm, Texts, check_packages
from foretext.exporting.parity import Parity
from foretext.exporting.texts import compared_rows
from foretext.kinds import KINDS, TASK, Kind
from foretext.messages import commas, language, listed, message, sentences, translated
from foretext.progress import Progress, is_quiet

__all__ = ["RECORD", "Exported", "compared", "export"]

RECORD, CARD = "export.json", "README.md"
BLOCK = 64  # inputs that are compared at once, at most
MOST_OTHERWISE = 0.05  # share of the user's texts that a program may read differently
MOST_NUMBERS = 20_000_000  # that are computed of a block, of one layer or output


class Exported(NamedTuple):
    """What an export left."""

    output: Path
    form: str  # of `EXPORTS`
    parity: Parity
    bytes: int  # of all files
    own_texts: int  # that were compared beside those of foretext
    checked_by: str = ""  # which program ran the copy; "": the one of the format

    def record(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {
            "output": str(self.output),
            "to": self.form,
            "bytes": self.bytes,
            "own_texts": self.own_texts,
            **({"checked_by": self.checked_by} if self.checked_by else {}),
            **self.parity.record(),
        }

    def sentence(self) -> str:
        """Say how close the copy is to the original."""
        by = f" {self.checked_by}." if self.checked_by else ""
        return self.parity.sentence() + by + _without_own(self.own_texts)


@checked_arguments
def export(
    run: str | Path,
    output: str | Path,
    to: str = "onnx",
    *,
    texts: Any = None,
    overwrite: bool = False,
    quiet: bool | None = None,
) -> Exported:
    """Write a model in the format of other programs, and compare the copy with the original.

    Args:
        run: the folder of a run, or of a model of Hugging Face.
        output: the folder to write.
        to: the format, a name of `foretext.exporting.EXPORTS`.
        texts: to compare with: files, or texts in memory; None: those that the run has learned
            from, if they still exist. foretext adds difficult ones.
        overwrite: replace a folder that is there.
        quiet: show no progress; None: show it on a terminal.

    Raises:
        SettingError: there is no such format, it cannot hold this model, or its program reads
            the texts differently.
        MissingExtraError: a package is missing.
        ModelFileError: the copy differs from the original; nothing is kept.
        ForetextError: the run cannot be opened, or the folder cannot be written.
    """
    output = Path(output)
    refuse_output(run, output, overwrite=overwrite)
    form = opened_form(run, to)
    folder_of_run = opened_run(run).path
    rows, num_own = compared_rows(folder_of_run, texts, form.num_texts, form.model, asks=form.asks)
    bar = Progress(message("progress.exporting"), len(rows), "texts", quiet=is_quiet(quiet))
    with bar, closing(form), atomic_folder(output) as folder:
        form.write(folder)
        causes = form.read_otherwise(rows)
        _check_causes(causes[:num_own], to)
        same = [row for row, cause in zip(rows, causes, strict=True) if cause is None]
        bar.advance(len(rows) - len(same))
        left_out = Counter(cause for cause in causes if cause is not None)
        parity = compared(form, folder, same, bar)._replace(otherwise=left_out)
        parity.check(form.bound, to)
        _describe(folder, form, to, parity, num_own, Path(run).resolve().name)
        size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    return Exported(output, to, parity, size, num_own, form.checked_by)


def opened_form(run: str | Path, to: str) -> ExportForm:
    """Open a run for an export.

    Raises:
        SettingError: there is no such format, or it has no such model.
        MissingExtraError: a package is missing.
    """
    if to not in EXPORTS:
        hint = suggestion(to, EXPORTS) or message("errors.there_are", names=", ".join(EXPORTS))
        raise SettingError(sentences([message("exporting.refusal.format", format=to), hint]))
    kind = kind_of_run(run)
    if to not in kind.exports:
        raise SettingError(_refusal(run, to, kind))
    component: type[ExportForm] = EXPORTS.resolve(to)
    check_packages(component)
    return component(load(run), kind)


def _refusal(run: str | Path, to: str, kind: Kind) -> str:
    """Say that a kind of run has no such export, and what has one."""
    if kind.exports:
        formats = f" {message('errors.or')} ".join(kind.exports)
        named = {"kind": translated(kind.phrase), "formats": formats, "format": to}
        return message("exporting.refusal.other", run=run, **named)
    can = [each.phrase for each in (*KINDS.values(), TASK) if to in each.exports]
    phrases = [translated(each) for each in dict.fromkeys(can)]
    kinds = " and ".join(phrases) if language() == "en" else listed(phrases)
    named = {"name": kind.name, "kinds": kinds, "format": to}
    return message("exporting.refusal.none", run=run, **named)


def compared(form: ExportForm, folder: Path, rows: Sequence[Texts], bar: Progress) -> Parity:
    """Compare what was written with the original, block by block.

    Args:
        form: that has written it.
        folder: that it has written.
        rows: inputs.
        bar: advances by the inputs.
    """
    found: list[Parity] = []
    for indices in blocks(form.sizes(rows)):
        some = [rows[index] for index in indices]
        own: Computed = form.own(some)
        found.append(Parity.of(some, own, form.theirs(folder, some)))
        bar.advance(len(some))
    return Parity.joined(found)


def _check_causes(causes: Sequence[str | None], to: str) -> None:
    """Refuse a format whose program reads many texts of the user differently.

    Raises:
        SettingError: it does; nothing is kept.
    """
    found = Counter(cause for cause in causes if cause is not None)
    number = sum(found.values())
    if number > MOST_OTHERWISE * len(causes):
        raise SettingError(
            message(
                "exporting.refusal.reads",
                format=to,
                texts=number_of("text", number),
                all=len(causes),
                causes=commas(map(translated, found)),
            )
        )


def blocks(sizes: Sequence[int]) -> Iterator[list[int]]:
    """Yield the indices of inputs that are compared at once: of like size, and few of large ones.

    The smallest input, the middle and the largest one are each compared alone, without padding.

    Args:
        sizes: numbers that are computed of each input.
    """
    order = sorted(range(len(sizes)), key=sizes.__getitem__)
    alone = dict.fromkeys(order[index] for index in (0, len(order) // 2, -1))
    yield from ([index] for index in alone)
    block: list[int] = []
    for index in order:
        if index in alone:
            continue
        if block and (len(block) == BLOCK or sizes[index] * (len(block) + 1) > MOST_NUMBERS):
            yield block
            block = []
        block.append(index)
    if block:
        yield block


def _without_own(num_own: int) -> str:
    """Say that no text of the user was compared; "": some were."""
    return "" if num_own else message("exporting.parity.no_own")


def _describe(
    folder: Path, form: ExportForm, to: str, parity: Parity, num_own: int, run: str
) -> None:
    """Write the card for people, and the same for programs."""
    name, said = folder.name, sentences([parity.sentence(), _without_own(num_own)])
    record = {
        "foretext": __version__,
        "run": run,
        "to": to,
        **form.facts,
        "parity": {"own_texts": num_own, **parity.record()},
    }
    write_json(folder / RECORD, record)
    written = message("exporting.parity.card", run=run, version=__version__)
    card = f"# {name}\n\n{sentences([written, said])}\n\n"
    (folder / CARD).write_text(
        card + form.usage(name).strip() + "\n", encoding="utf-8", newline="\n"
    )
