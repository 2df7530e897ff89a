"""The card of a trained task: what it was learned from, how good it is, and how to use it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from foretext.base.counted import number_of
from foretext.messages import commas, message, translated
from foretext.report.page import tile, words_of

__all__ = [
    "PARTS",
    "POINTS",
    "figure_name",
    "figure_text",
    "measured_models",
    "rows_of_labels",
    "task_card",
    "task_title",
]

Facts = Mapping[str, Any]

CARD = """# {title}

{description}

## Use

```python
import foretext

model = foretext.load("{folder}")
{use}
model.evaluate("rows_with_answers")
```

```console
$ foretext predict {folder} INPUT
```
{theirs}
## Settings

```toml
{settings}```
"""
THEIRS = """
```python
from transformers import AutoTokenizer, {their_class}

model = {their_class}.from_pretrained("{folder}")
tokenizer = AutoTokenizer.from_pretrained("{folder}")
```
"""
RIVALS = ("baseline", "majority", "untouched")  # facts of what stands beside a model
PARTS = ("valid", "test")  # of the rows
NAMES = {  # words of figures, as people write them
    "f1": "F1",
    "spearman": "Spearman",
    "pearson": "Pearson",
    "ndcg@10": "nDCG@10",
    "mrr@10": "MRR@10",
}
VIEW_COLUMNS = ("weight", "inverse_penalty", "log_loss", "accuracy")
POINTS = {"bleu": "BLEU", "chrf": "chrF", "rouge_l": "ROUGE-L"}  # figures from 0 to 100


def task_title(facts: Facts) -> str:
    """Return the task and its base, such as "Tagging on lstm"."""
    return message("task.title", task=translated(facts["title"]), base=Path(facts["base"]).name)


def task_card(
    facts: Facts, sections: Mapping[str, Any], folder: str | Path, their_class: str | None = None
) -> str:
    """Return the card as Markdown.

    Args:
        facts: of ``config.json``.
        sections: every setting of the run.
        folder: where the run is.
        their_class: the class of `transformers` that opens the folder; None: there is none.
    """
    import tomli_w

    parts = (
        _sentence(facts),
        _judgement(facts),
        "\n".join(_figures(facts)) or message("cards.task.nothing"),
        _seeds(facts),
        _ensemble(facts, their_class),
        _data(facts, sections.get("run", {})),
        _structure(facts),
        _layers(facts),
        _views(facts),
        _informative_features(facts),
    )
    text = message(
        "cards.task.text",
        title=task_title(facts),
        description="\n\n".join(part for part in parts if part),
        folder=folder,
        use=facts["usage"],
        theirs=f"\n{translated(facts['files'])}\n"
        if their_class is None
        else _theirs(their_class, folder),
        settings=tomli_w.dumps(dict(sections)),
    )
    return f"{text}\n"


def _sentence(facts: Facts) -> str:
    return message(
        "cards.task.sentence",
        foretext=facts["foretext"],
        rows=rows_of_labels(facts),
        seconds=facts["seconds"],
        steps=number_of("step", facts["steps"]),
        base=facts["base"],
        method=translated(facts["method"]),
        parameters=tile(facts["parameters"]),
    )


def rows_of_labels(facts: Facts) -> str:
    """Return how many rows there are, of how many labels, and the scheme of tags."""
    rows = number_of("row", facts["rows"])
    if not facts["labels"]:
        return rows
    labels = number_of("label", facts["labels"])
    if facts.get("scheme"):
        return message("task.labels_of_scheme", rows=rows, labels=labels, scheme=facts["scheme"])
    return message("task.labels_of", rows=rows, labels=labels)


def _theirs(their_class: str, folder: str | Path) -> str:
    return (
        f"\n{message('cards.task.theirs')}\n{THEIRS.format(their_class=their_class, folder=folder)}"
    )


def _judgement(facts: Facts) -> str:
    """Return the verdict, and a line for each warning."""
    verdict = facts.get("verdict")
    lines = [] if verdict is None else [f"**{translated(verdict['sentence'])}**"]
    if verdict is not None and verdict["command"]:
        lines.append(f"```console\n$ {verdict['command']}\n```")
    warned = (translated(each) for each in facts.get("warnings", []))
    return "\n\n".join([*lines, *(message("cards.warning", said=each) for each in warned)])


def _figures(facts: Facts) -> Iterator[str]:
    """Yield the lines of a table: a row for each figure, a column for each model and part."""
    parts = [part for part in PARTS if facts[part] is not None]
    if not parts:
        return
    models = measured_models(facts)
    columns = [
        (message("cards.task.column", model=name, part=message(f"task.part.{part}")), of[part])
        for part in parts
        for name, of in models
    ]
    yield _row("", *(name for name, _ in columns))
    yield _row("---", *("---:" for _ in columns))
    for figure in _names([facts[part] for part in parts], facts["judged_by"]):
        yield _row(figure_name(figure), *(_number(of, figure) for _, of in columns))


def measured_models(facts: Facts) -> list[tuple[str, Facts]]:
    """Return name and figures by part, of the model, its network alone, and its baselines."""
    network, rivals = facts.get("network"), [facts.get(name) for name in RIVALS]
    models = [(translated("this model"), facts)]
    models += [(translated("the network alone"), network)] if network else []
    return models + [(translated(rival["name"]), rival) for rival in rivals if rival]


def figure_name(name: str) -> str:
    """Return the name of a figure as people write it: ``macro_f1`` is "macro F1"."""
    if name in POINTS:
        return POINTS[name]
    return translated(" ".join(NAMES.get(word, word) for word in words_of(name).split()))


def figure_text(name: str, value: float, decimals: int = 3) -> str:
    """Return a figure with so many decimals, of those from 0 to 100 with two less."""
    return f"{value:.{decimals - 2 if name in POINTS else decimals}f}"


def _names(measured: Sequence[Facts], judged_by: str) -> list[str]:
    """Return the figures that are one number, `judged_by` first."""
    numbers = {
        name: None for of in measured for name, value in of.items() if isinstance(value, float)
    }
    return list({judged_by: None} | numbers)


def _number(figures: Facts | None, name: str) -> str:
    value = (figures or {}).get(name)
    return "" if value is None else figure_text(name, value, 4)


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _seeds(facts: Facts) -> str:
    """Return one sentence on all seeds."""
    seeds = facts["seeds"]
    if seeds is None:
        return ""
    name = facts["judged_by"]
    spreads = [
        message(
            "cards.task.spread",
            mean=figure_text(name, seeds[part]["mean"], 4),
            deviation=figure_text(name, seeds[part]["deviation"], 4),
            part=message(f"task.part.{part}"),
        )
        for part in PARTS
        if seeds[part]
    ]
    return message(
        "cards.task.seeds",
        number=len(seeds["seeds"]),
        figure=figure_name(name),
        spreads=commas(spreads) or message("cards.task.not_measured"),
    )


def _ensemble(facts: Facts, their_class: str | None) -> str:
    """Return how an ensemble answers."""
    if not facts.get("network"):
        return ""
    return message(f"cards.task.ensemble{'' if their_class is None else '_theirs'}")


def _structure(facts: Facts) -> str:
    """Return what each layer of the network makes of one row."""
    layers = facts.get("structure", [])
    if not layers:
        return ""
    rows = [
        _row(each["layer"], " × ".join(f"{size:,}" for size in each["shape"])) for each in layers
    ]
    head = _row(message("cards.task.one_row"), message("cards.task.shape"))
    return "\n".join([_heading("page.structure.title"), "", head, _row("---", "---:"), *rows])


def _layers(facts: Facts) -> str:
    """Return how much of each layer is read, where that was learned."""
    weights = facts.get("layer_weights", {})
    if not weights:
        return ""
    rows = [_row(translated(name), f"{weight:.3f}") for name, weight in weights.items()]
    head = _row(message("cards.task.layer"), message("cards.task.weight"))
    return "\n".join([_heading("task.layers.title"), "", head, _row("---", "---:"), *rows])


def _views(facts: Facts) -> str:
    """Return how much each view of a text counts, where there are several kinds of them."""
    rows = [
        _row(f"`{each['view']}`", *(_cell(each[name]) for name in VIEW_COLUMNS))
        for each in facts.get("views", [])
    ]
    if not rows:
        return ""
    names = [message("cards.task.view"), *(figure_name(name) for name in VIEW_COLUMNS)]
    head = [
        _heading("task.views.title"),
        "",
        _row(*names),
        _row("---", *("---:" for _ in VIEW_COLUMNS)),
    ]
    return "\n".join([*head, *rows])


def _cell(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"


def _informative_features(facts: Facts) -> str:
    """Return, for each label, the features that speak for it most."""
    by_label = facts.get("informative_features", {})
    rows = [
        _row(f"`{name}`", ", ".join(f"`{each}`" for each in own)) for name, own in by_label.items()
    ]
    if not rows:
        return ""
    named = _row(message("cards.task.label"), message("cards.task.features"))
    head = [_heading("task.features.title"), "", named, _row("---", "---")]
    return "\n".join([*head, *rows])


def _heading(key: str) -> str:
    return f"## {message(key)}"


def _preparation(facts: Facts) -> Iterator[str]:
    """Yield what came before the training: more pretraining of the base, and a teacher."""
    if (adapted := facts.get("adapted")) is not None:
        tokens, seconds = number_of("token", adapted["tokens"]), adapted["seconds"]
        before, after = adapted["loss_before"], adapted["loss_after"]
        if before is None:
            yield message("cards.task.adapted", tokens=tokens, seconds=seconds)
        else:
            losses = {"before": before, "after": after}
            yield message("cards.task.adapted_losses", tokens=tokens, seconds=seconds, **losses)
    if (taught := facts.get("taught")) is not None:
        yield message(
            "cards.task.taught",
            name=taught["name"],
            labelled=number_of("row", taught["labelled"]),
            unlabelled=taught["unlabelled"],
            weight=taught["weight"],
        )
    if (alike := facts.get("consistency")) is not None:
        yield message(
            "cards.task.consistency",
            texts=number_of("text", alike["unlabelled"]),
            rate=alike["replaced_rate"],
            weight=alike["weight"],
        )


def _data(facts: Facts, run: Mapping[str, Any]) -> str:
    """Return the files of the rows."""
    given = [
        message("cards.task.file", words=message(f"cards.task.{name}"), path=run[name])
        for name in ("train", "valid", "test", "unlabelled")
        if name in run
    ]
    if not given:
        return ""
    given += _preparation(facts)
    if facts["cut"]:
        given.append(message("cards.task.cut", rows=number_of("row", facts["cut"])))
    return "\n".join([_heading("cards.task.data"), "", *given])
