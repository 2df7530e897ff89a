"""Figures as a person reads them: 1.2 M words, 3.4 GB, 00:31."""

from __future__ import annotations

__all__ = ["human_bytes", "human_count", "human_figure", "human_seconds", "seconds_in_words"]

SCALES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""))


def human_count(count: float) -> str:
    """Return about three digits and a scale: ``999``, ``1.2 k``, ``12.3 M``, ``123 G``."""
    number, letter = _scaled(count)
    return f"{number} {letter}" if letter else number


def human_bytes(count: float) -> str:
    """Return a size in decimal units: ``512 B``, ``1.2 MB``."""
    number, letter = _scaled(count)
    return f"{number} {letter}B"


def human_seconds(seconds: float) -> str:
    """Return a duration as ``mm:ss``, or ``h:mm:ss`` from one hour on."""
    minutes, second = divmod(round(seconds), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02}:{second:02}" if hours else f"{minute:02}:{second:02}"


def seconds_in_words(seconds: float) -> str:
    """Return an estimate for a sentence: ``a second``, ``42 seconds``, ``3 minutes``."""
    if seconds >= 5400:
        return f"{seconds / 3600:.0f} hours"
    if seconds >= 90:
        return f"{seconds / 60:.0f} minutes"
    return f"{seconds:.0f} seconds" if seconds >= 1.5 else "a second"


def human_figure(value: float) -> str:
    """Return a loss, a learning rate or a score with four digits that count; 12.3 k for more."""
    if abs(value) >= 1000:
        return human_count(value)
    if abs(value) >= 100:
        return f"{value:.0f}"
    return f"{value:.4g}" if value == 0 or abs(value) < 0.1 else f"{value:.3f}"


def _scaled(count: float) -> tuple[str, str]:
    """Return the number and the letter of the scale that its rounded value falls in."""
    # 999,950 is 1.0 M, not 1000 k
    size, letter = next((scale for scale in SCALES if abs(count) >= 0.9995 * scale[0]), SCALES[-1])
    number = count / size
    whole = abs(number) >= 99.95 or (letter == "" and float(number).is_integer())
    return f"{number:.0f}" if whole else f"{number:.1f}", letter
