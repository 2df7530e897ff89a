"""The rounds of a comparison: successive halving (Jamieson & Talwalkar 2016).

In every round the candidates that are left share the same time, so that each has about twice as
much as before. A later round trains from the beginning: a schedule that is made for a longer time
gives a better model than a short one continued.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from foretext.comparison.candidate import Candidate
from foretext.comparison.ledger import Outcome
from foretext.comparison.shares import Shares
from foretext.comparison.turn import Comparing, Turn

__all__ = ["Played", "Tell", "by_need", "play_rounds", "survivors"]

ENDED_RATE = 0.5  # of its time, below which a candidate has ended by itself: more would be no use

History = Mapping[str, Sequence[Outcome]]  # by the name of the candidate, a round after the other


class Played(NamedTuple):
    """What came of all turns.

    Attributes:
        history: of every candidate, by name, one outcome for each round that it took part in.
        finalists: those that are left after the last round and did not fail.
    """

    history: dict[str, list[Outcome]]
    finalists: list[Candidate]


Tell = Callable[[Candidate, Outcome, Shares], None]


def by_need(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return candidates in the order of their turns: those that need least leave time to others."""
    return sorted(candidates, key=lambda each: each.least_seconds)


def survivors(candidates: Sequence[Candidate], history: History) -> list[Candidate]:
    """Return the better half of the candidates, in their order; those that failed are out.

    Those that have ended by themselves take no more time, and go on beside them.
    """
    scores = {each.name: history[each.name][-1].score for each in candidates}
    turns = [each for each in candidates if not _has_ended(history[each.name])]
    ranked = sorted(
        (score, -place, each)
        for place, each in enumerate(turns)
        if (score := scores[each.name]) is not None
    )
    better = [each for _, _, each in ranked[::-1][: math.ceil(len(turns) / 2)]]
    ended = [each for each in candidates if each not in turns and scores[each.name] is not None]
    return [each for each in candidates if each in [*better, *ended]]


def play_rounds(comparing: Comparing, shares: Shares, tell: Tell) -> Played:
    """Give every candidate its turns.

    Args:
        comparing: the candidates and who trains them.
        shares: of the time.
        tell: is called after each turn.

    Raises:
        Interrupted: a signal asked for the end; what was done is kept.
    """
    history: dict[str, list[Outcome]] = {each.name: [] for each in comparing.plan.candidates}
    left, rounds = list(comparing.plan.candidates), comparing.request.rounds
    for number in range(1, rounds + 1):
        ended = [each for each in left if _has_ended(history[each.name])]
        turns = [each for each in left if each not in ended]
        shares.keep_tests({each.name for each in ended})
        shares.begin_round(len(turns), rounds - number + 1)
        for candidate in turns:
            outcome = _take_turn(comparing, shares, candidate, number)
            history[candidate.name].append(outcome)
            tell(candidate, outcome, shares)
        if number < rounds:
            left = survivors(left, history)
    return Played(history, [each for each in left if history[each.name][-1].score is not None])


def _has_ended(outcomes: Sequence[Outcome]) -> bool:
    """Whether a candidate had more time than it could use: a longer one would change nothing."""
    return bool(outcomes) and outcomes[-1].used < ENDED_RATE * outcomes[-1].given


def _take_turn(comparing: Comparing, shares: Shares, candidate: Candidate, number: int) -> Outcome:
    """Play a turn, or take what an earlier command has kept of it."""
    ledger, watch = comparing.ledger, comparing.watch
    share = shares.next_share()
    answering = comparing.answering.seconds(share)
    kept = ledger.outcome(candidate, number)
    if kept is None:
        given = ledger.given(candidate, number)
        if given is None:
            given = round(max(share - answering, 0.0), 2)
            ledger.keep_given(candidate, number, given)
        kept = Turn(comparing, candidate, number, given).run()
        ledger.keep_outcome(candidate, kept)
    else:
        watch.add(kept.used)
    shares.end_turn()
    if kept.score is not None:
        seconds = comparing.answering.seconds(share, kept.row_seconds)
        shares.keep_for_test(candidate.name, seconds)
    return kept
