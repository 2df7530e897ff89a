"""``foretext generate RUN PROMPT``."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from foretext.base.terminal import say
from foretext.cli.shared import AsJson, ModelArgument, print_json
from foretext.messages import message

__all__ = ["generate"]


def generate(
    run: ModelArgument,
    prompt: Annotated[
        str, typer.Argument(metavar="PROMPT", help="The beginning of the text; none: a new text.")
    ] = "",
    max_new_tokens: Annotated[
        int, typer.Option(metavar="N", min=1, help="Tokens to generate, at most.")
    ] = 50,
    temperature: Annotated[
        float | None,
        typer.Option(
            metavar="X",
            min=0.0,
            help="0: always the likeliest token; 1: the model's own probabilities; by default 0.8.",
        ),
    ] = None,
    top_k: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Draw from this many likeliest tokens.")
    ] = None,
    top_p: Annotated[
        float | None,
        typer.Option(
            metavar="P",
            min=0.0,
            max=1.0,
            help="Draw from the likeliest tokens that together have this probability.",
        ),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="A text that the new one follows (T5, BART, UniLM)."),
    ] = None,
    suffix: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT", help="A text that stands behind the new one, as it is (T5, BART)."
        ),
    ] = None,
    num_beams: Annotated[
        int,
        typer.Option(metavar="N", min=1, help="Search for the likeliest texts with so many beams."),
    ] = 1,
    num_samples: Annotated[
        int, typer.Option(metavar="N", min=1, help="Continuations to generate.")
    ] = 1,
    seed: Annotated[
        int, typer.Option(metavar="N", help="Of the draws; another seed, another text.")
    ] = 0,
    stop: Annotated[
        list[str] | None,
        typer.Option(metavar="TEXT", help="A text that ends it; may be given more than once."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Continue a prompt; write after a source, or before a suffix."""
    from foretext.artifact import load_language_model

    streams = num_samples == num_beams == 1 and not as_json
    model = load_language_model(run)
    stream = _Stream(prompt, suffix or "")
    samples = model.generate(
        prompt,
        max_new_tokens,
        temperature,
        top_k,
        top_p,
        source=source,
        suffix=suffix,
        num_samples=num_samples,
        num_beams=num_beams,
        seed=seed,
        stop=stop or (),
        stream=stream.show if streams else None,
    )
    if as_json:
        print_json([asdict(sample) for sample in samples])
    elif streams:
        stream.end()
    else:
        say("\n\n".join(f"{sample}{suffix or ''}" for sample in samples))
    if samples[0].num_forgotten:
        say(
            f"foretext: {message('terminal.forgotten', number=samples[0].num_forgotten)}",
            error=True,
        )


class _Stream:
    """Shows a prompt, the new text as it comes, and a suffix, once the model has accepted them."""

    def __init__(self, prompt: str, suffix: str) -> None:
        self.hidden = prompt  # until the first piece comes
        self.suffix = suffix

    def show(self, piece: str) -> None:
        say(self.hidden + piece, end="")
        self.hidden = ""

    def end(self) -> None:
        say(self.hidden + self.suffix)
