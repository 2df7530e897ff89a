"""Outcomes and answers of a comparison, made by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from foretext.comparison.answers import Answered, KeptAnswers
from foretext.comparison.candidate import Candidate
from foretext.comparison.figures import comparison_content
from foretext.comparison.ledger import Ledger, Outcome, Plan, SeedOutcome
from foretext.comparison.rounds import Played
from foretext.comparison.worker import AnswerReply
from foretext.metrics.paired import share_tallies
from foretext.tasks.answers import ShownRow

LABELS = ("sea", "land")


def outcome(*valid: float, round_: int = 1, **more: Any) -> Outcome:
    """What came of a turn of ten seconds, with a score of the held-out rows for each seed."""
    seeds = [SeedOutcome(number, score, 2.0) for number, score in enumerate(valid)]
    known: dict[str, Any] = {
        "status": "finished", "round": round_, "given": 10.0, "used": 9.5, "seeds": seeds,
        "judged_by": "accuracy", "figures": {"accuracy": max(valid, default=0.0)},
        "pretraining": 5.0, "finetuning": 2.0 * len(seeds), "memory_bytes": 10**8,
        "disk_bytes": 2_000_000, "parameters": 1000,
    }  # fmt: skip
    return Outcome(**{**known, **more})


def failed(sentence: str = "It ran out of memory.", round_: int = 1) -> Outcome:
    return Outcome(status="failed", round=round_, given=10.0, used=3.0, sentence=sentence)


def answered(right: Sequence[bool], milliseconds: float = 1.0, **more: Any) -> Answered:
    """Answers to rows of two labels that are right or wrong."""
    score = float(np.mean(right))
    shown = []
    for place, is_right in enumerate(right):
        own, other = LABELS[place % 2], LABELS[1 - place % 2]
        shown.append(ShownRow(f"text {place}", own, own if is_right else other))
    kept = KeptAnswers(
        len(right), "accuracy", {"accuracy": score, "macro_f1": score / 2},
        share_tallies(right), shown,
    )  # fmt: skip
    reply = AnswerReply(
        seconds=1.0, judged_by="accuracy", score=score, figures=kept.figures,
        milliseconds_per_row=milliseconds, milliseconds_in_batches=milliseconds / 2,
        memory_bytes=10**8,
    )  # fmt: skip
    return Answered(reply, kept._replace(**more))


def rights(number: int, rows: int = 40) -> list[bool]:
    """So many right answers, the first ones."""
    return [place < number for place in range(rows)]


def candidate(name: str) -> Candidate:
    if name in ("linear", "fasttext"):
        return Candidate(name, name, group="classical")
    return Candidate(name, None, recipe=name, group="pretrained", pretraining_rate=0.7)


def compared(
    folder: Path,
    history: Mapping[str, Sequence[Outcome]],
    answers: Mapping[str, Sequence[Answered]],
    **more: Any,
) -> dict[str, Any]:
    """Return the content of ``compare.json``.

    Args:
        folder: of the comparison.
        history: outcomes of each candidate by name.
        answers: of the finalists.
        more: of `comparison_content`; fields of the plan under "plan".
    """
    candidates = [candidate(name) for name in history]
    known: dict[str, Any] = {
        "foretext": "0.1", "content": "", "pace": 1.0, "seconds": 0.5, "corpus": [], "reading": {},
        "text": {},
        "rows": {"train": 100, "valid": 50, "test": 40},
        "request": {"task": "classification", "train": "data/topics.csv.gz", "budget": 60.0,
                    "seeds": 1, "rounds": 1, "seed": 0},
    }  # fmt: skip
    plan = Plan(candidates=candidates, **{**known, **more.pop("plan", {})})
    finalists = [each for each in candidates if each.name in {*answers, *more.get("failures", {})}]
    played = Played({name: list(own) for name, own in history.items()}, finalists)
    return comparison_content(Ledger(folder), plan, played, answers, used_seconds=59.5, **more)
