"""One thread computes the requests of all clients: in batches, and in turns.

Requests that ask the same of a model are computed together, whoever sent them. A batch takes about
half a second, so that a small request has its turn soon, whatever else waits.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple, TypeVar, cast

from foretext.base.errors import ForetextError
from foretext.base.runtime import lacks_memory
from foretext.serving.ability import Ability
from foretext.serving.admission import Admission
from foretext.serving.batch import Batch, Computed, fill
from foretext.serving.defects import say_defect
from foretext.serving.errors import Failed, Stopping, TooLarge
from foretext.serving.job import Job
from foretext.serving.pace import Pace
from foretext.serving.pending import Pending
from foretext.serving.settings import ServingConfig
from foretext.serving.turns import Turns
from foretext.serving.writing import ClientLeft, Pause, Writing

__all__ = ["Answered", "ClientLeft", "Pause", "Scheduler"]

T = TypeVar("T")

ROUND_SECONDS = 0.5  # until each kind of request has had its batch, about
WRITING_SECONDS = 0.1  # the same where texts are written: people read them as they come
SHORTEST_TURN = 0.02  # seconds
MOST_WRITING = 8  # texts that are written at once, each of which keeps what it has read
STOP_POLL = 0.01  # seconds


class Answered(NamedTuple):
    """The answers to the items of a request, and what they took."""

    answers: list[Any]  # in the order of the items
    queue_ms: float  # until the first item was computed
    inference_ms: float  # of all batches with items of the request
    tokens: int


class Scheduler:
    """Gives the model's thread its work.

    Args:
        settings: with the limits.

    Attributes:
        observers: are called with each batch that was computed, in the model's thread, before its
            requests have their answers.
    """

    def __init__(self, settings: ServingConfig) -> None:
        self.settings = settings
        self.observers: list[Callable[[Computed], object]] = []
        self._pace = Pace()
        self._admission = Admission(settings, self._pace)
        self._turns: Turns[Job | Writing] = Turns()
        self._changed = threading.Condition()  # guards all of these
        self._is_stopping = self._is_stopped = False
        self._num_writing = 0
        self._thread: threading.Thread | None = None

    @property
    def queue_size(self) -> int:
        """Number of requests of which something waits."""
        return len(self._turns)

    @property
    def is_alive(self) -> bool:
        """Whether the model's thread is there to compute."""
        return self._thread is not None and self._thread.is_alive()

    @property
    def retry_after(self) -> float:
        """Seconds after which a client that is refused now may ask again."""
        return self._admission.retry_after

    def start(self) -> None:
        """Start the model's thread."""
        self._is_stopping = self._is_stopped = False
        self._thread = threading.Thread(target=self._compute, name="foretext-model", daemon=True)
        self._thread.start()

    async def stop(self) -> None:
        """Refuse new requests, finish those that were accepted, and end the thread."""
        self._is_stopping = True
        while self._admission.num_requests:
            await asyncio.sleep(STOP_POLL)
        with self._changed:
            self._is_stopped = True
            self._changed.notify()
        if self._thread is not None:
            await asyncio.to_thread(self._thread.join)

    # In the event loop

    async def answer(
        self,
        ability: Ability,
        items: Sequence[Any],
        options: Hashable = None,
        *,
        client: str,
        costs: Sequence[int] | None = None,
    ) -> Answered:
        """Return the answers to items, computed together with those of other requests.

        Args:
            ability: of a model.
            items: what it takes; of many, those are computed first that others are like.
            options: of the ability; requests with equal ones share batches.
            client: what tells clients apart, see `client_of`.
            costs: tokens of each item, where they are known; None: as the ability estimates them.

        Raises:
            Full: too much waits already.
            Stopping: the server is being stopped.
            ForetextError: as of `Ability.run`.
        """
        job = Job(client, ability, options, items, asyncio.get_running_loop(), costs)
        if not items:
            return Answered([], 0.0, 0.0, 0)
        with self._admitted(job):
            answers = await job.future
        return Answered(answers, job.queue_seconds * 1000, job.inference_seconds * 1000, job.tokens)

    async def write(self, work: Callable[[Pause], T], *, client: str) -> T:
        """Return the result of long work, which is done in turns with all other requests.

        Args:
            work: is called with `Pause`, which it calls at each token. That lets others have their
                turns, and raises `ClientLeft` when nobody waits for the result.
            client: as of `answer`.

        Raises:
            ForetextError: as of `answer`, or what the work raises.
        """
        writing = Writing(client, work, asyncio.get_running_loop())
        with self._admitted(writing):
            return cast(T, await writing.future)

    @contextmanager
    def _admitted(self, request: Job | Writing) -> Iterator[None]:
        """Let a request wait for the model within; afterwards nobody waits for it."""
        if self._is_stopping:
            raise Stopping("The server is being stopped; ask again in a moment.")
        with self._changed:
            self._admission.enter(request)
            self._turns.add(request)
            self._changed.notify()
        try:
            yield
        finally:
            with self._changed:
                request.is_gone = True
                self._admission.leave(request)
                self._changed.notify()

    # In the model's thread

    def _compute(self) -> None:
        while (turn := self._next()) is not None:
            if isinstance(turn, Writing):
                self._continue(turn)
            else:
                self._run(turn)

    def _next(self) -> Batch | Writing | None:
        """Wait for the next turn; None: there will be none."""
        with self._changed:
            while not (queues := self._turns.next(self._is_ready)):
                if self._is_stopped:
                    return None
                self._changed.wait()
            first = queues[0][0]
            if isinstance(first, Writing):
                self._turns.rotate(first)
                return first
            room = self._pace.room(
                first.ability, self._turn_seconds(ROUND_SECONDS), self.settings.max_batch_tokens
            )
            batch = fill(cast(list[list[Job]], queues), room)
            for job in batch.parts:
                if job.all_taken:
                    self._turns.remove(job)
                else:
                    self._turns.rotate(job)
            return batch

    def _turn_seconds(self, a_round: float) -> float:
        return max(SHORTEST_TURN, a_round / max(self._turns.num_kinds, 1))

    def _is_ready(self, request: Job | Writing) -> bool:
        return not isinstance(request, Writing) or (
            request.has_begun or self._num_writing < MOST_WRITING
        )

    def _run(self, batch: Batch) -> None:
        """Compute a batch; where it fails, each request by itself, so that one hurts no other."""
        try:
            seconds = batch.run()
        except BaseException as error:  # such as a panic of a library in Rust
            self._recover(batch, error)
            return
        tokens = {job: batch.tokens_of(job) for job in batch.parts}
        computed = Computed(
            batch.ability.name, len(tokens), len(batch), sum(tokens.values()), seconds
        )
        with self._changed:
            self._pace.observe(batch.ability, computed.tokens, seconds)
            for job, num_tokens in tokens.items():
                self._admission.computed(job, num_tokens)
        for observe in self.observers:
            observe(computed)
        self._deliver([job for job in batch.parts if job.is_done])

    def _recover(self, batch: Batch, error: BaseException) -> None:
        """Compute each request of a failed batch by itself; a single one has the error."""
        parts = batch.apart()
        if len(parts) > 1:
            for part in parts:
                self._run(part)
            return
        (job,) = batch.parts
        job.error = _refusal(error, self.settings)
        with self._changed:
            self._turns.remove(job)
        self._deliver([job])

    def _continue(self, writing: Writing) -> None:
        self._num_writing += not writing.has_begun
        with self._changed:
            seconds = self._turn_seconds(WRITING_SECONDS)
        writing.turn(seconds, lambda: len(self._turns) > 1)
        if writing.is_done:
            self._num_writing -= 1
            if writing.error is not None:
                writing.error = _refusal(writing.error, self.settings)
            with self._changed:
                self._turns.remove(writing)
                self._pace.observe(writing.ability, 1, writing.seconds)
                self._admission.computed(writing, 1)
            self._deliver([writing])

    def _deliver(self, requests: Sequence[Pending]) -> None:
        """Let the event loops of requests that are done know it, each of them once."""
        for loop in {request.loop for request in requests}:
            own = [request for request in requests if request.loop is loop]
            with suppress(RuntimeError):  # the loop is closed, and nobody waits
                loop.call_soon_threadsafe(_settle, own)


def _settle(requests: Sequence[Pending]) -> None:
    for request in requests:
        request.settle()


def _refusal(error: BaseException, settings: ServingConfig) -> BaseException:
    """Return what a client reads of an error; that of a defect stands in the log alone."""
    if isinstance(error, ForetextError | ClientLeft):
        return error
    say_defect(error, "a model", settings)
    if lacks_memory(error):
        return TooLarge(
            "The server has too little memory for this request; send fewer or shorter texts."
        )
    return Failed("The model failed on this request; the log of the server says where.")
