"""Shards are done on a Ray cluster; nothing here imports Ray before it is used."""

from foretext.shards.on_ray.engine import RayEngine

__all__ = ["RayEngine"]
