"""Replicas on the nodes of a Ray cluster, which send each other the rows that they have changed.

A cycle is a graph of calls that is given to Ray at once: each replica learns, sends each other one
the rows that that one merges, and gets what the others have merged. So rows go from node to node,
and this process gets only what all have at the end of a cycle. Sums are made in the order of the
replicas, as on one machine, and end in the same bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from foretext.vectors.replicas.learner import ReplicaLearner
from foretext.vectors.replicas.on_ray.exchange import Exchange
from foretext.vectors.replicas.on_ray.member import TARGET
from foretext.vectors.replicas.on_ray.members import Actors, RayMembers, asked
from foretext.vectors.replicas.on_ray.sent_text import META, pieces_of
from foretext.vectors.replicas.plan import ReplicaPlan
from foretext.vectors.replicas.tiers import ROUNDS
from foretext.vectors.slice_learner import Learned

__all__ = ["RayReplicaGroup"]


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
        begun = {number: asked(actor, "begin", *parts) for number, actor in self._actors.items()}
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
                asked(actor, "merge", number, rates[0], *(parts[place] for parts in rows))
                for place, actor in self._actors.items()
            ]
        kept = [asked(actor, "keep", *merged) for actor in self._actors.values()]
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
