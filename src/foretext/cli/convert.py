"""``foretext convert SOURCE TARGET``: vectors, or labelled rows, as TARGET says."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from foretext.base.counted import number_of
from foretext.base.terminal import say
from foretext.cli.completion import complete_run
from foretext.cli.converting_labels import convert_rows, is_of_labels, refuse_undecided
from foretext.cli.row_options import Label, Reading, Tag, Text, TextA, TextB, Token
from foretext.cli.shared import AsJson, Overwrite, clock_of, given_options, print_json
from foretext.messages import message
from foretext.tasks.named_columns import reading_options

if TYPE_CHECKING:
    from foretext.vectors.word_vectors import WordVectors

__all__ = ["convert"]


def convert(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="SOURCE",
            help="A run's folder or a vector file; or labelled rows, as finetune reads them.",
            autocompletion=complete_run,
        ),
    ],
    target: Annotated[Path, typer.Argument(metavar="TARGET", help="The file to write.")],
    to: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT",
            help="Of vectors: word2vec, word2vec-bin, glove, fasttext, safetensors. Of labels: "
            "label-studio, doccano, prodigy, docbin, conllu, jsonl, csv, tsv. By default by the "
            "suffix of TARGET.",
        ),
    ] = None,
    dtype: Annotated[
        Literal["float32", "float16", "int8"] | None,
        typer.Option(
            help="Type of the numbers; float32, or in safetensors one of the others.",
        ),
    ] = None,
    repeated: Annotated[
        Literal["refuse", "first"] | None,
        typer.Option(help="Words that occur twice in a file: first keeps the first vector."),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(metavar="N", help="Read the first N words of a file.")
    ] = None,
    encoding: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Encoding of SOURCE, where it is a file; utf-8."),
    ] = None,
    errors: Annotated[
        Literal["strict", "ignore", "replace"] | None,
        typer.Option(help="Characters of words that are not in the encoding."),
    ] = None,
    task: Annotated[
        Literal["classification", "matching", "tagging"] | None,
        typer.Option(help="What labelled rows teach; by default as they look."),
    ] = None,
    suggested: Annotated[
        bool,
        typer.Option(
            "--suggested", help="Labels are suggestions that a person shall check, as of a model."
        ),
    ] = False,
    text: Text = None,
    label: Label = None,
    text_a: TextA = None,
    text_b: TextB = None,
    token: Token = None,
    tag: Tag = None,
    settings: Reading = None,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Write vectors, or labelled rows, in another format.

    TARGET's format says which of the two: a run's vectors or a vector file, or labels for Label
    Studio, doccano, Prodigy, spaCy or a spreadsheet.
    """
    of_labels = given_options(
        task=task, text=text, label=label, text_a=text_a, text_b=text_b, token=token, tag=tag
    )
    of_vectors = given_options(dtype=dtype, repeated=repeated, limit=limit, errors=errors)
    if is_of_labels(target, to):
        _refuse(of_vectors, message("options.convert.labels", target=target))
        columns = {name: value for name, value in of_labels.items() if name != "task"}
        rows = {**reading_options(settings or [], encoding), **columns}
        convert_rows(
            source, target, to, rows, as_json=as_json,
            task=task, suggested=suggested, overwrite=overwrite,
        )  # fmt: skip
        return
    refuse_undecided(source, target, to)
    of_labels |= {"suggested": True} if suggested else {}
    of_labels |= {"set": settings} if settings else {}
    _refuse(of_labels, message("options.convert.vectors", target=target))
    _convert_vectors(
        source, target, to, dtype or "float32",
        {**of_vectors, **given_options(encoding=encoding)},
        overwrite=overwrite, as_json=as_json,
    )  # fmt: skip


def _refuse(options: dict[str, Any], why: str) -> None:
    from foretext.base.errors import SettingError

    for name in options:
        raise SettingError(
            message("options.general.because", option=name.replace("_", "-"), why=why)
        )


def _convert_vectors(
    source: Path,
    target: Path,
    to: str | None,
    dtype: Literal["float32", "float16", "int8"],
    given: dict[str, Any],
    *,
    overwrite: bool,
    as_json: bool,
) -> None:
    from foretext.artifact import load_vectors
    from foretext.base.files import refuse_existing
    from foretext.vectors.storage import storage_loss

    options = {name: value for name, value in given.items() if name != "dtype"}
    refuse_existing(target, overwrite=overwrite)
    with clock_of(message("progress.converting")) as clock:
        vectors = _opened(source, options) if options else load_vectors(source)
        clock.stage(message("progress.writing_words", words=number_of("word", len(vectors))))
        vectors.save(target, to, dtype=dtype)
    result: dict[str, Any] = {
        "target": str(target),
        "words": len(vectors),
        "vector_size": vectors.vector_size,
    }
    words = number_of("word", len(vectors))
    line = message("terminal.convert.done", words=words, size=vectors.vector_size, path=target)
    if dtype != "float32":
        loss = storage_loss(vectors.vectors, dtype)
        result |= {"dtype": dtype, "bytes": target.stat().st_size, **loss._asdict()}
        said = message(
            "terminal.convert.loss",
            dtype=dtype,
            bytes=result["bytes"],
            cosine=loss.mean_cosine,
            rate=loss.neighbors_kept_rate,
        )
        line += f"\n{said}"
    if as_json:
        print_json(result)
    else:
        say(line)


def _opened(source: Path | str, options: dict[str, Any]) -> WordVectors:
    """Read a file that is not quite clean."""
    from foretext.base.errors import SettingError
    from foretext.vectors.word_vectors import WordVectors

    if Path(source).is_dir():
        named = " and ".join(f"--{name}" for name in options)
        raise SettingError(message("options.convert.folder", option=named, source=source))
    return WordVectors.load(source, **options)
