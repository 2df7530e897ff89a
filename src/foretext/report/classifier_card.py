"""The card of a classifier: what it tells apart, how well, and how to use it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = ["classifier_card"]

CARD = """# Classifier: {base}

{num_labels:,} labels, learned by foretext {foretext} from {texts:,} texts in {seconds} s.

| figures on | texts | accuracy | precision | recall | macro F1 |
|---|---|---|---|---|---|
{figures}

## Use

```python
from foretext import FastTextClassifier

classifier = FastTextClassifier.load("{folder}")
classifier.predict(["a text to classify"])
```

```console
$ foretext predict {folder} texts.txt
```

`model.safetensors` holds the model; `classifier.save("model.bin")` writes it for fastText's own
program, `classifier.quantize()` makes it small.

## Settings

```toml
{settings}```
"""


def classifier_card(facts: Mapping[str, Any], sections: Mapping[str, Any], folder: Path) -> str:
    """Return the card as Markdown; `facts` are those of ``config.json``."""
    import tomli_w

    seconds = facts["seconds"]
    return CARD.format(
        base=facts["base"],
        foretext=facts["foretext"],
        texts=facts["texts"],
        num_labels=facts["labels"],
        seconds="unknown" if seconds is None else f"{seconds:.1f}",
        figures="\n".join(_rows(facts)) or "| none | | | | | |",
        folder=folder,
        settings=tomli_w.dumps(dict(sections)),
    )


def _rows(facts: Mapping[str, Any]) -> list[str]:
    names = ("accuracy", "precision", "recall", "macro_f1")
    return [
        f"| {part} | {facts[part]['texts']:,} | "
        + " | ".join(f"{facts[part][name]:.4f}" for name in names)
        + " |"
        for part in ("valid", "test")
        if facts[part] is not None
    ]
