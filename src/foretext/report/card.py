"""The card of a run: what it is, what it was made of, how good it is and how to use it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from foretext.base.counted import counted
from foretext.recipe import Recipe
from foretext.recipe.text_settings import folding

__all__ = ["vectors_card"]

CARD = """# Word vectors: {recipe}

{vocab_size:,} words, {vector_size} dimensions, learned by foretext {foretext} from {read} \
({tokens:,} tokens; {held_out_tokens:,} more were held out).

{notes}| | |
|---|---|
| training loss | {loss} |
| held-out loss | {valid_loss} |
| seconds of training | {seconds} |
| words are | {pre_tokenizer}: {folding} |

## Use

```python
import foretext as ft

vectors = ft.load("{folder}")
vectors.most_similar("{word}")
vectors.embed(["a text of several words"])
```

`vectors.safetensors` holds the vectors, the words and their counts; `foretext convert` writes them
in the formats of word2vec and GloVe. `tokenizer.json` says what a word is; the `tokenizers` library
opens it.

## Settings

```toml
{settings}```
"""


def vectors_card(recipe: Recipe, facts: Mapping[str, Any], folder: str, word: str) -> str:
    """Return the card as Markdown; `facts` are those of ``config.json``, `word` an example."""
    import tomli_w

    shown = {name: "unknown" if value is None else value for name, value in facts.items()}
    for name in ("loss", "valid_loss"):
        if isinstance(shown[name], float):
            shown[name] = f"{shown[name]:.4f}"
    return CARD.format(
        **shown,
        read=counted(facts["documents"], "document"),
        notes="".join(f"Note: {each}.\n\n" for each in facts.get("warnings", [])),
        folding=folding(recipe),
        folder=folder,
        word=word,
        settings=tomli_w.dumps(recipe.sections()),
    )
