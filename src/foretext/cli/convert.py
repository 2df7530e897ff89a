"""``foretext convert SOURCE TARGET``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from foretext.base.counted import counted
from foretext.base.terminal import say
from foretext.cli.shared import AsJson, Overwrite, RunArgument, clock_of, print_json

if TYPE_CHECKING:
    from foretext.vectors.word_vectors import WordVectors

__all__ = ["convert"]


def convert(
    source: RunArgument,
    target: Annotated[Path, typer.Argument(metavar="TARGET", help="The file to write.")],
    to: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT",
            help="word2vec, word2vec-bin, glove, fasttext, safetensors; default: suffix.",
        ),
    ] = None,
    dtype: Annotated[
        Literal["float32", "float16", "int8"],
        typer.Option(help="Type of the numbers; other types than float32 only in safetensors."),
    ] = "float32",
    repeated: Annotated[
        Literal["refuse", "first"] | None,
        typer.Option(help="Words that occur twice in a file: first keeps the first vector."),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(metavar="N", help="Read the first N words of a file.")
    ] = None,
    encoding: Annotated[
        str | None, typer.Option(metavar="NAME", help="Encoding of the words of a file; utf-8.")
    ] = None,
    errors: Annotated[
        Literal["strict", "ignore", "replace"] | None,
        typer.Option(help="Characters of words that are not in the encoding."),
    ] = None,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Write a run's vectors, or a vector file, in another format."""
    from foretext.artifact import load_vectors
    from foretext.base.files import refuse_existing
    from foretext.vectors.storage import storage_loss

    given = {"repeated": repeated, "limit": limit, "encoding": encoding, "errors": errors}
    options = {name: value for name, value in given.items() if value is not None}
    refuse_existing(target, overwrite=overwrite)
    with clock_of("converting") as clock:
        vectors = _opened(source, options) if options else load_vectors(source)
        clock.stage(f"writing {counted(len(vectors), 'word')}")
        vectors.save(target, to, dtype=dtype)
    result: dict[str, Any] = {
        "target": str(target),
        "words": len(vectors),
        "vector_size": vectors.vector_size,
    }
    line = f"{counted(len(vectors), 'word')}, {vectors.vector_size} dimensions: {target}"
    if dtype != "float32":
        loss = storage_loss(vectors.vectors, dtype)
        result |= {"dtype": dtype, "bytes": target.stat().st_size, **loss._asdict()}
        line += (
            f"\n{dtype}: {result['bytes']:,} bytes; mean cosine with the original "
            f"{loss.mean_cosine:.6f}, {loss.neighbors_kept_rate:.1%} of the 10 nearest words kept"
        )
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
        raise SettingError(f"{named}: {source} is a folder; such options are for vector files.")
    return WordVectors.load(source, **options)
