"""``foretext extend MODEL -o FOLDER``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from foretext.base.counted import number_of
from foretext.base.errors import SettingError
from foretext.base.terminal import say
from foretext.cli.shared import AsJson, ModelArgument, Overwrite, print_json, read_texts
from foretext.messages import message

if TYPE_CHECKING:
    from foretext.language_model import LanguageModel

__all__ = ["extend"]

NUMBER = 1000


def extend(
    model: ModelArgument,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="The folder to write.")
    ],
    tokens: Annotated[
        str | None,
        typer.Option("--tokens", metavar="FILE", help="Words to make tokens of, one a line."),
    ] = None,
    corpus: Annotated[
        list[str] | None,
        typer.Option(
            "--corpus",
            metavar="CORPUS",
            help="Text of the domain; the words that cost it most pieces become tokens.",
        ),
    ] = None,
    number: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help=f"--corpus: words, at most ({NUMBER:,} by default)."),
    ] = None,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Add words to a model's vocabulary as tokens of their own."""
    from foretext.artifact import load_language_model
    from foretext.base.files import refuse_existing
    from foretext.language_model.extension import extend_vocabulary

    if (tokens is None) == (corpus is None):
        raise SettingError(message("options.extend.which"))
    if tokens is not None and number is not None:
        raise SettingError(message("options.extend.number"))
    refuse_existing(output, overwrite=overwrite)
    opened = load_language_model(model)
    result: dict[str, Any] = {"model": str(output)}
    if corpus is None:
        words = [word for line in read_texts(str(tokens)) if (word := line.strip())]
    else:
        words, result["saved_rate"] = _cut_words(opened, corpus, number or NUMBER)
    extension = extend_vocabulary(opened, words)
    extension.model.save(output)
    result |= {
        "tokens": len(extension.words),
        "vocab_size": extension.model.tokenizer.vocab_size,
        "first_tokens": extension.words[:10],
    }
    if as_json:
        print_json(result)
        return
    say(
        message(
            "terminal.extend.added",
            tokens=number_of("token", result["tokens"]),
            first=", ".join(result["first_tokens"]),
            path=output,
        )
    )
    if "saved_rate" in result:
        say(message("terminal.extend.saved", rate=result["saved_rate"]))
    say(message("terminal.extend.next"))


def _cut_words(model: LanguageModel, corpus: list[str], number: int) -> tuple[list[str], float]:
    from foretext.corpus import Corpus
    from foretext.pretraining.vocabulary_extension import find_cut_words

    found = find_cut_words(Corpus(corpus), model.tokenizer, number)
    return found.words, found.saved_rate
