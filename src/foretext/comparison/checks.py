"""What a comparison is refused, or warned of, before its first candidate begins: time and room."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from foretext.base.errors import OutputError, SettingError
from foretext.comparison.candidate import Candidate
from foretext.comparison.candidates import USABLE_RATE, look_seconds
from foretext.messages import listed, message

__all__ = ["check_budget", "check_disk", "needed_bytes", "too_short"]

BUDGETS = (10, 30, 60, 120, 300, 600, 1800, 3600)  # seconds, of which a person chooses one
OFFERS = 3  # longer budgets that are named
NEARLY = 0.8  # of a fair look: less is worth a warning
SHOWN = 4  # names of candidates

MB = 1_000_000
RUN_BYTES = {  # of a fine-tuned model with its page, and of its answers
    "classical": 40 * MB,
    "vectors": 50 * MB,
    "from scratch": 30 * MB,
    "pretrained": 50 * MB,
    "given": 10 * MB,  # beside the size of what is given
}
BASE_BYTES = {"vectors": 30 * MB, "pretrained": 50 * MB}  # of a pretraining, beside its ids
CHECKPOINT_BYTES = 150 * MB  # of the one training that goes on: weights and optimizer
READ_BYTES = 10 * MB  # of a text, by the second, at most
ID_RATE = 0.8  # bytes of the ids and sentences of a text, to its own


def too_short(choose: Callable[[float], Sequence[Candidate]], budget_seconds: float) -> str:
    """Return why nothing can be tried in a budget, and what longer ones make possible.

    Args:
        choose: returns the candidates that a budget can try.
        budget_seconds: in which none can be.
    """
    longer = [(seconds, choose(seconds)) for seconds in BUDGETS if seconds > budget_seconds]
    possible = [(seconds, found) for seconds, found in longer if found]
    sentence = f"--budget {_time(budget_seconds)} is too short for any candidate"
    if not possible:
        return f"{sentence}; give more time, or name candidates with --only."
    offers = [f"{_names(found)} with {_time(seconds)}" for seconds, found in _growing(possible)]
    return f"{sentence}; it could be {'; '.join(offers[:OFFERS])}."


def check_budget(
    candidates: Sequence[Candidate], seconds_left: float, rounds: int = 1, seeds: float = 1
) -> Iterator[str]:
    """Yield a warning for candidates whose time is too short for a fair look at them.

    Args:
        candidates: that take part.
        seconds_left: of the budget, once rows are read.
        rounds: that divide it.
        seeds: fine-tunings of each candidate, as multiples of one from all rows.

    Raises:
        SettingError: there is no time left at all.
    """
    if seconds_left <= 0:
        raise SettingError(message("options.compare.over"))
    others = [each for each in candidates if each.group != "classical"] or [*candidates]
    looks = {each.name: look_seconds(each, seeds) for each in candidates}
    quick = sum(looks[each.name] for each in candidates if each not in others)
    share = (seconds_left / rounds - quick) / max(len(others), 1)
    short = [each for each in others if NEARLY * looks[each.name] > share]
    if short:
        longest = max(looks[each.name] for each in short)
        wanted = rounds * (quick + len(others) * longest) / USABLE_RATE
        yield (
            message(
                f"findings.status.short_{'one' if len(short) == 1 else 'many'}",
                share=_time(max(share, 0.0)),
                names=_names(short),
                longest=_time(longest),
                wanted=_time(_rounded(wanted)),
            )
        )


def needed_bytes(
    candidates: Sequence[Candidate],
    *,
    text_bytes: int,
    rows_bytes: int,
    seconds: float,
    seeds: int = 1,
    rounds: int = 1,
) -> dict[str, int]:
    """Return about how much of the disk each candidate takes, and under "" what all share.

    Args:
        candidates: that take part.
        text_bytes: of the corpus.
        rows_bytes: of the files of rows.
        seconds: of the budget, in which no more of the corpus can be read.
        seeds: models of each candidate.
        rounds: of successive halving: a later round has half of the candidates.
    """
    runs = seeds * sum(0.5**number for number in range(rounds))
    ids = {each.recipe for each in candidates if each.pretrains}
    read = min(text_bytes, READ_BYTES * seconds)
    needed = {"": round(len(ids) * ID_RATE * read) + rows_bytes + CHECKPOINT_BYTES}
    for each in candidates:
        base = BASE_BYTES.get(each.group, 0) if each.pretrains else 0
        needed[each.name] = round(base + runs * (RUN_BYTES[each.group] + _given_bytes(each)))
    return needed


def check_disk(folder: Path, needed: dict[str, int]) -> None:
    """Refuse a comparison for which the disk has too little room.

    Args:
        folder: of the comparison.
        needed: by candidate, as `needed_bytes` estimates it.

    Raises:
        OutputError: the disk is too small.
    """
    free, total = shutil.disk_usage(folder).free, sum(needed.values())
    if total <= free:
        return
    largest = max((name for name in needed if name), key=lambda name: needed[name])
    raise OutputError(
        f"{folder}: the comparison needs about {_size(total)} and {_size(free)} are free on the "
        f"disk; free some space, choose another place, or leave candidates out with --without "
        f"(such as {largest}: {_size(needed[largest])})."
    )


def _given_bytes(candidate: Candidate) -> int:
    """Return the size of what a candidate starts from; 0: it is no path."""
    path = Path(candidate.base or "")
    if candidate.group != "given" or not path.exists():
        return 0
    files = [path] if path.is_file() else [each for each in path.rglob("*") if each.is_file()]
    return sum(file.stat().st_size for file in files)


def _growing(
    possible: Sequence[tuple[float, Sequence[Candidate]]],
) -> Iterator[tuple[float, Sequence[Candidate]]]:
    """Yield those budgets that try more than the one before."""
    before = 0
    for seconds, found in possible:
        if len(found) > before:
            yield seconds, found
        before = len(found)


def _names(candidates: Sequence[Candidate]) -> str:
    names, more = [each.name for each in candidates[:SHOWN]], len(candidates) - SHOWN
    return listed([*names, message("findings.use.more", number=more)] if more > 0 else names)


def _rounded(seconds: float) -> float:
    """Return the next whole minute."""
    return 60.0 * -(-seconds // 60)


def _time(seconds: float) -> str:
    """Return a duration as the command line takes it."""
    whole = round(seconds)
    return f"{whole // 60}m" if whole >= 60 and whole % 60 == 0 else f"{whole}s"


def _size(number: int) -> str:
    return f"{number / 1e9:.1f} GB"
