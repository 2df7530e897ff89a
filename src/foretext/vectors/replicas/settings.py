"""Settings of word vectors whose weights several processes have copies of."""

from __future__ import annotations

from pydantic import Field, model_validator

from foretext.vectors.schedule import DescentConfig, ProcessesConfig

__all__ = ["ReplicasConfig"]


class ReplicasConfig(ProcessesConfig, DescentConfig):
    """Further settings of a descent in several processes."""

    sync_words: int = Field(1 << 16, ge=256)
    """Words that a process learns at most between two meetings with the others."""

    @model_validator(mode="after")
    def _meets_others(self) -> ReplicasConfig:
        if "sync_words" in self.changed and self.processes == 1:
            raise ValueError("sync_words would have no effect with one process")
        return self
