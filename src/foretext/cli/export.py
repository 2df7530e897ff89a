"""``foretext export RUN -o DIR --to onnx`` or ``--page``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from foretext.base.counted import number_of
from foretext.base.errors import SettingError
from foretext.base.terminal import say
from foretext.cli.shared import AsJson, ModelArgument, Overwrite, Quiet, print_json
from foretext.messages import message

__all__ = ["export"]


def export(
    run: ModelArgument,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="The folder to write.")
    ],
    to: Annotated[
        Literal["onnx", "onnx-int8", "openvino", "gguf", "gguf-f16", "gguf-q8", "static"] | None,
        typer.Option(
            help="The format: ONNX in float32, the default, or with weights of 8 bits, OpenVINO, "
            "GGUF for llama.cpp in float32, float16 or 8 bits, or static: vectors of tokens, for "
            "model2vec and ONNX Runtime."
        ),
    ] = None,
    page: Annotated[
        bool,
        typer.Option("--page", help="A folder of web pages: the visitor's browser runs the model."),
    ] = False,
    limit: Annotated[
        int | None,
        typer.Option(metavar="N", min=2, help="Of word vectors on a page: the first N words."),
    ] = None,
    runtime: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Of a network on a page: the folder node_modules with onnxruntime-web and "
            "@huggingface/tokenizers; by default the one in this folder or above it.",
        ),
    ] = None,
    texts: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Texts to compare the copy with; by default those that RUN has learned from, if "
            "they still exist.",
        ),
    ] = None,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Write a model for other programs, or for web browsers."""
    if page and to not in (None, "onnx", "onnx-int8"):
        raise SettingError(message("options.export.page_and_format", format=to))
    if page:
        options: dict[str, Any] = {"texts": texts, "limit": limit, "overwrite": overwrite}
        options |= {"to": to, "runtime": runtime}
        _write_page(run, output, options, quiet=quiet, as_json=as_json)
        return
    for name, given in (("limit", limit), ("runtime", runtime)):
        if given is not None:
            raise SettingError(message("options.export.without_page", name=name))
    from foretext.exporting.export import export as exported

    found = exported(
        run, output, to or "onnx", texts=texts, overwrite=overwrite, quiet=quiet or None
    )
    if as_json:
        print_json(found.record())
        return
    say(found.sentence())
    say(message("terminal.bytes", bytes=found.bytes, path=output))


def _write_page(
    run: Path, output: Path, options: dict[str, Any], *, quiet: bool, as_json: bool
) -> None:
    from foretext.exporting.page import export_page

    found = export_page(run, output, quiet=quiet or None, **options)
    for note in found.notes:
        say(message("terminal.note", said=note), error=True)
    if as_json:
        print_json(found.record())
        return
    if found.check is not None:
        say(
            message(
                "terminal.export.compared",
                texts=number_of("text", found.check.texts),
                parts=found.compared_parts,
                largest=found.check.largest,
            )
        )
    loaded = {"bytes": found.loaded_bytes, "dtype": found.dtype, "path": output}
    say(message("terminal.export.loaded", **loaded))
    key = "open" if found.is_local else "serve"
    say(message(f"terminal.export.{key}", path=output))
