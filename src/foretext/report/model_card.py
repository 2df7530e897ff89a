"""The card of a language model: what it is, what it was made of, how good it is, how to use it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from foretext.backbones.base import Backbone
from foretext.base.counted import counted
from foretext.objectives.base import Objective
from foretext.recipe import Recipe
from foretext.recipe.text_settings import folding

__all__ = ["model_card"]

CARD = """# {title}

{shape}, {parameters:,} parameters, {vocab_size:,} tokens in the vocabulary. Pretrained by \
foretext {foretext} on {read} of {tokens:,} tokens; {held_out_tokens:,} more were \
held out.

{warnings}| | |
|---|---|
{figures}

## Use

```python
import foretext as ft

model = ft.load("{folder}")
{usage}model.embed(["a text of several words"])  # (1, {dim}) float32
```

{opened_by}

## Settings

```toml
{settings}```
"""

THEIRS = """\
The folder is also one of Hugging Face's: `transformers.AutoModel.from_pretrained("{folder}")` and
`AutoTokenizer` open it, and give the same numbers. Model and head are a `{their_class}`."""
OWN = """\
Only foretext opens this folder; `transformers` has no such model. `model.safetensors` holds the
weights under foretext's names and `config.json` their shape."""


def model_card(
    recipe: Recipe,
    backbone: Backbone,
    objective: Objective,
    facts: Mapping[str, Any],
    record: Mapping[str, Any],
    folder: str,
    their_class: str | None = None,
) -> str:
    """Return the card as Markdown.

    Args:
        recipe: of the run.
        backbone: that was pretrained.
        objective: that it was pretrained by.
        facts: what ``config.json`` keeps of it.
        record: the last line of ``metrics.jsonl``.
        folder: where the run is.
        their_class: the class of `transformers` that opens the folder; None: there is none, and
            the model is in foretext's own form.
    """
    import tomli_w

    figures = [*_figures(record, objective), ("text", folding(recipe))]
    return CARD.format(
        **{
            **facts,
            "warnings": "".join(f"Warning: {each}.\n\n" for each in facts.get("warnings", [])),
        },
        title=f"A {objective.kind} language model" if objective.kind else recipe.name,
        shape=_shape(recipe, backbone),
        dim=backbone.dim,
        read=counted(facts["documents"], "document"),
        figures="\n".join(f"| {name} | {value} |" for name, value in figures),
        usage="" if objective.usage is None else f"{objective.usage}\n",
        folder=folder,
        opened_by=(OWN if their_class is None else THEIRS).format(
            folder=folder, their_class=their_class
        ),
        settings=tomli_w.dumps(recipe.sections()),
    )


def _shape(recipe: Recipe, backbone: Backbone) -> str:
    """What the network is; the Transformer, which most are, goes without saying."""
    layers = f"{backbone.num_layers} layer{'s' if backbone.num_layers != 1 else ''}"
    shape = f"{layers} of width {backbone.dim}"
    name = recipe.parts["backbone"].name
    return shape if name == "transformer" else f"A backbone `{name}`, {shape}"


def _figures(record: Mapping[str, Any], objective: Objective) -> list[tuple[str, str]]:
    """What the last record says, in words."""
    rows = [("steps", f"{record['step']:,}"), ("seconds of training", f"{record['time']:.0f}")]
    rows += [("training loss", f"{record['loss']:.4f}")]
    for name, value in record.items():
        if name.startswith("valid_"):
            said = name.removeprefix("valid_").replace("_", " ").replace(" lm", " LM")
            rows.append((f"held-out {said}", f"{value:.4f}"))
    if objective.scores_text and "valid_loss" in record:
        rows.append(("held-out perplexity per token", f"{math.exp(record['valid_loss']):.2f}"))
    return rows
