from __future__ import annotations

import numpy as np
import pytest

from foretext.kernels import merge_queue, merges
from foretext.tokenizers.merges import Merges, Rules, Ties, merge_pairs


def learned(words: list[str], ties: Ties) -> Merges:
    counts = 1 + np.arange(len(words)) % 7
    return merge_pairs(words, counts, Rules(600, prefix="##", ties=ties))


@pytest.mark.parametrize("ties", ["smallest_ids", "first_met"])
def test_room_that_runs_out_everywhere_changes_nothing(
    ties: Ties, monkeypatch: pytest.MonkeyPatch
) -> None:
    generator = np.random.default_rng(1)
    lengths = generator.integers(2, 30, 400)
    words = sorted({"".join(generator.choice([*"abcde"], length)) for length in lengths})
    usual = learned(words, ties)
    full: list[int] = []
    give_room = merges._with_room

    def noted(learner: merges.MergeLearner, what: int) -> merges.MergeLearner:
        full.append(what)
        return give_room(learner, what)

    monkeypatch.setattr(merges, "_with_room", noted)
    monkeypatch.setattr(merges, "FEWEST_PAIRS", 2)
    monkeypatch.setattr(merges, "new_queue", tight_queue)
    monkeypatch.setattr(merge_queue, "FEWEST", 1)
    assert learned(words, ties) == usual
    expected = {merges.TOKENS, merges.EVENTS, merges.PAIRS, merges.ENTRIES, merges.ENTRY_WORDS}
    assert set(full) == expected


def tight_queue(num_pairs: int, num_words: int) -> merge_queue.Queue:
    """Room for the entries of the start alone."""
    queue = merge_queue.new_queue(num_pairs, num_words)
    entries = {"counts", "ties", "entries", "pairs", "firsts", "stops"}
    shorter = {name: getattr(queue, name)[:num_pairs].copy() for name in entries}
    return queue._replace(words=queue.words[:num_words].copy(), **shorter)
