"""Replicas on the nodes of a Ray cluster; nothing here imports Ray before it is used."""

from foretext.vectors.replicas.on_ray.group import RayReplicaGroup

__all__ = ["RayReplicaGroup"]
