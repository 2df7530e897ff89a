"""What pretrainings of a comparison have in common: made once, before the first turn.

It is nobody's time: candidates that share a tokenizer would otherwise pay for it or not by the
order of their turns. And all of them read the same part of the corpus.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from foretext.comparison.candidate import Sections
from foretext.comparison.rounds import Played
from foretext.comparison.turn import Contest
from foretext.comparison.worker import JobFailed, Prepare
from foretext.pretraining.shared import shared_parts
from foretext.run_folder import RunFolder

__all__ = ["SHARED_RATE", "share_work", "shared_work"]

SHARED_RATE = 0.1  # of the time, at most, for what is shared
LATE_RATE, LATE_SECONDS = 2.0, 30.0  # after which it is stopped, and candidates make it themselves


def share_work(contest: Contest) -> Contest:
    """Make what pretrainings share; returns the comparison with the part of the corpus they read.

    Where that fails the candidates make it in their own time.

    Raises:
        Interrupted: a signal asked for the end; a resume goes on from there.
    """
    pretrained = [each for each in contest.plan.candidates if each.recipe is not None]
    if not pretrained:
        return contest
    recipes: list[tuple[str, Sections]] = []
    for each in pretrained:
        recipe = str(each.recipe), contest.pretraining_settings(each)
        recipes += [] if recipe in recipes else [recipe]
    seconds = round(SHARED_RATE * contest.request.budget_seconds, 2)
    job = Prepare(
        tuple(recipes),
        tuple(contest.plan.corpus),
        str(contest.ledger.shared),
        budget=seconds,
        quiet=contest.quiet,
    )
    began = contest.watch()
    try:
        reply = contest.worker.run(job, limit=LATE_RATE * seconds + LATE_SECONDS)
    except JobFailed as failure:
        why = f"candidates share no tokenizer and no ids: {failure}"
        return replace(contest, notes=(*contest.notes, why))
    contest.count(reply.seconds, began)
    notes = contest.notes
    if reply.text_rate < 1:
        notes = (
            *notes,
            f"{reply.text_rate:.0%} of the corpus is read, from its beginning, as the budget "
            "allows; a longer --budget reads all",
        )
    return replace(contest, text_bytes=reply.text_bytes, notes=notes)


def shared_work(contest: Contest, played: Played) -> list[dict[str, Any]]:
    """Return what was made once, how long it took, and whom it served."""
    found: dict[str, dict[str, Any]] = {}
    for name, part in _used(contest, played):
        new = {"what": part.what, "seconds": part.seconds, "candidates": []}
        served = found.setdefault(part.key, new)["candidates"]
        served += [] if name in served else [name]
    return [*found.values()]


def _used(contest: Contest, played: Played) -> Iterator[tuple[str, Any]]:
    """Yield the name of a candidate and a part that it has used."""
    for candidate in contest.plan.candidates:
        for outcome in played.history[candidate.name]:
            base = RunFolder(contest.ledger.base(candidate, outcome.round))
            for part in shared_parts(base):
                yield candidate.name, part
