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

The folder is also one of Hugging Face's: `transformers.AutoModel.from_pretrained("{folder}")` and
`AutoTokenizer` open it, and give the same numbers.

## Settings

```toml
{settings}```
"""

USES = {
    "masked_lm": 'model.fill("a text with a [MASK] in it")',
    "causal_lm": 'model.generate("a text that begins", max_new_tokens=50)',
}
TITLES = {"masked_lm": "A masked language model", "causal_lm": "A causal language model"}


def model_card(
    recipe: Recipe, facts: Mapping[str, Any], record: Mapping[str, Any], folder: str
) -> str:
    """Return the card as Markdown.

    Args:
        recipe: of the run.
        facts: what ``config.json`` keeps of it.
        record: the last line of ``metrics.jsonl``.
        folder: where the run is.
    """
    import tomli_w

    backbone = recipe.parts["backbone"].settings()
    return CARD.format(
        **facts,
        title=TITLES.get(recipe.name, recipe.name),
        shape=f"{backbone['num_layers']} layers of width {backbone['dim']}",
        dim=backbone["dim"],
        figures="\n".join(f"| {name} | {value} |" for name, value in _figures(record)),
        use=USES.get(recipe.name, "model.tokenizer.encode('a text')"),
        folder=folder,
        settings=tomli_w.dumps(recipe.sections()),
    )


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
