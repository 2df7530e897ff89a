"""The card of a language model: what it is, what it was made of, how good it is, how to use it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from foretext.recipe import Recipe

__all__ = ["model_card"]

CARD = """# {title}

{shape}, {parameters:,} parameters, {vocab_size:,} tokens in the vocabulary. Pretrained by \
foretext {foretext} on {documents:,} documents of {tokens:,} tokens; {held_out_tokens:,} more were \
held out.

| | |
|---|---|
{figures}

## Use

```python
import foretext as ft

model = ft.load("{folder}")
{use}
model.embed(["a text of several words"])  # (1, {dim}) float32
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
USES = {
    "masked_lm": 'model.fill("a text with a [MASK] in it")',
    "causal_lm": 'model.generate("a text that begins", max_new_tokens=50)',
}
TITLES = {"masked_lm": "A masked language model", "causal_lm": "A causal language model"}


def model_card(
    recipe: Recipe,
    facts: Mapping[str, Any],
    record: Mapping[str, Any],
    folder: str,
    their_class: str | None = None,
) -> str:
    """Return the card as Markdown.

    Args:
        recipe: of the run.
        facts: what ``config.json`` keeps of it.
        record: the last line of ``metrics.jsonl``.
        folder: where the run is.
        their_class: the class of `transformers` that the folder was written for; None: there is
            none, and the model is in foretext's own form.
    """
    import tomli_w

    backbone = recipe.parts["backbone"].settings()
    return CARD.format(
        **facts,
        title=TITLES.get(recipe.name, recipe.name),
        shape=_shape(backbone),
        dim=backbone["dim"] if backbone["name"] == "transformer" else "D",
        figures="\n".join(f"| {name} | {value} |" for name, value in _figures(record)),
        use=USES.get(recipe.name, "model.tokenizer.encode('a text')"),
        folder=folder,
        opened_by=(OWN if their_class is None else THEIRS).format(
            folder=folder, their_class=their_class
        ),
        settings=tomli_w.dumps(recipe.sections()),
    )


def _shape(backbone: Mapping[str, Any]) -> str:
    """What the network is; other backbones than the Transformer have settings of their own."""
    if backbone["name"] == "transformer":
        return f"{backbone['num_layers']} layers of width {backbone['dim']}"
    return f"A backbone `{backbone['name']}`"


def _figures(record: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What the last record says, in words."""
    rows = [("steps", f"{record['step']:,}"), ("seconds of training", f"{record['time']:.0f}")]
    rows += [("training loss", f"{record['loss']:.4f}")]
    for name, value in record.items():
        if name.startswith("valid_"):
            said = name.removeprefix("valid_").replace("_", " ").replace(" lm", " LM")
            rows.append((f"held-out {said}", f"{value:.4f}"))
    if "valid_causal_lm_accuracy" in record and "valid_loss" in record:
        rows.append(("held-out perplexity per token", f"{math.exp(record['valid_loss']):.2f}"))
    return rows
