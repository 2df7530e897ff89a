"""A server gives freed memory back now and then."""

from __future__ import annotations

import pytest

from foretext.serving import freed_memory
from foretext.serving.freed_memory import SECONDS, FreedMemory


def test_it_is_given_back_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    now, times = [100.0], list[float]()
    monkeypatch.setattr(freed_memory.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(freed_memory, "give_back_memory", lambda: times.append(now[0]))
    after_a_batch = FreedMemory()
    for _ in range(61):
        after_a_batch(object())
        now[0] += SECONDS / 20
    assert times == [100.0 + SECONDS, 100.0 + 2 * SECONDS, 100.0 + 3 * SECONDS]
