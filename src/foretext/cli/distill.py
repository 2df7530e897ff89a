"""``foretext distill MODEL -o FOLDER``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from foretext.base.counted import number_of
from foretext.base.errors import SettingError
from foretext.base.terminal import say
from foretext.cli.shared import AsJson, ModelArgument, Overwrite, Quiet, given_options, print_json
from foretext.messages import message

__all__ = ["distill"]

OF_NETWORK = ("layers", "width", "budget", "set", "resume")
OF_STATIC = ("num_texts", "dim", "dtype")


def distill(
    model: ModelArgument,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="The folder to write.")
    ],
    into: Annotated[
        Literal["static", "network"],
        typer.Option(
            help="What the model becomes: static, vectors of its tokens; network, a smaller one of "
            "the same form."
        ),
    ] = "static",
    corpus: Annotated[
        str | None,
        typer.Option(
            metavar="CORPUS",
            help="static: texts like those to embed; the vectors are fitted to what the model says "
            "of them. network: text that it learns the model's answers on.",
        ),
    ] = None,
    num_texts: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="static: texts of the corpus to read (4,000 by default)."
        ),
    ] = None,
    dim: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="static: numbers of a vector (256 by default)."),
    ] = None,
    dtype: Annotated[
        Literal["float32", "float16", "int8"] | None,
        typer.Option(help="static: type of the numbers in the folder (float32 by default)."),
    ] = None,
    layers: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="network: its layers.")
    ] = None,
    width: Annotated[
        int | None,
        typer.Option(metavar="N", min=2, help="network: width of its states (that of the model)."),
    ] = None,
    budget: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="network: wall-clock time, such as 5m (ten epochs)."),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="SECTION.NAME=VALUE", help="network: change one setting."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="network: continue the unfinished run in FOLDER.")
    ] = False,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Make a small, fast model out of a large one."""
    options = given_options(
        num_texts=num_texts, dim=dim, dtype=dtype, layers=layers, width=width, budget=budget,
        set=settings or None, resume=resume or None,
    )  # fmt: skip
    _refuse_other_options(into, {**options, **given_options(corpus=corpus)})
    if into == "network":
        student = _into_network(
            model, output, corpus=corpus, overwrite=overwrite, quiet=quiet or None, **options
        )
        if as_json:
            print_json(student)
            return
        say(
            message(
                "terminal.distill.network",
                parameters=student["parameters"],
                layers=student["layers"],
                seconds=student["seconds"],
                path=output,
            )
        )
        return
    result = _into_static(model, output, corpus, overwrite=overwrite, quiet=quiet, **options)
    if as_json:
        print_json(result)
        return
    say(
        message(
            f"terminal.distill.{'static_after' if result['texts'] else 'static'}",
            tokens=number_of("token", result["tokens"]),
            size=result["vector_size"],
            texts=number_of("text", result["texts"]),
            seconds=result["seconds"],
            path=output,
        )
    )


def _into_static(
    model: Path, output: Path, corpus: str | None, *, quiet: bool, **options: Any
) -> dict[str, Any]:
    """Write static vectors, and return what to say of them."""
    from foretext.base.errors import SettingError
    from foretext.base.registry import imported

    if corpus is None and "num_texts" in options:
        raise SettingError(message("options.distill.num_texts"))
    distill_static = imported("foretext.pretraining.static_distillation:distill_static")
    found = distill_static(model, output, corpus, quiet=quiet or None, **options)
    return {
        "output": str(output),
        "tokens": len(found),
        "vector_size": found.vector_size,
        "texts": found.facts["texts"],
        "seconds": found.facts["seconds"],
    }


def _refuse_other_options(into: str, given: dict[str, Any]) -> None:
    """Refuse options of the other form.

    Args:
        into: what the model becomes.
        given: the options that were given, by name.

    Raises:
        SettingError: one has no effect, or the layers of a network are missing.
    """
    others = OF_STATIC if into == "network" else OF_NETWORK
    for name in others:
        if name in given:
            raise SettingError(
                message("options.distill.of_into", option=name.replace("_", "-"), into=into)
            )
    if into == "network":
        for name in ("corpus", "layers"):
            if name not in given:
                raise SettingError(message("options.distill.needs", name=name))


def _into_network(
    teacher: Path, output: Path, *, resume: bool = False, **options: Any
) -> dict[str, Any]:
    """Train a smaller network, and return what to say of it."""
    from foretext.pretraining.distill import OPEN, distill_network
    from foretext.recipe import read_overrides

    settings = read_overrides(options.pop("set", []), OPEN)
    corpus = options.pop("corpus")
    learned = distill_network(
        teacher, corpus, output, settings=settings, resume=resume, report=True, **options
    )
    last = learned.history[-1]
    return {
        "output": str(output),
        **learned.size,
        "layers": learned.recipe.parts["backbone"].settings()["num_layers"],
        "loss": last.get("loss"),
        "valid_loss": last.get("valid_loss"),
        "seconds": last["time"],
    }
