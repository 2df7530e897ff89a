"""Options that name the file with the targets of another file, line by line."""

from __future__ import annotations

from pathlib import PurePosixPath

from foretext.base.errors import SettingError

__all__ = ["has_target_file", "with_targets"]

TABLES = (".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".parquet")  # have targets in a column


def has_target_file(sources: str | None, target: str | None) -> bool:
    """Whether `--target` names a file beside the sources, not a column of them."""
    if target is None or target.isdecimal():
        return False
    if sources is None:
        return True
    from foretext.corpus.compression import without_compression_suffix

    suffix = PurePosixPath(without_compression_suffix(sources)).suffix.lower()
    return suffix not in TABLES


def with_targets(
    name: str, sources: str | None, targets: str | None
) -> tuple[str, str] | str | None:
    """Return the file of sources alone, or with that of its targets.

    Args:
        name: of the rows: "train", "valid" or "test".
        sources: file of sources; None: it is not given.
        targets: file of targets; None: the sources have them.

    Raises:
        SettingError: targets of no sources are given.
    """
    if targets is None:
        return sources
    if sources is None:
        wanted = "TRAIN" if name == "train" else f"--{name}"
        option = "--target" if name == "train" else f"--{name}-target"
        raise SettingError(f"{option} {targets}: give the file of its sources, too, as {wanted}.")
    return sources, targets
