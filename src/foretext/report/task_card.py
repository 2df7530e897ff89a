"""The card of a trained task: what it was learned from, how good it is, and how to use it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from foretext.base.counted import counted
from foretext.report.page import label, tile

__all__ = [
    "PARTS",
    "POINTS",
    "figure_name",
    "figure_text",
    "labels_of",
    "measured_models",
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
The folder is also one of Hugging Face's, which `transformers` opens:

```python
from transformers import AutoTokenizer, {their_class}

model = {their_class}.from_pretrained("{folder}")
tokenizer = AutoTokenizer.from_pretrained("{folder}")
```
"""
RIVALS = ("baseline", "majority", "untouched")  # facts of what stands beside a model
PARTS = {"valid": "held out", "test": "test"}  # of the rows, and how people call them
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
    return f"{facts['title']} on {Path(facts['base']).name}"


def task_card(
    facts: Facts, sections: Mapping[str, Any], folder: Path, their_class: str | None = None
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
        "\n".join(_figures(facts)) or "It was measured on no rows.",
        _seeds(facts),
        _ensemble(facts, their_class),
        _data(facts, sections.get("run", {})),
        _structure(facts),
        _layers(facts),
        _views(facts),
        _informative_features(facts),
    )
    theirs = THEIRS.format(their_class=their_class, folder=folder)
    return CARD.format(
        title=task_title(facts),
        description="\n\n".join(part for part in parts if part),
        folder=folder,
        use=facts["usage"],
        theirs=f"\n{facts['files']}\n" if their_class is None else theirs,
        settings=tomli_w.dumps(dict(sections)),
    )


def _sentence(facts: Facts) -> str:
    return (
        f"Learned by foretext {facts['foretext']} from "
        f"{counted(facts['rows'], 'row')}{labels_of(facts)} in "
        f"{facts['seconds']:.0f} s and {counted(facts['steps'], 'step')}, on `{facts['base']}`, "
        f"{facts['method']}; {tile(facts['parameters'])} parameters."
    )


def labels_of(facts: Facts) -> str:
    """Return how many labels rows have, and the scheme of tags; "" where they have none."""
    if not facts["labels"]:
        return ""
    scheme = f" (scheme {facts['scheme']})" if facts.get("scheme") else ""
    return f" of {counted(facts['labels'], 'label')}{scheme}"


def _judgement(facts: Facts) -> str:
    """Return the verdict, and a line for each warning."""
    verdict = facts.get("verdict")
    lines = [] if verdict is None else [f"**{verdict['sentence']}**"]
    if verdict is not None and verdict["command"]:
        lines.append(f"```console\n$ {verdict['command']}\n```")
    return "\n\n".join([*lines, *(f"Warning: {each}" for each in facts.get("warnings", []))])


def _figures(facts: Facts) -> Iterator[str]:
    """Yield the lines of a table: a row for each figure, a column for each model and part."""
    parts = [part for part in PARTS if facts[part] is not None]
    if not parts:
        return
    models = measured_models(facts)
    columns = [(f"{name}, {PARTS[part]}", of[part]) for part in parts for name, of in models]
    yield _row("", *(name for name, _ in columns))
    yield _row("---", *("---:" for _ in columns))
    for figure in _names([facts[part] for part in parts], facts["judged_by"]):
        yield _row(figure_name(figure), *(_number(of, figure) for _, of in columns))


def measured_models(facts: Facts) -> list[tuple[str, Facts]]:
    """Return name and figures by part, of the model, its network alone, and its baselines."""
    network, rivals = facts.get("network"), [facts.get(name) for name in RIVALS]
    models = [("this model", facts)]
    models += [("the network alone", network)] if network else []
    return models + [(rival["name"], rival) for rival in rivals if rival]


def figure_name(name: str) -> str:
    """Return the name of a figure as people write it: ``macro_f1`` is "macro F1"."""
    if name in POINTS:
        return POINTS[name]
    return " ".join(NAMES.get(word, word) for word in label(name).split())


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
        f"{figure_text(name, seeds[part]['mean'], 4)} ± "
        f"{figure_text(name, seeds[part]['deviation'], 4)} ({words})"
        for part, words in PARTS.items()
        if seeds[part]
    ]
    figure = figure_name(name)
    number = len(seeds["seeds"])
    return (
        f"The best of {number} seeds; mean and standard deviation of {figure} over all of them: "
        f"{', '.join(spreads) or 'not measured'}."
    )


def _ensemble(facts: Facts, their_class: str | None) -> str:
    """Return how an ensemble answers."""
    if not facts.get("network"):
        return ""
    others = "" if their_class is None else "; `transformers` reads the network alone"
    return (
        "Network and linear classifier answer together, weighted by held-out rows; "
        f"`linear.safetensors` is the linear one{others}."
    )


def _structure(facts: Facts) -> str:
    """Return what each layer of the network makes of one row."""
    layers = facts.get("structure", [])
    if not layers:
        return ""
    rows = [
        _row(each["layer"], " × ".join(f"{size:,}" for size in each["shape"])) for each in layers
    ]
    return "\n".join(["## Structure", "", _row("one row", "shape"), _row("---", "---:"), *rows])


def _layers(facts: Facts) -> str:
    """Return how much of each layer is read, where that was learned."""
    weights = facts.get("layer_weights", {})
    if not weights:
        return ""
    rows = [_row(name, f"{weight:.3f}") for name, weight in weights.items()]
    return "\n".join(["## Layers", "", _row("layer", "weight"), _row("---", "---:"), *rows])


def _views(facts: Facts) -> str:
    """Return how much each view of a text counts, where there are several kinds of them."""
    rows = [
        _row(f"`{each['view']}`", *(_cell(each[name]) for name in VIEW_COLUMNS))
        for each in facts.get("views", [])
    ]
    if not rows:
        return ""
    names = ["view", *(figure_name(name) for name in VIEW_COLUMNS)]
    head = ["## Views", "", _row(*names), _row("---", *("---:" for _ in VIEW_COLUMNS))]
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
    head = ["## Most informative features", "", _row("label", "features"), _row("---", "---")]
    return "\n".join([*head, *rows])


def _preparation(facts: Facts) -> Iterator[str]:
    """Yield what came before the training: more pretraining of the base, and a teacher."""
    if (adapted := facts.get("adapted")) is not None:
        before, after = adapted["loss_before"], adapted["loss_after"]
        losses = "" if before is None else f"; held-out loss {before:.3f} before, {after:.3f} after"
        yield (
            f"- the base was pretrained on {counted(adapted['tokens'], 'token')} of these texts "
            "for "
            f"{adapted['seconds']:.0f} s{losses}"
        )
    if (taught := facts.get("taught")) is not None:
        yield (
            f"- teacher: `{taught['name']}`, of {counted(taught['labelled'], 'row')} with labels "
            "and "
            f"{taught['unlabelled']:,} without; its answers have a weight of {taught['weight']:g} "
            "in the loss"
        )
    if (alike := facts.get("consistency")) is not None:
        yield (
            f"- consistency: {counted(alike['unlabelled'], 'text')} without labels, of whose "
            "tokens "
            f"{alike['replaced_rate']:.0%} are replaced; it has a weight of {alike['weight']:g} in "
            "the loss"
        )


def _data(facts: Facts, run: Mapping[str, Any]) -> str:
    """Return the files of the rows."""
    names = {
        "train": "learned from",
        "valid": "held out",
        "test": "tested on",
        "unlabelled": "without labels",
    }
    given = [f"- {words}: `{run[name]}`" for name, words in names.items() if name in run]
    if not given:
        return ""
    given += _preparation(facts)
    if facts["cut"]:
        given.append(f"- longer than the model reads at once: {counted(facts['cut'], 'row')}")
    return "\n".join(["## Data", "", *given])
