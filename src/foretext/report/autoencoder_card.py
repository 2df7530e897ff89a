"""The card of an autoencoder: what it is, how well it reconstructs, and how to use it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from foretext.recipe import Recipe

__all__ = ["autoencoder_card"]

CARD = """# An autoencoder: {autoencoder}

From examples of {shape} numbers to codes of {code_size:,} and back, {parameters:,} parameters, \
trained by foretext {foretext} on {examples:,} examples; {held_out_examples:,} more were held out.

| mean squared error of a number | |
|---|---|
| in training | {loss} |
| held out | {valid_loss} |
| held out, principal components of the same size | {components_loss} |

## Use

```python
import foretext as ft

autoencoder = ft.Autoencoder.load("{folder}")
codes = autoencoder.transform(examples)  # (N, {code_size})
autoencoder.inverse_transform(codes)
```

```console
$ foretext evaluate {folder} EXAMPLES
```

## Settings

```toml
{settings}```
"""


def autoencoder_card(recipe: Recipe, facts: Mapping[str, Any], folder: str) -> str:
    """Return the card as Markdown; `facts` are those of ``config.json``."""
    import tomli_w

    errors = {
        name: "–" if facts[name] is None else f"{facts[name]:.5f}"
        for name in ("loss", "valid_loss", "components_loss")
    }
    shown = {**facts, **errors, "shape": " × ".join(map(str, facts["shape"])), "folder": folder}
    return CARD.format(**shown | {"settings": tomli_w.dumps(recipe.sections())})
