"""Word vectors trained by several processes, each with weights of its own that are often merged.

Ji et al. 2016, "Parallelizing Word2Vec in Shared and Distributed Memory", section III: frequent
words are merged more often than rare ones. A round is what each process learns between two such
meetings; a cycle is 32 rounds, and after it all rows are one again. A cycle is a function of
the weights before it and of its number: whatever happens to a process, the cycle is learned again
from there and ends in the same bits.
"""

from foretext.vectors.replicas.settings import ReplicasConfig
from foretext.vectors.replicas.tiers import Rows
from foretext.vectors.replicas.training import train_replicas

__all__ = ["ReplicasConfig", "Rows", "train_replicas"]
