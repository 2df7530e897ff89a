"""The card of static vectors, with the head that model hubs read."""

from __future__ import annotations

from foretext.base.counted import counted
from foretext.vectors.token_vectors import TokenVectors

__all__ = ["static_card"]

CARD = """---
library_name: model2vec
tags:
- embeddings
- static-embeddings
---

# Static vectors of {teacher}

{tokens:,} tokens, {dim} dimensions, distilled by foretext in {seconds} seconds from `{teacher}`, \
which read {texts}. The vector of a text is the mean of its tokens' vectors{length}.

## Use

```python
import foretext as ft

vectors = ft.load("{folder}")
vectors.embed(["a text of several words"])
```

The folder opens with `model2vec.StaticModel.from_pretrained` and with
`sentence_transformers.SentenceTransformer`, too.
"""


def static_card(vectors: TokenVectors, folder: str) -> str:
    """Return the card as Markdown."""
    facts = vectors.facts
    return CARD.format(
        teacher=facts["teacher"],
        tokens=len(vectors),
        dim=vectors.vector_size,
        seconds=facts["seconds"],
        texts=counted(facts["texts"], "text") if facts["texts"] else "each token alone",
        length=", at length 1" if vectors.normalize else "",
        folder=folder,
    )
