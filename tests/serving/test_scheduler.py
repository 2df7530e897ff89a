"""The scheduler: one thread, merged batches, fair turns, errors and clients that leave."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from foretext.base.errors import CorpusError
from foretext.serving.batch import Computed
from foretext.serving.errors import Failed, Full, Stopping, TooLarge
from foretext.serving.pace import FEWEST_TOKENS
from foretext.serving.scheduler import MOST_WRITING, ClientLeft, Pause, Scheduler
from tests.serving.doing import Doing, run, scheduling, until


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
