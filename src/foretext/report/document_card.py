"""The card of a run of doc2vec."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from foretext.base.counted import counted
from foretext.recipe import Recipe
from foretext.recipe.text_settings import folding

__all__ = ["documents_card"]

CARD = """# Document vectors: {recipe}

{read}, {vector_size} dimensions, learned by foretext {foretext} from {tokens:,} \
tokens of {vocab_size:,} words.

{notes}| | |
|---|---|
| training loss | {loss} |
| loss on words held out | {valid_loss} |
| documents nearest to their own text | {found_again_rate:.1%} |
| seconds of training | {seconds} |
| words are | {pre_tokenizer}: {folding} |

## Use

```python
import foretext as ft

documents = ft.load("{folder}")
documents.embed(["a new text"])
documents.most_similar("a new text")
```

`documents.safetensors` holds the vectors, names and beginnings of the documents, and what infers
vectors of new ones; `foretext convert` writes the vectors in the formats of word2vec and GloVe.
`tokenizer.json` says what a word is; the `tokenizers` library opens it.

## Settings

```toml
{settings}```
"""


def documents_card(recipe: Recipe, facts: Mapping[str, Any], folder: str) -> str:
    """Return the card as Markdown; `facts` are those of ``config.json``."""
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
        settings=tomli_w.dumps(recipe.sections()),
    )
