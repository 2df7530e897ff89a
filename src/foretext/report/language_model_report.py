"""The page of a run that pretrained a language model: how it went, what it says, what it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from foretext.base.counted import number_of
from foretext.messages import message, translated
from foretext.report.axes import in_percent
from foretext.report.charts import curve_chart
from foretext.report.page import PageOptions, duration, label, setting_sections, table, tile
from foretext.report.run_files import (
    LanguageModelFacts,
    Moment,
    NetworkRecord,
    read_facts,
    read_records,
    read_sections,
    read_values,
)
from foretext.report.training_curves import training_curves
from foretext.run_folder import RunFolder

__all__ = ["report_language_model", "write_language_model_report"]

TILES = ("parameters", "vocab_size", "tokens", "documents", "held_out_tokens", "steps")
MOST_MOMENTS = 6  # at which samples are shown


def report_language_model(folder: RunFolder, options: PageOptions) -> None:
    """Write the page of a run of a language model; see `foretext.kinds.Kind.page`."""
    facts = read_facts(folder, LanguageModelFacts)
    write_language_model_report(
        folder.report,
        title=options.headline(facts["recipe"], folder.named),
        facts=facts,
        settings=read_sections(folder.recipe),
        metrics=read_records(folder.metrics, NetworkRecord),
        samples=read_records(folder.samples, Moment),
        plan=read_values(folder.plan),
    )


def write_language_model_report(
    path: Path,
    *,
    title: str,
    facts: Mapping[str, Any],
    settings: Mapping[str, Any],
    metrics: Sequence[Mapping[str, Any]],
    samples: Sequence[Mapping[str, Any]] = (),
    plan: Mapping[str, Any] | None = None,
) -> None:
    """Write one HTML file that shows a pretraining and opens anywhere, without a network.

    Args:
        path: the file, replaced whole.
        title: the headline.
        facts: what ``config.json`` keeps of the run.
        settings: of the run, by section.
        metrics: the lines of metrics.jsonl.
        samples: the lines of samples.jsonl: what the model answered at each validation.
        plan: what was expected, by name, to compare with what happened; or None.

    Raises:
        OutputError: `path` cannot be written.
    """
    from foretext.report.page import write_page

    charts = training_curves(metrics, loss=message("runs.language_model.loss"))
    accuracies = {
        name: translated(name.removeprefix("valid_").removesuffix("_accuracy").replace("_", " "))
        for record in metrics
        for name in record
        if name.startswith("valid_") and name.endswith("_accuracy")
    }
    shares = curve_chart(
        metrics,
        accuracies,
        message("runs.language_model.accuracy"),
        unit="tokens",
        height=200,
        words=in_percent,
    )
    if shares is not None:
        charts["accuracy"] = shares
    write_page(
        path,
        "language_model.html.j2",
        charts,
        title=title,
        summary=message(
            "runs.language_model.summary",
            parameters=facts["parameters"],
            tokens=number_of("token", facts["vocab_size"]),
        ),
        warnings=facts.get("warnings") or [],
        tiles=_tiles(facts, metrics),
        moments=_moments(samples),
        plan=table([dict(row) for row in _beside(plan, facts, metrics)])
        if plan and metrics
        else None,
        settings=setting_sections(settings),
    )


def _tiles(facts: Mapping[str, Any], metrics: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Label and figure of each tile: the model and its text, then how the run ended."""
    tiles = [(label(name), tile(facts[name])) for name in TILES if facts.get(name)]
    if not metrics:
        return tiles
    last = metrics[-1]
    tiles.append((message("page.training.time"), duration(last["time"])))
    if (speed := _speed(metrics)) is not None:
        tiles.append((message("runs.language_model.speed"), tile(speed)))
    shares = [record["mfu"] for record in metrics if "mfu" in record]
    if shares:  # of the operations that the machine can do, what the model took
        tiles.append((message("runs.language_model.mfu"), f"{median(shares):.0%}"))
    named = {name: value for name, value in _kept(facts, metrics) if name.startswith("valid_")}
    return tiles + [
        (label(name.replace("valid", "held-out")), tile(v)) for name, v in named.items()
    ]


def _kept(
    facts: Mapping[str, Any], metrics: Sequence[Mapping[str, Any]]
) -> Iterable[tuple[str, Any]]:
    """The figures of the weights that are kept, which may be those of an earlier step."""
    kept = facts.get("valid_loss")
    found = (each for each in metrics if kept is not None and each.get("valid_loss") == kept)
    return next(found, metrics[-1]).items()


def _speed(metrics: Sequence[Mapping[str, Any]]) -> int | None:
    """Median tokens a second of the steps, so that one busy moment does not count."""
    speeds = [record["tokens_per_second"] for record in metrics if "tokens_per_second" in record]
    return round(median(speeds)) if speeds else None


def _moments(samples: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Some of the validations, the first and the last among them."""
    if len(samples) <= MOST_MOMENTS:
        return list(samples)
    step = (len(samples) - 1) / (MOST_MOMENTS - 1)
    return [samples[round(number * step)] for number in range(MOST_MOMENTS)]


def _beside(
    plan: Mapping[str, Any], facts: Mapping[str, Any], metrics: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """What was planned and what happened, a row a figure that both have."""
    last = metrics[-1]
    happened = {
        "parameters": facts["parameters"],
        "vocab_size": facts["vocab_size"],
        "tokens_per_second": _speed(metrics),
        "steps": last["step"],
        "tokens": last["tokens"],
        "epochs": last["epoch"],
        "seconds": last["time"],
        "loss": dict(_kept(facts, metrics)).get("valid_loss"),
    }
    planned, happens = (message(f"runs.language_model.{each}") for each in ("planned", "happened"))
    return [
        {"": label(name), planned: plan[name], happens: value}
        for name, value in happened.items()
        if plan.get(name) is not None and value is not None
    ]
