"""The scheduler: one thread, merged batches, fair turns, errors and clients that leave."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foretext.base.errors import CorpusError
from foretext.serving.batch import Computed, Job
from foretext.serving.errors import CannotServe, Failed, Full, Stopping, TooLarge
from foretext.serving.pending import Pending
from foretext.serving.scheduler import (
    FEWEST_TOKENS,
    FIRST_RATE,
    LONGEST_WAIT,
    MOST_WRITING,
    Admission,
    ClientLeft,
    Pace,
    Pause,
    Scheduler,
    Turns,
)
from foretext.serving.settings import ServingConfig
from tests.serving.doing import Doing, run, scheduling, until

LOOP = asyncio.new_event_loop()
DOING = Doing()


class PanicException(BaseException):
    """What tokenizers raise."""


def closed() -> Doing:
    """An ability whose first batch waits until the test lets it go on."""
    ability = Doing()
    ability.gate.clear()
    return ability


async def hold(scheduler: Scheduler, ability: Doing) -> asyncio.Task[Any]:
    """Let the model's thread be busy with a batch of one item, [1]."""
    task = asyncio.create_task(scheduler.answer(ability, [1], client="holder"))
    await until(lambda: ability.batches == [[1]])
    return task


def answers(
    scheduler: Scheduler, ability: Doing, items: list[int], client: str, options: Any = None
) -> asyncio.Task[Any]:
    return asyncio.create_task(scheduler.answer(ability, items, options, client=client))


def test_answers_come_in_the_order_of_the_items() -> None:
    async def work() -> None:
        ability = Doing()
        async with scheduling() as scheduler:
            answered = await scheduler.answer(ability, [5, 1, 3], client="a")
            assert answered.answers == [10, 2, 6]
            assert answered.tokens == 9
            assert answered.queue_ms >= 0
            assert answered.inference_ms >= 0
            nothing = await scheduler.answer(ability, [], client="a")
            assert nothing.answers == []
            known = await scheduler.answer(ability, [5, 1, 3], client="a", costs=[2, 9, 0])
            assert known.tokens == 12  # one at least of each item
        assert ability.batches == [[1, 3, 5], [3, 5, 1]]
        assert ability.threads == {"foretext-model"}

    run(work())


def test_requests_that_ask_the_same_are_computed_together() -> None:
    async def work() -> None:
        ability = closed()
        async with scheduling() as scheduler:
            held = await hold(scheduler, ability)
            tasks = [answers(scheduler, ability, [10 + n, 5 + n], f"c{n}", "x") for n in range(3)]
            other = answers(scheduler, ability, [7], "c0", "y")
            await until(lambda: scheduler.queue_size == 4)
            ability.gate.set()
            found = await asyncio.gather(*tasks, other, held)
        assert [each.answers for each in found[:3]] == [[20, 10], [22, 12], [24, 14]]
        assert ability.batches[1:] == [[5, 6, 7, 10, 11, 12], [7]]

    run(work())


def test_a_small_request_passes_a_list_of_thousands() -> None:
    async def work() -> None:
        ability = closed()
        async with scheduling(max_batch_tokens=FEWEST_TOKENS) as scheduler:
            held = await hold(scheduler, ability)
            many = answers(scheduler, ability, [8] * 5000, "many")
            await until(lambda: scheduler.queue_size == 1)
            small = answers(scheduler, ability, [9], "small")
            same_client = answers(scheduler, ability, [10], "many")
            other_options = answers(scheduler, ability, [11], "other", "y")
            await until(lambda: scheduler.queue_size == 4)
            ability.gate.set()
            await asyncio.gather(small, same_client, other_options, held)
            assert (await many).answers == [16] * 5000
        assert {9, 10} <= set(ability.batches[1])
        assert ability.batches[2] == [11]
        assert len(ability.batches) > 5000 * 8 // FEWEST_TOKENS
        assert max(map(sum, ability.batches)) <= FEWEST_TOKENS

    run(work())


def test_clients_have_equal_parts_however_many_requests_they_send() -> None:
    async def work() -> None:
        ability = closed()
        async with scheduling(max_batch_tokens=2048) as scheduler:
            held = await hold(scheduler, ability)
            crowd = [answers(scheduler, ability, [64] * 100, "crowd") for _ in range(10)]
            one = answers(scheduler, ability, [63] * 100, "one")
            await until(lambda: scheduler.queue_size == 11)
            ability.gate.set()
            await asyncio.gather(held, one, *crowd)
        last = max(n for n, batch in enumerate(ability.batches) if 63 in batch)
        served = sum(batch.count(64) for batch in ability.batches[: last + 1])
        assert 90 <= served <= 100 + 2048 // 64

    run(work())


def test_who_has_left_is_not_computed() -> None:
    async def work() -> None:
        ability = closed()
        async with scheduling() as scheduler:
            held = await hold(scheduler, ability)
            leaving, staying = (answers(scheduler, ability, [n], f"c{n}") for n in (2, 3))
            await until(lambda: scheduler.queue_size == 2)
            leaving.cancel()
            with pytest.raises(asyncio.CancelledError):
                await leaving
            ability.gate.set()
            await asyncio.gather(held, staying)
        assert ability.batches == [[1], [3]]

    run(work())


def test_who_leaves_while_computed_hurts_nobody() -> None:
    async def work() -> None:
        ability = closed()
        async with scheduling(max_batch_tokens=FEWEST_TOKENS) as scheduler:
            leaving = answers(scheduler, ability, [200] * 9, "a")
            await until(lambda: ability.batches == [[200]])
            leaving.cancel()
            await asyncio.sleep(0)
            ability.gate.set()
            assert (await scheduler.answer(ability, [4], client="b")).answers == [8]
        assert ability.batches == [[200], [4]]

    run(work())


def test_an_error_of_one_request_hurts_no_other() -> None:
    def fails(item: int) -> BaseException | None:
        return {7: CorpusError("7 is no text."), 8: PanicException("8")}.get(item)

    async def work() -> None:
        ability = Doing(fails)
        ability.gate.clear()
        async with scheduling() as scheduler:
            held = await hold(scheduler, ability)
            tasks = [answers(scheduler, ability, [n, 100 + n], f"c{n}") for n in (5, 6, 7, 8)]
            await until(lambda: scheduler.queue_size == 4)
            ability.gate.set()
            found = await asyncio.gather(held, *tasks, return_exceptions=True)
            again = await scheduler.answer(ability, [9], client="c7")
        assert [each.answers for each in found[:3]] == [[2], [10, 210], [12, 212]]
        assert isinstance(found[3], CorpusError)
        assert isinstance(found[4], Failed)
        assert again.answers == [18]

    run(work())


def test_a_list_ends_at_its_first_error() -> None:
    async def work() -> None:
        ability = Doing(lambda item: CorpusError("wrong") if item == 100 else None)
        async with scheduling(max_batch_tokens=FEWEST_TOKENS) as scheduler:
            with pytest.raises(CorpusError):
                await scheduler.answer(ability, [100, *[200] * 50], client="a")
            assert scheduler.queue_size == 0
        assert len(ability.batches) == 1

    run(work())


def test_the_message_of_a_defect_reaches_no_client_and_the_log_only_if_asked(
    capsys: pytest.CaptureFixture[str],
) -> None:
    async def work(log_texts: bool) -> str:
        ability = Doing(lambda item: ValueError("a secret text"))
        async with scheduling(log_texts=log_texts) as scheduler:
            with pytest.raises(Failed) as refused:
                await scheduler.answer(ability, [1], client="a")
        return str(refused.value)

    assert "secret" not in run(work(False))
    logged = capsys.readouterr().err
    assert "ValueError" in logged
    assert "doing.py" in logged
    assert "secret" not in logged
    assert "secret" not in run(work(True))
    assert "ValueError: a secret text" in capsys.readouterr().err


def test_a_lack_of_memory_is_a_request_that_is_too_large() -> None:
    async def work() -> None:
        ability = Doing(lambda item: MemoryError())
        async with scheduling() as scheduler:
            with pytest.raises(TooLarge, match="too little memory"):
                await scheduler.answer(ability, [1], client="a")

    run(work())


def test_too_much_at_once_is_refused_and_leaves_nothing_behind() -> None:
    async def work() -> None:
        ability = closed()
        async with scheduling(max_tokens=100) as scheduler:
            held = await hold(scheduler, ability)
            waiting = answers(scheduler, ability, [90], "a")
            await until(lambda: scheduler.queue_size == 1)
            with pytest.raises(Full) as refused:
                await scheduler.answer(ability, [20], client="b")
            assert refused.value.retry_after == scheduler.retry_after == 1.0
            assert scheduler.queue_size == 1
            ability.gate.set()
            await asyncio.gather(held, waiting)
            assert (await scheduler.answer(ability, [20], client="b")).answers == [40]

    run(work())


def test_a_stop_finishes_what_was_accepted_and_refuses_the_rest() -> None:
    async def work() -> None:
        ability = closed()
        async with scheduling(max_batch_tokens=FEWEST_TOKENS) as scheduler:
            held = await hold(scheduler, ability)
            waiting = answers(scheduler, ability, [100] * 20, "a")
            await until(lambda: scheduler.queue_size == 1)
            stop = asyncio.create_task(scheduler.stop())
            await asyncio.sleep(0)
            with pytest.raises(Stopping):
                await scheduler.answer(ability, [2], client="b")
            assert not stop.done()
            ability.gate.set()
            await stop
            assert (await waiting).answers == [200] * 20
            assert (await held).answers == [2]
        assert not scheduler.is_alive

    run(work())


def test_batches_are_observed() -> None:
    async def work() -> list[Computed]:
        seen: list[Computed] = []
        async with scheduling() as scheduler:
            scheduler.observers.append(seen.append)
            await scheduler.answer(Doing(), [4, 6], client="a")
        return seen

    (computed,) = run(work())
    assert computed[:4] == ("doing", 1, 2, 10)


# Long work
def counting(number: int, seen: list[str], name: str = "") -> Callable[[Pause], int]:
    """Work of some steps, each of which is noted, with a pause after it."""

    def work(pause: Pause) -> int:
        for _ in range(number):
            seen.append(name)
            pause()
        return number

    return work


def no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every pause end a turn, whatever the clock says."""
    monkeypatch.setattr("foretext.serving.scheduler.WRITING_SECONDS", 0.0)
    monkeypatch.setattr("foretext.serving.scheduler.SHORTEST_TURN", 0.0)


def test_long_work_takes_turns_with_other_work_and_with_requests(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    no_time(monkeypatch)

    async def work() -> None:
        seen: list[str] = []
        ability = Doing(lambda item: seen.append("small") if item == 2 else None)
        ability.gate.clear()
        async with scheduling() as scheduler:
            held = await hold(scheduler, ability)
            writing = [
                asyncio.create_task(scheduler.write(counting(50, seen, name), client=name))
                for name in ("x", "y")
            ]
            await until(lambda: scheduler.queue_size == 2)
            small = answers(scheduler, ability, [2], "c")
            await until(lambda: scheduler.queue_size == 3)
            ability.gate.set()
            assert await asyncio.gather(*writing) == [50, 50]
            await asyncio.gather(held, small)
        assert seen[:5] == ["x", "y", "small", "x", "y"]

    run(work())


def test_work_alone_is_not_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    no_time(monkeypatch)

    async def work() -> None:
        async with scheduling() as scheduler:
            seen: list[str] = []
            assert await scheduler.write(counting(1000, seen), client="a") == 1000

    run(work())


def test_work_ends_at_its_next_pause_when_its_client_has_left() -> None:
    ended = []

    def endless(pause: Pause) -> None:
        try:
            while True:
                pause()
        except ClientLeft:
            ended.append(True)
            raise

    async def work() -> None:
        async with scheduling() as scheduler:
            task = asyncio.create_task(scheduler.write(endless, client="a"))
            await until(lambda: any(t.name == "foretext-writing" for t in threading.enumerate()))
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await until(lambda: ended == [True])
            assert await scheduler.write(lambda pause: 3, client="a") == 3
        assert all(thread.name != "foretext-writing" for thread in threading.enumerate())

    run(work())


def test_work_whose_client_left_before_it_began_never_begins() -> None:
    async def work() -> None:
        ability, seen = closed(), list[str]()
        async with scheduling() as scheduler:
            held = await hold(scheduler, ability)
            task = asyncio.create_task(scheduler.write(counting(5, seen), client="a"))
            await until(lambda: scheduler.queue_size == 1)
            task.cancel()
            await asyncio.sleep(0)
            ability.gate.set()
            await held
        assert seen == []

    run(work())


def test_errors_of_work_reach_who_asked() -> None:
    def failing(error: BaseException) -> Callable[[Pause], None]:
        def work(pause: Pause) -> None:
            raise error

        return work

    async def work() -> None:
        async with scheduling() as scheduler:
            with pytest.raises(CorpusError, match="no text"):
                await scheduler.write(failing(CorpusError("no text")), client="a")
            with pytest.raises(Failed):
                await scheduler.write(failing(PanicException()), client="a")
            assert await scheduler.write(lambda pause: 3, client="a") == 3

    run(work())


def test_only_some_texts_are_written_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    no_time(monkeypatch)
    running, most = set[int](), [0]

    def work_of(number: int) -> Callable[[Pause], int]:
        def work(pause: Pause) -> int:
            running.add(number)
            most[0] = max(most[0], len(running))
            for _ in range(20):
                pause()
            running.remove(number)
            return number

        return work

    async def work() -> None:
        async with scheduling() as scheduler:
            tasks = [scheduler.write(work_of(n), client=f"c{n}") for n in range(3 * MOST_WRITING)]
            assert await asyncio.gather(*tasks) == list(range(3 * MOST_WRITING))
        assert 1 < most[0] <= MOST_WRITING

    run(work())


def test_two_threads_never_compute_at_the_same_time(monkeypatch: pytest.MonkeyPatch) -> None:
    no_time(monkeypatch)
    computing = threading.Lock()

    class Alone(Doing):
        def run(self, items: Any, options: Any) -> list[int]:
            assert computing.acquire(blocking=False)
            try:
                return super().run(items, options)
            finally:
                computing.release()

    def writing(pause: Pause) -> bool:
        for _ in range(50):
            assert computing.acquire(blocking=False)
            computing.release()
            pause()
        return True

    async def work() -> None:
        ability = Alone()
        async with scheduling() as scheduler:
            tasks = [
                scheduler.write(writing, client=f"w{n}")
                if n % 2
                else scheduler.answer(ability, [n + 1], client=f"a{n}")
                for n in range(12)
            ]
            await asyncio.gather(*tasks)

    run(work())


def job_of(*costs: int) -> Job:
    return Job("a", DOING, None, costs, LOOP)


def admission(rate: int = 1000, **settings: float) -> Admission:
    pace = Pace()
    pace.observe(DOING, 100 * rate, 100.0)
    return Admission(ServingConfig(**settings), pace)


def test_tokens_beyond_the_limit_are_refused_until_there_is_room() -> None:
    door = admission(max_tokens=100)
    first = job_of(60)
    door.enter(first)
    with pytest.raises(Full, match="it answers requests of 60 tokens"):
        door.enter(job_of(50))
    door.enter(job_of(40))
    door.leave(first)
    door.enter(job_of(50))
    assert (door.num_requests, door.num_tokens) == (2, 90)


def test_a_request_larger_than_the_limit_is_taken_on_alone() -> None:
    door = admission(max_tokens=100)
    door.enter(job_of(5000))
    with pytest.raises(Full):
        door.enter(job_of(1))


def test_a_request_that_is_too_large_for_any_time_is_refused_for_good() -> None:
    door = admission(max_request_tokens=100)
    door.enter(job_of(100))
    with pytest.raises(CannotServe, match="about 101 tokens, and this server takes 100"):
        door.enter(job_of(100, 1))


def test_who_would_wait_too_long_is_refused_at_once() -> None:
    door = admission(max_wait=5.0)
    for _ in range(6):
        door.enter(job_of(1000))
    with pytest.raises(Full, match="would wait for about 6 seconds") as refused:
        door.enter(job_of(1000))
    assert refused.value.retry_after == pytest.approx(6.0)


def test_a_short_request_does_not_wait_for_the_whole_of_a_long_one() -> None:
    door = admission(max_wait=1.0)
    door.enter(job_of(50_000))
    for _ in range(3):
        door.enter(job_of(200))


def test_a_long_request_may_wait_as_long_as_it_takes_itself() -> None:
    door = admission(max_wait=1.0)
    door.enter(job_of(20_000))
    door.enter(job_of(20_000))
    with pytest.raises(Full):
        door.enter(job_of(20_000))


def test_what_could_not_end_in_time_is_not_begun() -> None:
    door = admission(max_wait=1.0, max_seconds=30.0)
    door.enter(job_of(20_000))
    with pytest.raises(Full):
        door.enter(job_of(20_000))


def test_the_wait_is_what_is_left_to_compute() -> None:
    door = admission()
    job = job_of(4000, 6000)
    door.enter(job)
    assert door.retry_after == pytest.approx(10.0)
    door.computed(job, 4000)
    assert door.retry_after == pytest.approx(6.0)
    door.leave(job)
    assert door.seconds_left == 0.0
    assert door.retry_after == 1.0


def test_what_is_computed_for_nobody_frees_nothing_twice() -> None:
    door = admission()
    job = job_of(4000)
    door.enter(job)
    door.leave(job)
    door.computed(job, 4000)
    assert door.seconds_left == 0.0


def test_nobody_is_sent_away_for_hours() -> None:
    door = admission(rate=1)
    door.enter(job_of(100_000))
    assert door.retry_after == LONGEST_WAIT


def test_a_batch_is_as_large_as_its_time_allows() -> None:
    pace = Pace()
    assert pace.rate("embed") == FIRST_RATE
    for _ in range(100):
        pace.observe("embed", 5000, 0.5)
    assert pace.rate("embed") == pytest.approx(10_000, rel=1e-3)
    assert pace.room("embed", 0.1, 16_384) == pytest.approx(1000, abs=2)
    assert pace.room("embed", 0.1, 400) == 400
    assert pace.room("embed", 0.0001, 16_384) == FEWEST_TOKENS
    assert pace.rate("tag") == FIRST_RATE


def test_the_latest_seconds_count_most() -> None:
    pace = Pace()
    pace.observe("embed", 100, 30.0)
    assert pace.rate("embed") < 10
    for _ in range(100):
        pace.observe("embed", 10_000, 0.1)
    assert pace.rate("embed") > 90_000


@pytest.mark.parametrize("batches_before", [0, 1, 1000])
def test_one_slow_batch_is_no_slow_model(batches_before: int) -> None:
    pace = Pace()
    for _ in range(batches_before):
        pace.observe("embed", 200, 0.001)
    pace.observe("embed", 30, 1.0)  # something is loaded, or another program computes
    assert pace.rate("embed") > 8000


def test_a_slow_model_is_known_after_its_first_large_batch() -> None:
    pace = Pace()
    pace.observe("embed", 10_000, 50.0)
    assert pace.rate("embed") == pytest.approx(200, rel=0.01)


def test_a_batch_of_no_time_does_no_harm() -> None:
    pace = Pace()
    pace.observe("embed", 10, 0.0)
    assert pace.rate("embed") == pytest.approx(FIRST_RATE, rel=0.01)


class Waiting(Pending):
    """A request with a name and a key."""

    def __init__(self, client: str, key: Any = "same") -> None:
        super().__init__(client, 1, LOOP)
        self._key = key

    @property
    def key(self) -> Any:
        return self._key

    @property
    def ability(self) -> str:
        return "any"

    @property
    def can_be_dropped(self) -> bool:
        return self.is_gone


def everything(request: Waiting) -> bool:
    return True


def turns_of(*requests: Waiting) -> Turns[Waiting]:
    turns: Turns[Waiting] = Turns()
    for request in requests:
        turns.add(request)
    return turns


def test_requests_that_ask_the_same_share_a_turn() -> None:
    first, other, second = Waiting("a", 1), Waiting("a", 2), Waiting("b", 1)
    turns = turns_of(first, other, second)
    assert turns.next(everything) == [[first], [second]]
    assert (len(turns), turns.num_kinds) == (3, 2)


def test_after_their_turn_a_client_and_its_request_are_the_last() -> None:
    first, second, other = Waiting("a", 1), Waiting("a", 2), Waiting("b", 3)
    turns = turns_of(first, second, other)
    for expected in (first, other, second, other, first):
        ((request,),) = turns.next(everything)
        assert request is expected
        turns.rotate(request)


def test_who_has_left_has_no_turn() -> None:
    first, second = Waiting("a"), Waiting("b")
    turns = turns_of(first, second)
    first.is_gone = True
    assert turns.next(everything) == [[second]]
    assert len(turns) == 1
    second.is_gone = True
    assert turns.next(everything) == []
    assert len(turns) == 0


def test_who_is_not_ready_keeps_its_place() -> None:
    first, second = Waiting("a", 1), Waiting("b", 2)
    turns = turns_of(first, second)
    assert turns.next(lambda request: request is second) == [[second]]
    assert turns.next(everything) == [[first]]


def test_a_request_may_be_taken_out_twice() -> None:
    request = Waiting("a")
    turns = turns_of(request)
    turns.remove(request)
    turns.remove(request)
    assert len(turns) == 0


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.integers(0, 3)), min_size=1, max_size=30))
def test_nobody_has_two_turns_while_another_waits_for_one(wanted: list[tuple[str, int]]) -> None:
    """Whatever waits: in any row of turns, the clients that always waited differ by one at most."""
    requests = [Waiting(client, (client, key)) for client, key in wanted]
    turns = turns_of(*requests)
    had: Counter[str] = Counter()
    clients = {client for client, _ in wanted}
    for _ in range(5 * len(clients)):
        queues = turns.next(everything)
        for queue in queues:
            for request in queue:
                turns.rotate(request)
        had[queues[0][0].client] += 1
        counts = [had[client] for client in clients]
        assert max(counts) - min(counts) <= 1
