"""What is written down of a job beside the folder that it fills, so that it is done once.

``seed-0.json`` stands beside ``seed-0/``: the job when it begins, and its reply when it has ended.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated

from pydantic import Field

from foretext.base.errors import OutputError, SettingError
from foretext.base.files import atomic_file, is_regular_file
from foretext.base.parsing import read_json
from foretext.comparison.worker import Job, Reply

__all__ = ["KeptJob"]

FREE_TO_CHANGE = ("budget", "text_bytes", "quiet")  # a resumed job has the time that it began with


@dataclass(frozen=True)
class KeptJob:
    """A job, and its reply once it has ended."""

    job: Annotated[Job, Field(discriminator="kind")]
    reply: Annotated[Reply, Field(discriminator="kind")] | None = None

    @classmethod
    def begun(cls, job: Job) -> KeptJob:
        """Return a job as it began, now or in a process that was killed.

        Raises:
            SettingError: another job began there.
            OutputError: what was written down is damaged, or cannot be written.
        """
        path = _path(job)
        if not is_regular_file(path):
            kept = cls(job)
            kept.save()
            return kept
        found = cls.of(path)
        _check_same(found.job, job)
        return replace(found, job=replace(found.job, quiet=job.quiet))

    @classmethod
    def of(cls, path: Path) -> KeptJob:
        """Read what was written down.

        Raises:
            OutputError: it is damaged.
        """
        found: KeptJob = read_json(path, OutputError, cls)
        return found

    def ended(self, reply: Reply) -> None:
        """Write down the reply.

        Raises:
            OutputError: it cannot be written.
        """
        replace(self, reply=reply).save()

    def save(self) -> None:
        """Write ``NAME.json`` beside the folder NAME, whole or not at all.

        Raises:
            OutputError: it cannot be written.
        """
        with atomic_file(_path(self.job)) as temporary:
            temporary.write_text(json.dumps(asdict(self), ensure_ascii=False), encoding="utf-8")


def _path(job: Job) -> Path:
    out = Path(job.out)
    return out.with_name(f"{out.name}.json")


def _check_same(before: Job, job: Job) -> None:
    old, new = asdict(before), asdict(job)
    for name in sorted(old.keys() | new.keys()):
        began, given = (json.dumps(each.get(name)) for each in (old, new))  # a tuple is a list
        if began != given and name not in FREE_TO_CHANGE:
            raise SettingError(
                f"{job.out} began with {name} = {began}, not {given}; resume with the same "
                "settings, or begin a comparison in another folder."
            )
