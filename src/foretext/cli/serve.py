"""``foretext serve RUN...``."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from foretext.base.interruption import STOPPED, lent_signals
from foretext.base.terminal import say
from foretext.cli.completion import complete_run
from foretext.cli.shared import given_options, print_json
from foretext.messages import message

if TYPE_CHECKING:
    from foretext.serving.running import Listening
    from foretext.serving.served_model import Models

__all__ = ["serve"]


def serve(
    runs: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN",
            help="Folders of runs or models, vector files or indexes; NAME=RUN gives one a name.",
            autocompletion=complete_run,
        ),
    ],
    host: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Address to listen at, by default 127.0.0.1; 0.0.0.0 lets other machines in.",
        ),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(metavar="N", help="Port to listen at, by default 8000; 0 takes any free one."),
    ] = None,
    api_key_file: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Keys, one a line, of which a client needs one; or FORETEXT_API_KEY has it.",
        ),
    ] = None,
    cors: Annotated[
        list[str] | None,
        typer.Option(metavar="ORIGIN", help="Let the pages of a site ask; * lets all."),
    ] = None,
    allowed_host: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A name that clients call the server by, as of a proxy."),
    ] = None,
    tls_cert: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Certificate for HTTPS, as PEM.")
    ] = None,
    tls_key: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Private key of the certificate, as PEM.")
    ] = None,
    max_requests: Annotated[
        int | None,
        typer.Option(metavar="N", help="Requests answered at once, by default 512; then 429."),
    ] = None,
    max_tokens: Annotated[
        int | None,
        typer.Option(metavar="N", help="Tokens of these, by default 2,000,000; then 429."),
    ] = None,
    max_seconds: Annotated[
        float | None,
        typer.Option(metavar="S", help="Time until an answer begins, by default 60; then 503."),
    ] = None,
    max_body: Annotated[
        str | None,
        typer.Option(metavar="SIZE", help="Size of a request, by default 32MB; then 413."),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Another limit: max_batch_tokens, max_wait, max_inputs, max_request_tokens, "
            "max_bodies, max_connections, header_seconds, body_seconds, idle_seconds, "
            "write_seconds.",
        ),
    ] = None,
    access_log: Annotated[
        Literal["text", "json", "off"] | None,
        typer.Option(help="How each request is logged on standard error."),
    ] = None,
    log_texts: Annotated[
        bool, typer.Option("--log-texts", help="Log the texts of requests, too.")
    ] = False,
    as_json: Annotated[
        bool,
        typer.Option(
            "--json",
            help="Print what is served, once it is, as one JSON document; log lines are JSON, too.",
        ),
    ] = False,
) -> None:
    """Answer requests over HTTP with any models, and on a page."""
    from foretext.serving.running import limit_library_memory

    limit_library_memory()  # before PyTorch is there
    from foretext.serving import ServingConfig
    from foretext.serving.opening import named_places
    from foretext.serving.running import Listening, fit_connections, listening_warnings, run_server
    from foretext.serving.served_model import Models
    from foretext.serving.settings import Keys

    given: dict[str, Any] = given_options(
        host=host, port=port, api_key_file=api_key_file, tls_cert=tls_cert, tls_key=tls_key,
        max_requests=max_requests, max_tokens=max_tokens, max_seconds=max_seconds,
        max_body=max_body, access_log=access_log or ("json" if as_json else None),
        cors=tuple(cors) if cors else None,
        allowed_hosts=tuple(allowed_host) if allowed_host else None,
    )  # fmt: skip
    chosen = ServingConfig.checked(
        {**given, "log_texts": log_texts, **_overrides(settings or [])}, "serve"
    )
    models = Models({}, named_places(runs))
    keys = Keys.read(chosen.api_key_file, os.environ)
    chosen, few_files = fit_connections(chosen)
    warnings = [*listening_warnings(chosen, keys), few_files]
    listening = Listening(chosen)
    for warning in filter(None, warnings):
        say(f"foretext: {warning}", error=True)
    try:
        with lent_signals():
            run_server(
                models,
                chosen,
                listening,
                lambda seconds: _announce(models, listening, seconds, as_json=as_json),
            )
    except KeyboardInterrupt:
        say(f"foretext: {message('terminal.serve.stopped_at_once')}", error=True)
        sys.stdout.flush()
        os._exit(STOPPED)  # the model's thread computes on, and no thread can be ended
    finally:
        listening.close()
    say(f"foretext: {message('terminal.serve.stopped')}", error=True)


def _overrides(settings: list[str]) -> dict[str, Any]:
    """Return what ``--set NAME=VALUE`` says."""
    from foretext.recipe.recipe import read_overrides

    return read_overrides([f"serve.{setting}" for setting in settings], ["serve"]).get("serve", {})


def _announce(models: Models, listening: Listening, seconds: float, *, as_json: bool) -> None:
    """Say where which models are served, and how long that took."""
    from foretext.serving.running import process_seconds

    age = process_seconds()
    if as_json:
        served = [{"name": model.name, "kind": model.kind} for model in models]
        took = {"seconds": round(seconds, 3), "ready_after": None if age is None else round(age, 3)}
        print_json({"url": listening.url, "models": served, **took})
        return
    names = ", ".join(f"{model.name} ({model.kind})" for model in models)
    key = "loaded" if age is None else "ready"
    loaded = message(f"terminal.serve.{key}", seconds=seconds, age=age)
    say(message("terminal.serve.serves", url=listening.url, names=names, loaded=loaded))
