"""The card of a trained task: what it answers, how well, beside what, and how to use it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = ["task_card"]

CARD = """# {Task} on {base}

Learned by foretext {foretext} from {rows:,} rows in {seconds:.0f} s ({steps:,} steps;
{parameters:,} parameters, begun {origin}).

| {judged_by} | {parts} |
|---|{rule}|
{figures}
{seeds}
## Use

```python
import foretext

model = foretext.load("{folder}")
model.predict({example})
model.evaluate("rows_with_answers")
```

```console
$ foretext predict {folder} INPUT
```

## Settings

```toml
{settings}```
"""
ORIGINS = {
    "pretrained": "with pretrained weights",
    "vectors": "with static word vectors",
    "scratch": "with weights drawn anew",
}
EXAMPLES = {
    "classification": '["a text"]',
    "matching": '[("a text", "another text")]',
    "tagging": '["a sentence"]',
    "span_qa": '[("a question", "a passage that holds its answer")]',
}


def task_card(facts: Mapping[str, Any], sections: Mapping[str, Any], folder: Path) -> str:
    """Return the card as Markdown; `facts` are those of ``config.json``."""
    import tomli_w

    parts = [part for part in ("valid", "test") if facts[part] is not None]
    return CARD.format(
        Task=facts["task"].replace("_", " ").capitalize(),
        base=facts["base"],
        foretext=facts["foretext"],
        rows=facts["rows"],
        seconds=facts["seconds"],
        steps=facts["steps"],
        parameters=facts["parameters"],
        origin=ORIGINS[facts["origin"]],
        judged_by=facts["judged_by"].replace("_", " "),
        parts=" | ".join(parts) or "not measured",
        rule="|".join("---" for _ in parts or [""]),
        figures="\n".join(_figures(facts, parts)),
        seeds=_seeds(facts),
        folder=folder,
        example=EXAMPLES[facts["task"]],
        settings=tomli_w.dumps(dict(sections)),
    )


def _figures(facts: Mapping[str, Any], parts: list[str]) -> list[str]:
    rows = [("this model", facts)]
    if facts["baseline"] is not None:
        rows.append((facts["baseline"]["name"], facts["baseline"]))
    return [
        f"| {name} | " + (" | ".join(_share(of[part], facts) for part in parts) or "") + " |"
        for name, of in rows
    ]


def _share(figures: Mapping[str, Any] | None, facts: Mapping[str, Any]) -> str:
    return "" if figures is None else f"{figures[facts['judged_by']]:.4f}"


def _seeds(facts: Mapping[str, Any]) -> str:
    """One sentence on all seeds."""
    if facts["seeds"] is None:
        return ""
    parts = [
        f"{facts['seeds'][part]['mean']:.4f} ± {facts['seeds'][part]['deviation']:.4f} ({part})"
        for part in ("valid", "test")
        if facts["seeds"][part]
    ]
    return f"\nOver {len(facts['seeds']['seeds'])} seeds: {', '.join(parts) or 'not measured'}.\n"
