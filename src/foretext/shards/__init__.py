"""Work on a text that is cut into shards: what a shard is, what is done with it, and who does it.

Results are the same whoever does the work, in whatever order, and however often it was stopped: the
cut depends on the text alone, a result on its shard alone, and results are read in order.
"""

from foretext.shards.engines import ShardEngine, chosen_engine
from foretext.shards.local import LocalEngine
from foretext.shards.on_ray import RayEngine
from foretext.shards.work import DoneShard, Shard, ShardWork

__all__ = [
    "DoneShard",
    "LocalEngine",
    "RayEngine",
    "Shard",
    "ShardEngine",
    "ShardWork",
    "chosen_engine",
]
