"""What runs of tasks leave in their folders, made by hand."""

from __future__ import annotations

from typing import Any

LABELS = {
    "no": {"precision": 0.8, "recall": 0.9, "f1": 0.85, "support": 10},
    "yes": {"precision": 0.7, "recall": 0.5, "f1": 0.58, "support": 30},
}
TITLES = {
    "classification": "Classification",
    "matching": "Matching",
    "tagging": "Tagging",
    "span_qa": "Question answering",
    "text_to_text": "Text to text",
}


def facts(task: str = "classification", **changes: Any) -> dict[str, Any]:
    """Of a run with a test file, a baseline and rows held out."""
    figures = {"texts": 40, "accuracy": 0.75, "macro_f1": 0.7, "labels": LABELS}
    worse = {"texts": 40, "accuracy": 0.5, "macro_f1": 0.4}
    found = {
        "foretext": "0.1.0",
        "kind": task,
        "task": task,
        "title": TITLES[task],
        "usage": 'model.predict(["a text"])',
        "files": "`model.safetensors` holds the weights; `transformers` has no such model.",
        "watched": ["accuracy", "macro_f1"],
        "base": "runs/encoder",
        "method": "pretrained",
        "rows": 1200,
        "labels": 2,
        "judged_by": "accuracy",
        "parameters": 1000,
        "steps": 100,
        "loss": 0.5,
        "valid_loss": 0.6,
        "seconds": 12.0,
        "cut": 0,
        "valid": {**figures, "accuracy": 0.8},
        "test": figures,
        "baseline": {"name": "counting", "seconds": 0.1, "valid": worse, "test": worse},
        "seeds": None,
    }
    return {**found, **changes}


def spread(mean: float) -> dict[str, Any]:
    """Of three seeds."""
    return {"each": [mean, mean - 0.01, mean + 0.01], "mean": mean, "deviation": 0.01}
