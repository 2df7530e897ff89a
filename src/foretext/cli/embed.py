"""``foretext embed RUN [INPUT|-] -o F.npy``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from foretext.base.counted import number_of
from foretext.base.errors import CorpusError
from foretext.base.terminal import say
from foretext.cli.shared import (
    Encoding,
    Overwrite,
    Quiet,
    RunArgument,
    bar_of,
    given_options,
    print_json,
    refuse_options,
)
from foretext.messages import message

__all__ = ["embed"]


def embed(
    run: RunArgument,
    texts: Annotated[
        str,
        typer.Argument(
            metavar="INPUT",
            help="A file with a text a line, a table or JSON with a column of texts, or images "
            "(autoencoder); - reads the terminal.",
        ),
    ] = "-",
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="A .npy or .parquet file to write."),
    ] = None,
    text: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="The text's column, by name or from 1; `text` by default."
        ),
    ] = None,
    encoding: Encoding = None,
    weighting: Annotated[
        Literal["mean", "sif"] | None,
        typer.Option(help="Word vectors: mean of the words (default), or weighted by rarity, sif."),
    ] = None,
    pooling: Annotated[
        Literal["mean", "cls", "max"] | None,
        typer.Option(help="Language model: over the positions; by default the model's own."),
    ] = None,
    layer: Annotated[
        list[int] | None,
        typer.Option(
            metavar="N",
            help="Language model: 0 is the embeddings, -1 the last layer (default); given more "
            "than once, the mean of the layers.",
        ),
    ] = None,
    dim: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Language model: the first N numbers of each vector, scaled to length 1; for "
            "models that learned Matryoshka dimensions.",
        ),
    ] = None,
    normalize: Annotated[
        bool | None,
        typer.Option(
            help="Language model: vectors of length 1; by default as the model's folder says."
        ),
    ] = None,
    precision: Annotated[
        Literal["auto", "bf16", "fp32", "int8"] | None,
        typer.Option(
            help="Language model: numbers to compute in; int8, the fastest, needs a processor with "
            "VNNI instructions."
        ),
    ] = None,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
    as_json: Annotated[
        bool,
        typer.Option(
            "--json",
            help="With --output: print the result as one JSON document. Without it, vectors are "
            "JSON documents, for each input a line.",
        ),
    ] = False,
) -> None:
    """Turn each text of a file into one vector."""
    from foretext.artifact import kind_of_run, load_embedder
    from foretext.vectors.embedding_file import save_embeddings
    from foretext.vectors.empty_texts import empty_doubt, num_empty

    kind = kind_of_run(run)
    of_model = given_options(
        weighting=weighting,
        pooling=pooling,
        layer=tuple(layer) if layer else None,
        dim=dim,
        normalize=normalize,
        precision=precision,
    )
    if kind.reads_text and kind.embedder is None:
        load_embedder(run)  # says why
    refuse_options(run, kind.phrase, of_model.keys() - {*kind.embed_options})
    if not kind.reads_text:
        refuse_options(run, kind.phrase, given_options(text=text, encoding=encoding))
        _embed_examples(run, texts, output, overwrite=overwrite, as_json=as_json)
        return
    lines = list(_texts(texts, text, encoding))
    if not lines:
        raise CorpusError(message("errors.holds_no_text", name=texts))
    model: Any = load_embedder(run)
    if not model.has_layers:
        refuse_options(run, kind.phrase, of_model.keys() & {"pooling", "layer"})
    if (computing := of_model.pop("precision", None)) is not None:
        model.use_precision(computing)
    with bar_of(lines, message("progress.embedding"), quiet=quiet) as bar:
        vectors = model.embed(lines, **of_model, progress=bar)
    filled = sum(map(bool, map(str.strip, lines)))
    doubt = empty_doubt(num_empty(vectors) - len(lines) + filled, filled)
    if doubt is not None:
        _doubt(doubt)
    if output is not None:
        save_embeddings(output, lines, vectors, overwrite=overwrite)
        result = {"texts": len(lines), "output": str(output)}
        print_json(result) if as_json else _say_made("text", len(lines), output)
        return
    for line, vector in zip(lines, vectors, strict=True):
        print_json({"text": line, "vector": [round(float(x), 6) for x in vector]})


def _texts(source: str, column: str | None, encoding: str | None) -> Iterator[str]:
    """Yield the texts of a file: those of a column, or its lines."""
    from foretext.data.rows import InputColumns, RowsConfig, input_files, text_inputs

    chosen: dict[str, str | int] = {}
    if column is not None:
        chosen["text"] = int(column) if column.isdecimal() else column
    config = RowsConfig.checked({} if encoding is None else {"encoding": encoding}, "rows")
    wanted = InputColumns(("text",), config, chosen, doubt=_doubt)
    for file in input_files(source, wanted.reading):
        yield from (each.texts[0] for each in text_inputs(file, wanted))


def _doubt(sentence: str) -> None:
    say(f"foretext: {sentence}.", error=True)


def _say_made(noun: str, number: int, output: Path) -> None:
    say(message("terminal.made", what=number_of(noun, number), path=output))


def _embed_examples(
    run: Path, examples: str, output: Path | None, *, overwrite: bool, as_json: bool
) -> None:
    """Write the codes of a file of images, or of vectors, or print a JSON line for each."""
    from foretext.data.images import read_images
    from foretext.language_model.codec import Codec
    from foretext.vectors.embedding_file import save_embeddings

    codes = Codec.load(run).encode(read_images(examples))
    if output is not None:
        save_embeddings(output, list(map(str, range(len(codes)))), codes, overwrite=overwrite)
        result = {"examples": len(codes), "output": str(output)}
        print_json(result) if as_json else _say_made("example", len(codes), output)
        return
    for row, code in enumerate(codes):
        print_json({"example": row, "vector": [round(float(x), 6) for x in code]})
