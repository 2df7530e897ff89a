"""What a comparison leaves in ``compare.json``, made by hand."""

from __future__ import annotations

from typing import Any

CURVE = [[12.0, 0.6], [20.0, 0.75], [30.0, 0.84], [58.0, 0.89]]


def candidate(
    name: str, value: float = 0.8, group: str = "pretrained", **more: Any
) -> dict[str, Any]:
    """One that finished, and was given a minute."""
    found = {
        "name": name, "group": group, "recipe": None, "base": None, "status": "finished",
        "sentence": None,
        "rounds": [{
            "round": 1, "given": 60.0, "used": 58.9, "shared": 2.0, "pretraining": 44.0,
            "finetuning": 12.9, "seeds": [{"seed": 0, "run": "r", "valid": value, "seconds": 12.9}],
            "pretraining_curve": [[1.0, 6.0], [20.0, 4.0], [44.0, 3.5]], "curve": CURVE,
        }],
        "valid": {"mean": value, "deviation": 0.01, "each": [value], "figures": {}},
        "test": {"value": value, "low": value - 0.02, "high": value + 0.02, "each": [value],
                 "figures": {"texts": 400.0, "accuracy": value, "macro_f1": value - 0.05}},
        "against_best": {"value": value - 0.9, "low": value - 0.92, "high": value - 0.88,
                         "p_value": 0.01, "is_tie": False},
        "seconds": {"given": 60.0, "used": 58.9, "shared": 2.0, "fit": 58.9},
        "milliseconds_per_row": 1.2, "milliseconds_in_batches": 0.4, "memory_bytes": 400_000_000,
        "disk_bytes": 12_000_000, "parameters": 3_000_000, "forecast": None, "warnings": [],
    }  # fmt: skip
    return {**found, **more}


def unfinished(name: str, status: str, sentence: str, **more: Any) -> dict[str, Any]:
    """One that failed, was dropped or was left out."""
    nothing = dict.fromkeys(
        ("valid", "test", "against_best", "seconds", "milliseconds_per_row", "memory_bytes",
         "disk_bytes", "parameters", "forecast")
    )  # fmt: skip
    found = {"rounds": [], "status": status, "sentence": sentence, **nothing}
    return {**candidate(name), **found, **more}


def label_point(labels: int, value: float, **more: Any) -> dict[str, Any]:
    """The mean of three draws."""
    found = {"labels": labels, "value": value, "low": value - 0.03, "high": value + 0.03,
             "draws": 3, "is_best": False, "is_tie": False}  # fmt: skip
    return {**found, **more}


def label_curve(few: str = "doc2vec + linear", many: str = "linear") -> dict[str, Any]:
    """Two candidates that change places between 100 and 1,200 labels; one training failed."""
    lines = {few: (0.72, 0.78, 0.85), many: (0.46, 0.65, 0.9)}
    labels = (20, 100, 1200)
    points = {
        name: [label_point(n, value, is_best=(name == few) == (n < 1200))
               for n, value in zip(labels, values, strict=True)]
        for name, values in lines.items()
    }  # fmt: skip
    cells = [{"name": name, "labels": 20, "draw": draw, "score": 0.5, "seconds": 1.0,
              "sentence": None} for name in lines for draw in range(2)]  # fmt: skip
    failed = {"name": many, "labels": 20, "draw": 2, "score": None, "seconds": 0.1,
              "sentence": "20 rows show one label alone."}  # fmt: skip
    return {
        "labels": list(labels),
        "is_every_row": True,
        "measured_rows": 400,
        "lines": [{"name": name, "group": "vectors", "points": own}
                  for name, own in points.items()],
        "crossing": {"few": few, "many": many, "labels": 640.0, "about": 650, "low": 100,
                     "high": 1200},
        "worth": {"name": many, "labels": 1200, "more": 200, "value": 0.01, "low": 0.005,
                  "high": 0.015},
        "sentence": f"With fewer than about 650 labels use {few}, with more use {many}.",
        "cells": [*cells, failed],
    }  # fmt: skip


def content(**changes: Any) -> dict[str, Any]:
    """Of six candidates: two that are tied, a third, one dropped, one failed, one left out."""
    forecast = {"value": 0.92, "gain": 0.02, "seconds": 120.0, "from": "its learning curve"}
    tie = {"value": -0.005, "low": -0.02, "high": 0.01, "p_value": 0.4, "is_tie": True}
    same = {"value": 0.0, "low": 0.0, "high": 0.0, "p_value": 1.0, "is_tie": True}
    quick = {"given": 10.0, "used": 3.0, "shared": 0.0, "fit": 3.0}
    dropped = {"valid": {"mean": 0.5, "deviation": None, "each": [0.5], "figures": {}},
               "seconds": quick, "rounds": candidate("")["rounds"]}  # fmt: skip
    found = {
        "foretext": "0.1.0",
        "task": "classification",
        "data": "films",
        "judged_by": "accuracy",
        "budget_seconds": 600.0,
        "used_seconds": 596.0,
        "rows": {"train": 1200, "valid": 300, "test": 400},
        "seeds": [0],
        "rounds": 1,
        "part": "test",
        "shared": [{"what": "wordpiece tokenizer", "seconds": 4.0,
                    "candidates": ["modern-bert", "bert"]}],
        "warnings": ["12 of 400 test rows also stand in train.csv."],
        "notes": ["The training texts are the corpus."],
        "candidates": [
            candidate("modern-bert", 0.9, against_best=same, forecast=forecast),
            candidate("linear", 0.895, "classical", against_best=tie, seconds=quick,
                      milliseconds_per_row=0.02, disk_bytes=900_000),
            candidate("word2vec + textcnn", 0.85, "vectors"),
            unfinished("lstm-lm", "dropped", "It was among the worse half of round 1.", **dropped),
            unfinished("electra", "failed", "It ran out of memory while it was pretrained."),
            unfinished("t5", "left out", "It needs 120 s; its share would be 60 s."),
        ],
        "recommendation": {"name": "linear", "sentence": "Use linear: a tie with modern-bert."},
        "best": "best",
        "agreement": {"all": 300, "none": 20, "some": 80},
        "disagreements": [
            {"text": "a fine film", "right": "good",
             "answers": {"modern-bert": "bad", "linear": "good", "word2vec + textcnn": "bad"}},
        ],
        "machine": {"cores": 2, "memory": 24 << 30},
    }  # fmt: skip
    return {**found, **changes}
