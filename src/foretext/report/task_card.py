"""The card of a trained task: what it answers, how well, beside what, and how to use it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

__all__ = ["measured_models", "task_card", "task_title"]

Facts = Mapping[str, Any]

CARD = """# {title}

{told}

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
LINEAR = """
`linear.safetensors` holds features, weights and settings.
"""
OWN = """
`model.safetensors` holds the weights and `config.json` their shape; `transformers` has no such
model.
"""
TITLES = {"span_qa": "Question answering"}
ORIGINS = {
    "pretrained": "whose weights were pretrained",
    "vectors": "static word vectors, with a network drawn anew over them",
    "scratch": "drawn anew",
    "linear": "TF-IDF of what occurs in a text, and logistic regression",
}
USES = {
    "classification": """model.predict(["a text"])
model.predict_proba(["a text"])  # (1, {labels}), in the order of model.classes_""",
    "matching": 'model.predict([("a text", "another text")])',
    "tagging": """model.predict(["a sentence"])
model.spans(["a sentence"])  # entities with their places""",
    "span_qa": """model.predict([("a question", "a passage that holds its answer")])
model.answers([("a question", "a passage")])  # with places and probabilities""",
}
PARTS = {"valid": "held out", "test": "test"}


def task_title(facts: Facts) -> str:
    """Return what was learned on what, such as "Tagging on lstm"."""
    task = facts["task"]
    said = TITLES.get(task, task.replace("_", " ").capitalize())
    return f"{said} on {Path(facts['base']).name}"


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

    told = (
        _sentence(facts),
        "\n".join(_figures(facts)) or "It was measured on no rows.",
        _seeds(facts),
        _ensemble(facts, their_class),
        _data(facts, sections.get("run", {})),
    )
    own = LINEAR if facts["origin"] == "linear" else OWN
    theirs = own if their_class is None else THEIRS
    return CARD.format(
        title=task_title(facts),
        told="\n\n".join(part for part in told if part),
        folder=folder,
        use=USES[facts["task"]].format(labels=facts["labels"]),
        theirs=theirs.format(their_class=their_class, folder=folder),
        settings=tomli_w.dumps(dict(sections)),
    )


def _sentence(facts: Facts) -> str:
    labels = f" of {facts['labels']:,} labels" if facts["labels"] else ""
    return (
        f"Learned by foretext {facts['foretext']} from {facts['rows']:,} rows{labels} in "
        f"{facts['seconds']:.0f} s and {facts['steps']:,} steps, on `{facts['base']}`, "
        f"{ORIGINS[facts['origin']]}; {facts['parameters']:,} parameters."
    )


def _figures(facts: Facts) -> Iterator[str]:
    """A table: a row a figure, a column a model and the rows that it was measured on."""
    parts = [part for part in PARTS if facts[part] is not None]
    if not parts:
        return
    models = measured_models(facts)
    columns = [(name, of[part], PARTS[part]) for part in parts for name, of in models]
    yield _row("", *(f"{name}, {said}" for name, _, said in columns))
    yield _row("---", *("---:" for _ in columns))
    for figure in _names([facts[part] for part in parts], facts["judged_by"]):
        yield _row(figure.replace("_", " "), *(_number(of, figure) for _, of, _ in columns))


def measured_models(facts: Facts) -> list[tuple[str, Facts]]:
    """Return name and figures by part, of the model, its network alone, and its baseline."""
    network, baseline = facts.get("network"), facts["baseline"]
    models = [("this model", facts)]
    models += [("the network alone", network)] if network else []
    return models + ([(baseline["name"], baseline)] if baseline else [])


def _names(measured: Sequence[Facts], judged_by: str) -> list[str]:
    """The figures that are one number, that by which models are chosen first."""
    numbers = {
        name: None for of in measured for name, value in of.items() if isinstance(value, float)
    }
    return list({judged_by: None} | numbers)


def _number(figures: Facts | None, name: str) -> str:
    value = (figures or {}).get(name)
    return "" if value is None else f"{value:.4f}"


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _seeds(facts: Facts) -> str:
    """One sentence on all seeds."""
    seeds = facts["seeds"]
    if seeds is None:
        return ""
    spreads = [
        f"{seeds[part]['mean']:.4f} ± {seeds[part]['deviation']:.4f} ({said})"
        for part, said in PARTS.items()
        if seeds[part]
    ]
    figure = facts["judged_by"].replace("_", " ")
    number = len(seeds["seeds"])
    return (
        f"The best of {number} seeds; mean and standard deviation of {figure} over all of them: "
        f"{', '.join(spreads) or 'not measured'}."
    )


def _ensemble(facts: Facts, their_class: str | None) -> str:
    """Who answers, where there are two."""
    if not facts.get("network"):
        return ""
    others = "" if their_class is None else ", and `transformers` reads the network alone"
    return (
        "Network and linear model answer together, as held-out rows weighed them; "
        f"`linear.safetensors` is the linear one{others}."
    )


def _data(facts: Facts, run: Mapping[str, Any]) -> str:
    """What was learned from, held out and tested on."""
    names = {"train": "learned from", "valid": "held out", "test": "tested on"}
    given = [f"- {said}: `{run[name]}`" for name, said in names.items() if name in run]
    if not given:
        return ""
    if facts["cut"]:
        given.append(f"- longer than what the model reads at once: {facts['cut']:,} rows")
    return "\n".join(["## Data", "", *given])
