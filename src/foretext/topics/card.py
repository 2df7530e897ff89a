"""The card of a run of topics."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from foretext.base.counted import counted
from foretext.recipe import Recipe
from foretext.recipe.text_settings import folding
from foretext.topics.model import TopicModel

__all__ = ["topics_card"]

SHOWN = 10  # topics

CARD = """# Topics: {recipe}

{topics:,} topics of {topic_words:,} words, learned by foretext {foretext} from {read} \
({tokens:,} tokens; {held_out_tokens:,} more were held out).

| | |
|---|---|
| training loss | {loss} |
| held-out loss | {valid_loss} |
| held-out perplexity a word | {perplexity} |
| coherence of the topics (NPMI of {topn} words) | {coherence:.3f} |
| seconds of training | {seconds} |
| words are | {pre_tokenizer}: {folding} |

## The largest topics

| share | words |
|---|---|
{rows}

## Use

```python
import foretext as ft

model = ft.load("{folder}")
model.topics(topn=10)
model.embed(["a new text"])  # the shares of the topics in each text
```

`topics.safetensors` holds the topics, `tokenizer.json` says what a word is; the `tokenizers`
library opens it. Words of very many documents are in no topic (`topics.most_documents`).

## Settings

```toml
{settings}```
"""


def topics_card(recipe: Recipe, facts: Mapping[str, Any], folder: str, model: TopicModel) -> str:
    """Return the card as Markdown; `facts` are those of ``config.json``."""
    import tomli_w

    shown = {name: "unknown" if value is None else value for name, value in facts.items()}
    held_out = facts["valid_loss"]
    shown["perplexity"] = "unknown" if held_out is None else f"{math.exp(held_out):,.1f}"
    for name in ("loss", "valid_loss"):
        if isinstance(shown[name], float):
            shown[name] = f"{shown[name]:.4f}"
    described = model.described()
    rows = [
        f"| {topic.share:.1%} | {', '.join(_escaped(word) for word, _ in topic.words)} |"
        for topic in described[:SHOWN]
    ]
    return CARD.format(
        **shown,
        read=counted(facts["documents"], "document"),
        rows="\n".join(rows),
        topn=len(described[0].words),
        folding=folding(recipe),
        folder=folder,
        settings=tomli_w.dumps(recipe.sections()),
    )


def _escaped(word: str) -> str:
    """Return a word as a cell of a table shows it."""
    return "".join(f"\\{letter}" if letter in "\\`*_|[]<>" else letter for letter in word)
