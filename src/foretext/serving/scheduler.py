"""One thread computes the requests of all clients: in batches, and in turns.

Requests that ask the same of a model are computed together, whoever sent them. A batch takes about
half a second, so that a small request has its turn soon, whatever else waits.

Whose turn it is: clients one after another, and the requests of each one after another. Nothing
here knows of threads; the scheduler asks under its lock.
"""

from __future__ import annotations

import asyncio
import math
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Generic, NamedTuple, TypeVar, cast

from foretext.base.errors import ForetextError
from foretext.base.runtime import lacks_memory
from foretext.serving.ability import Ability
from foretext.serving.batch import Batch, Computed, Job, fill
from foretext.serving.errors import CannotServe, Failed, Full, Stopping, TooLarge, say_defect
from foretext.serving.pending import Pending
from foretext.serving.settings import ServingConfig
from foretext.serving.writing import ClientLeft, Pause, Writing

__all__ = ["Admission", "Answered", "ClientLeft", "Pace", "Pause", "Scheduler", "Turns"]

T = TypeVar("T")

ROUND_SECONDS = 0.5  # until each kind of request has had its batch, about
WRITING_SECONDS = 0.1  # the same where texts are written: people read them as they come
SHORTEST_TURN = 0.02  # seconds
MOST_WRITING = 8  # texts that are written at once, each of which keeps what it has read
STOP_POLL = 0.01  # seconds

LONGEST_WAIT = 60.0  # seconds that a refused client is asked to wait, at most
LEAST_SHARE = 256  # tokens of another request for which one waits, however short it is itself
SHORTEST_WAIT = 1.0  # the header ``Retry-After`` counts whole seconds

FIRST_RATE = 20_000.0  # tokens a second, before anything was measured
MEMORY = 2.0  # seconds of computing in which a measurement comes to count a third
FEWEST_TOKENS = 256  # of a full batch: smaller ones waste most of their time

P = TypeVar("P", bound=Pending)


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


class Admission:
    """Counts the requests and tokens in flight: those that wait, and those that are computed.

    Args:
        settings: with the limits.
        pace: how long tokens take.
    """

    def __init__(self, settings: ServingConfig, pace: Pace) -> None:
        self._settings = settings
        self._pace = pace
        self._requests: set[Pending] = set()
        self.num_tokens = 0
        self._tokens: Counter[Hashable] = Counter()  # of each ability, not yet computed

    def enter(self, request: Pending) -> None:
        """Take on a request.

        Raises:
            CannotServe: it has more tokens than any request may have.
            Full: it would be too many, or wait too long.
        """
        limits = self._settings
        if request.tokens > limits.max_request_tokens:
            raise CannotServe(
                f"The request has about {request.tokens:,} tokens, and this server takes "
                f"{limits.max_request_tokens:,} in a request; send its inputs in several."
            )
        if self.num_requests and self.num_tokens + request.tokens > limits.max_tokens:
            raise self._full(f"it answers requests of {self.num_tokens:,} tokens")
        own, wait = self._seconds(request), self._wait(request)
        if wait > limits.max_wait and (wait > own or wait + own > limits.max_seconds):
            raise self._full(f"this request would wait for about {wait:.0f} seconds")
        self._requests.add(request)
        self.num_tokens += request.tokens
        self._tokens[request.ability] += request.tokens

    def computed(self, request: Pending, tokens: int) -> None:
        """Note that some tokens of a request are computed; of one that has left, nothing is."""
        tokens = min(tokens, request.tokens_left)
        request.tokens_left -= tokens
        self._tokens[request.ability] -= tokens

    def leave(self, request: Pending) -> None:
        """Make room, once a request is answered or given up."""
        self._requests.remove(request)
        self.num_tokens -= request.tokens
        self._tokens[request.ability] -= request.tokens_left
        request.tokens_left = 0

    @property
    def num_requests(self) -> int:
        """Requests in flight."""
        return len(self._requests)

    @property
    def seconds_left(self) -> float:
        """Seconds until all that was taken on is computed, roughly."""
        return sum(tokens / self._pace.rate(ability) for ability, tokens in self._tokens.items())

    @property
    def retry_after(self) -> float:
        """Seconds after which a client that is refused now may ask again."""
        return min(max(self.seconds_left, SHORTEST_WAIT), LONGEST_WAIT)

    def _wait(self, request: Pending) -> float:
        """Seconds that others take until a request is done.

        Turns are shared, so each of the others takes as long as it does, or less: a short request
        does not wait for the whole of a long one.
        """
        share = max(request.tokens, LEAST_SHARE) / self._pace.rate(request.ability)
        return sum(min(share, self._seconds(other)) for other in self._requests)

    def _seconds(self, request: Pending) -> float:
        return request.tokens_left / self._pace.rate(request.ability)

    def _full(self, reason: str) -> Full:
        wait = self.retry_after
        return Full(f"The server is busy: {reason}. Ask again in {wait:.0f} seconds.", wait)


class Pace:
    """Tokens a second of each ability, over the latest seconds of its computing.

    A first batch that is slow, or a moment in which the machine does something else, must not look
    like a slow model: clients would be refused by a server that has nothing to do. So the first
    rate counts as if it had been measured.
    """

    def __init__(self) -> None:
        self._measured: dict[Hashable, tuple[float, float]] = {}  # tokens, seconds

    def observe(self, ability: Hashable, tokens: int, seconds: float) -> None:
        """Note that a batch took some time."""
        before, kept = self._totals(ability), math.exp(-seconds / MEMORY)
        self._measured[ability] = before[0] * kept + tokens, before[1] * kept + seconds

    def rate(self, ability: Hashable) -> float:
        """Return the tokens a second."""
        tokens, seconds = self._totals(ability)
        return tokens / seconds

    def room(self, ability: Hashable, seconds: float, most: int) -> int:
        """Return how many tokens take about so many seconds, at most `most`."""
        return min(max(int(self.rate(ability) * seconds), FEWEST_TOKENS), most)

    def _totals(self, ability: Hashable) -> tuple[float, float]:
        """Return tokens and seconds, the latest ones in full."""
        return self._measured.get(ability, (FIRST_RATE * MEMORY, MEMORY))


class Turns(Generic[P]):
    """The requests that wait, in the order of their turns.

    After its turn a client goes to the end of the clients, and a request to the end of those of its
    client. So a client has its turn after at most one turn of each other client, however many
    requests or items these have.
    """

    def __init__(self) -> None:
        self._queues: OrderedDict[str, dict[P, None]] = OrderedDict()
        self._num = 0

    def __len__(self) -> int:
        """Number of requests; any thread may ask, without a lock."""
        return self._num

    def add(self, request: P) -> None:
        """Put a request at the end of those of its client."""
        self._queues.setdefault(request.client, {})[request] = None
        self._num += 1

    def remove(self, request: P) -> None:
        """Take a request out that is done, or that nobody waits for; it may be out already."""
        queue = self._queues.get(request.client, {})
        if request in queue:
            del queue[request]
            self._num -= 1
        if not queue:
            self._queues.pop(request.client, None)

    def rotate(self, request: P) -> None:
        """Move a request and its client to the end, after their turn."""
        queue = self._queues[request.client]
        del queue[request]
        queue[request] = None
        self._queues.move_to_end(request.client)

    @property
    def num_kinds(self) -> int:
        """Number of turns until all have had one: requests with equal keys share theirs."""
        return len({request.key for queue in self._queues.values() for request in queue})

    def next(self, is_ready: Callable[[P], bool]) -> list[list[P]]:
        """Return the requests that share the next turn, a list for each client.

        The first one of the first list is the one whose turn it is; all others have its key.

        Args:
            is_ready: whether a request can have a turn now.
        """
        self._drop_gone()
        ready = ([each for each in queue if is_ready(each)] for queue in self._queues.values())
        queues = [queue for queue in ready if queue]
        if not queues:
            return []
        key = queues[0][0].key
        sharing = ([each for each in queue if each.key == key] for queue in queues)
        return [queue for queue in sharing if queue]

    def _drop_gone(self) -> None:
        gone = [each for queue in self._queues.values() for each in queue if each.can_be_dropped]
        for request in gone:
            self.remove(request)
