"""Replicas on the nodes of a Ray cluster, which send each other the rows that they have changed.

A cycle is a graph of calls that is given to Ray at once: each replica learns, sends each other one
the rows that that one merges, and gets what the others have merged. So rows go from node to node,
and this process gets only what all have at the end of a cycle. Sums are made in the order of the
replicas, as on one machine, and end in the same bits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from foretext.base.errors import CorpusError
from foretext.base.files import open_file, output_error, temporary_folder
from foretext.vectors.replicas.averaging import Replica
from foretext.vectors.replicas.learner import ReplicaLearner
from foretext.vectors.replicas.local_group import Arrays, SharedWeights
from foretext.vectors.replicas.on_ray.members import Actors, RayMembers, remote_call
from foretext.vectors.replicas.plan import ReplicaPlan
from foretext.vectors.replicas.tiers import ROUNDS, Rows
from foretext.vectors.schedule import Learned

__all__ = ["META", "Exchange", "Member", "RayReplicaGroup", "SentText", "pieces_of"]

Part = dict[str, np.ndarray]  # some rows of each matrix, flat float32
LAST = ROUNDS - 1  # after which all rows are due

TARGET = "foretext.vectors.replicas.on_ray.group:Member"

META = "meta.json"  # has the checksums of all other files
PIECE = 16 << 20  # bytes that are sent at once


class RayReplicaGroup(RayMembers):
    """As many replicas as the settings of a model say; each is an actor.

    Args:
        learner: the model.
        address: of the cluster.

    Raises:
        SettingError: no cluster answers there.
        MissingExtraError: Ray is not installed.
    """

    def __init__(self, learner: ReplicaLearner, address: str) -> None:
        config = learner.config
        super().__init__(address, config.processes, config.threads)
        self._learner = learner
        self._exchange = Exchange(learner.rows(), config.processes)

    def start(self) -> None:
        """Make replicas that are not there, and give the weights of the model to all.

        Raises:
            ForetextError: they cannot be there.
            ReplicaLostError: one was lost.
        """
        put = self._cluster.ray.put
        parts = [put(part) for part in self._exchange.parts(self._learner.arrays())]
        begun = {
            number: remote_call(actor, "begin", *parts) for number, actor in self._actors.items()
        }
        made = self._made(self._drop_lost(begun))
        self._all(made, "begin", *parts)
        self._add(made)

    def learn(self, cycle: int, rates: tuple[float, float], seed: int) -> Learned:
        """Learn a cycle.

        Raises:
            ReplicaLostError: a node was lost.
        """
        learned: list[Any] = []
        merged: list[Any] = []
        for number in range(ROUNDS):
            rows = []
            for actor in self._actors.values():
                several = actor.do.options(num_returns=1 + self.number)
                result, *parts = several.remote("learn", cycle, number, rates, seed, *merged)
                learned.append(result)
                rows.append(parts)
            merged = [
                remote_call(actor, "merge", number, rates[0], *(parts[place] for parts in rows))
                for place, actor in self._actors.items()
            ]
        kept = [remote_call(actor, "keep", *merged) for actor in self._actors.values()]
        self._results(kept)  # nothing is taken before all have all
        for number, part in enumerate(self._results(merged)):
            self._exchange.put(self._learner.arrays(), number, part)
        return Learned.summed(self._results(learned))

    def _made(self, numbers: Sequence[int]) -> Actors:
        """Make replicas, each with the text."""
        plan = self._cluster.ray.put(ReplicaPlan.of(self._learner).written())
        actors = self._opened(numbers, TARGET, plan)
        self._send_text(actors)
        self._all(actors, "build")
        return actors

    def _send_text(self, actors: Actors) -> None:
        """Send the text to those who do not find it on their node."""
        folder = self._learner.text_folder
        meta = (folder / META).read_bytes()
        has_text = zip(actors.items(), self._all(actors, "has_text", meta), strict=True)
        lacking = dict(each for each, has in has_text if not has)
        for name, piece in pieces_of(folder) if lacking else ():
            self._all(lacking, "receive", name, self._cluster.ray.put(piece))


class Exchange(NamedTuple):
    """Rows that are due after a round fall into as many parts as there are replicas."""

    rows: dict[str, Rows]  # of each matrix
    replicas: int

    def parts(self, weights: Arrays, round_number: int = LAST) -> list[Part]:
        """Return the rows of each replica's part, as views."""
        return [
            {name: weights[name][each] for name, each in self._places(round_number, number).items()}
            for number in range(self.replicas)
        ]

    def put(self, weights: Arrays, number: int, part: Part, round_number: int = LAST) -> None:
        """Write the part of a replica to where it belongs."""
        for name, place in self._places(round_number, number).items():
            weights[name][place] = part[name]

    def _places(self, round_number: int, number: int) -> dict[str, slice]:
        places = {}
        for name, rows in self.rows.items():
            first, last = rows.due(round_number, number, self.replicas)
            places[name] = slice(first * rows.stride, last * rows.stride)
        return places


class Member:
    """A `Replica` that is alone on its machine.

    It has the room that processes of one machine share. What others would have written there is
    copied there, so that it learns and merges as they do, in the same bits. Of their copies it
    touches only the rows that it merges.

    Args:
        plan: a `ReplicaPlan` as it is written.
        number: of the replica.
    """

    def __init__(self, plan: str, number: int) -> None:
        self._plan, self._number = ReplicaPlan.read(plan), number
        self._text = SentText(self._plan.text)

    def has_text(self, meta: bytes) -> bool:
        """Whether the text is on this node, in the folder of the plan; else it has to be sent."""
        return self._text.is_here(meta)

    def receive(self, name: str, data: bytes) -> None:
        """Take the next bytes of a file of the text."""
        self._text.receive(name, data)

    def build(self) -> None:
        """Make the replica.

        Raises:
            CorpusError: the text cannot be read.
        """
        with self._text.folder() as folder:
            learner = self._plan.model_copy(update={"text": str(folder)}).built()
        arrays, replicas = learner.arrays(), learner.config.processes
        self._weights = SharedWeights(arrays, replicas)
        for name, array in arrays.items():
            self._weights.averaged[name][...] = array
        self._exchange = Exchange(learner.rows(), replicas)
        self._replica = Replica(learner, self._weights, self._number)

    def begin(self, *parts: Part) -> None:
        """Take the weights of the model, which are cut into the parts of all replicas."""
        for number, part in enumerate(parts):
            self._exchange.put(self._weights.averaged, number, part)
            self._exchange.put(self._weights.merged, number, part)
        self._replica.begin()

    def learn(
        self, cycle: int, number: int, rates: list[float], seed: int, *merged: Part
    ) -> tuple[Any, ...]:
        """Learn this replica's part of a round.

        Args:
            cycle: in which the round is.
            number: of the round.
            rates: of learning, at both ends of the cycle.
            seed: of the cycle.
            merged: the parts that were merged after the round before; none before the first one.

        Returns:
            a `Learned`, and the rows that each replica merges now.
        """
        if number > 0:
            self._take(number - 1, merged)
        learned = Learned(*self._replica.learn(cycle, number, rates, seed))
        return learned, *self._exchange.parts(self._replica.own, number)

    def merge(self, number: int, rate: float, *rows: Part) -> Part:
        """Merge this replica's part of the rows that are due, as each replica has learned them."""
        for replica, part in enumerate(rows):
            self._exchange.put(self._weights.copy(replica), self._number, part, number)
        self._replica.merge(number, rate)
        return self._exchange.parts(self._weights.merged, number)[self._number]

    def keep(self, *merged: Part) -> None:
        """End a cycle with the parts that were merged after its last round."""
        for number, part in enumerate(merged):
            self._exchange.put(self._weights.merged, number, part)
        self._replica.keep()

    def _take(self, round_number: int, merged: tuple[Part, ...]) -> None:
        for number, part in enumerate(merged):
            self._exchange.put(self._weights.merged, number, part, round_number)


def pieces_of(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a `TokenFile` in pieces, each with the name of its file.

    Raises:
        CorpusError: one cannot be read.
    """
    try:
        for path in sorted(each for each in folder.iterdir() if each.is_file()):
            with open_file(path) as file:
                while piece := file.read(PIECE):
                    yield path.name, piece
    except OSError as error:
        raise CorpusError(f"{folder} cannot be read ({error.strerror}).") from error


class SentText:
    """The text on a node.

    What is sent stands in a temporary folder until it is mapped into memory; then the folder is
    removed, and its room on the disk becomes free with the end of this process, however it ends.

    Args:
        shared: folder of the text on the machine that sends it, which may be here, too.
    """

    def __init__(self, shared: str) -> None:
        self._shared = Path(shared)
        self._exits = ExitStack()
        self._received: Path | None = None

    def is_here(self, meta: bytes) -> bool:
        """Whether the folder is here, with this content of `META`."""
        try:
            with open_file(self._shared / META) as file:
                return bool(file.read(len(meta) + 1) == meta)
        except OSError:
            return False

    def receive(self, name: str, data: bytes) -> None:
        """Write the next bytes of a file.

        Raises:
            OutputError: they cannot be written.
        """
        if self._received is None:
            self._received = self._exits.enter_context(temporary_folder())
        path = self._received / Path(name).name
        try:
            with path.open("ab") as file:
                file.write(data)
        except OSError as error:
            raise output_error(path, error) from error

    @contextmanager
    def folder(self) -> Iterator[Path]:
        """Yield the folder of the text, to be opened."""
        with self._exits:
            yield self._received or self._shared
