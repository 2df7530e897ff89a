"""A map of the frequent words: each word a point, near what it is used like.

Unit vectors go to their 50 principal components and from there to the plane by t-SNE on cosine
distances; too few words for that take the first two components. Colours are those of groups, by
k-means.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from foretext.vectors.principal_components import principal_components
from foretext.vectors.tsne import tsne

if TYPE_CHECKING:
    from foretext.vectors.word_vectors import WordVectors

__all__ = ["content_words", "example_word", "word_points"]

Floats = NDArray[np.float64]

FEWEST_FOR_TSNE = 50
PRINCIPAL_COMPONENTS = 50
WORDS_A_GROUP = 60  # groups are for colour alone
MOST_GROUPS = 8
STARTS, MOST_ROUNDS = 3, 300  # of k-means
TINY = 1e-12
LEVELS = (1, 1.5, 2, 3, 4, 6, 8, 12)  # magnifications at which more names find room
MAP_SIZE = (1000, 680)  # pixels, to tell which names would overlap
NAME_HEIGHT = 14  # pixels
_CONTENT = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_FIRST_IDEOGRAPH = 0x2E80
_MOST_FREQUENT = 100  # words, among which are nearly all function words of any language
_SHORTEST = 3  # letters, of a word in small scripts; a Chinese character is a word

_WORDS = """
a an the this that these those such same other another each every either neither both all any
some no none one ones many much more most few fewer less least several enough own

i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his
himself she her hers herself it its itself they them their theirs themselves who whom whose
which what whatever whoever whichever someone anyone everyone something anything everything
nothing nobody somebody anybody everybody

about above across after against along among amongst around as at before behind below beneath
beside besides between beyond by despite down during except for from in inside into like near of
off on onto out outside over past per since through throughout till to toward towards under
until up upon via with within without

and but or nor so yet if because although though unless while whereas whether than then else
therefore thus hence however moreover nevertheless otherwise

am is are was were be been being have has had having do does did done doing can could may might
must shall should will would ought need

not never ever also too very quite rather only just even still already again always often
sometimes perhaps almost together here there where when why how now once twice hereby thereby
thereafter therein whereby wherein wherever whenever anyhow somehow somewhere anywhere
everywhere nowhere further mostly namely indeed well

s t re ve ll d m don doesn didn isn aren wasn weren hasn haven hadn won wouldn couldn shouldn
"""

FUNCTION_WORDS = frozenset(_WORDS.split())


def content_words(vectors: WordVectors, number: int = 500) -> list[str]:
    """Return the first `number` words that are neither function words, numbers nor punctuation."""
    kept = (
        word
        for word in vectors.index_to_key
        if _CONTENT.fullmatch(word)
        and (len(word) >= _SHORTEST or not word.isascii())
        and word.lower() not in FUNCTION_WORDS
    )
    return [word for word, _ in zip(kept, range(number), strict=False)]


def example_word(vectors: WordVectors) -> str:
    """Return a frequent word whose neighbours are worth a look, in whatever language.

    The list of function words is English; in other languages they are among the most frequent ones
    and short, in Chinese one character.
    """
    known = content_words(vectors, len(vectors))
    place = vectors.key_to_index
    beyond = [word for word in known if place[word] >= min(_MOST_FREQUENT, len(vectors) // 10)]
    long = [word for word in beyond if len(word) >= (_SHORTEST + 1 if _is_alphabetic(word) else 2)]
    return next(iter([*long[:1], *known[:1], vectors.index_to_key[0]]))


def word_points(
    vectors: WordVectors, words: Sequence[str], *, seed: int = 0, num_neighbors: int = 6
) -> list[dict[str, Any]]:
    """Return a record a word, as `charts.map_chart` takes them; none for fewer than three words."""
    if len(words) < 3:
        return []
    unit = _unit_rows(np.asarray(vectors[words], dtype=np.float64))  # (N, D)
    places = _spread(_projected(unit, seed))  # (N, 2)
    groups = _groups(unit, seed)
    nearest = vectors.neighbors(words, num_neighbors)
    counts = _counts(vectors, words)
    return [
        {
            "word": word,
            "x": round(float(place[0]), 4),
            "y": round(float(place[1]), 4),
            "count": count,
            "group": group,
            "nearest": ", ".join(name for name, _ in near),
            "level": level,
        }
        for word, place, count, group, near, level in zip(
            words, places, counts, groups, nearest, _levels(places, words), strict=True
        )
    ]


def _projected(unit: Floats, seed: int) -> Floats:
    few = len(unit) < FEWEST_FOR_TSNE
    dimensions = min(2 if few else PRINCIPAL_COMPONENTS, *unit.shape)
    found = principal_components(unit.astype(np.float32), dimensions, remove_mean=True)
    components = unit @ found.directions  # (N, 50)
    components -= components.mean(axis=0)
    if few or dimensions < 2:
        return np.pad(components, ((0, 0), (0, 2 - dimensions)))
    kept = _unit_rows(components)
    distances = np.clip(1 - kept @ kept.T, 0, 2)  # (N, N)
    return tsne(distances, _start(components, seed), min(30, len(unit) / 4))


def _start(components: Floats, seed: int) -> Floats:
    """Return where t-SNE begins: the first two components, small, and never all in one point."""
    start = components[:, :2]  # (N, 2)
    start = start / max(float(start[:, 0].std()), 1e-6)
    start = start + 0.01 * np.random.default_rng(seed).normal(size=start.shape)
    return np.asarray(1e-4 * start, np.float64)


def _spread(places: Floats) -> Floats:
    """Return `places` moved to the unit square."""
    low, high = places.min(axis=0), places.max(axis=0)
    spread: Floats = (places - low) / np.where(high > low, high - low, 1.0)
    return spread


def _groups(unit: Floats, seed: int) -> list[int]:
    """Return the group of each row, by k-means from the best of a few starts (Lloyd 1982)."""
    rng = np.random.default_rng(seed)
    number = min(MOST_GROUPS, max(1, len(unit) // WORDS_A_GROUP))
    found = [_clusters(unit, number, rng) for _ in range(STARTS)]
    return [int(group) for group in min(found, key=lambda each: each[1])[0]]


def _clusters(
    unit: Floats, number: int, rng: np.random.Generator
) -> tuple[NDArray[np.int64], float]:
    """Return each row's cluster, and the sum of squared distances to the centres.

    The first centres are drawn far from each other (k-means++, Arthur and Vassilvitskii 2007).
    """
    centres = unit[[int(rng.integers(len(unit)))]]  # (K, D)
    for _ in range(number - 1):
        apart = _squared_distances(unit, centres).min(axis=1) + TINY
        centres = np.append(centres, unit[[rng.choice(len(unit), p=apart / apart.sum())]], axis=0)
    own = np.full(len(unit), -1)
    for _ in range(MOST_ROUNDS):
        before, apart = own, _squared_distances(unit, centres)
        own = apart.argmin(axis=1)
        if (own == before).all():
            break
        for group in np.unique(own):
            centres[group] = unit[own == group].mean(axis=0)
    return own, float(apart[np.arange(len(unit)), own].sum())


def _squared_distances(rows: Floats, centres: Floats) -> Floats:
    """Return (N, K), not below 0."""
    products = rows @ centres.T
    squares = np.square(rows).sum(axis=1)[:, None] + np.square(centres).sum(axis=1)
    return np.asarray(np.maximum(squares - 2 * products, 0.0), np.float64)


def _levels(places: Floats, words: Sequence[str]) -> list[float]:
    """Return for each word the magnification from which its name hides no earlier word's name."""
    pixels = places * MAP_SIZE  # (N, 2)
    half_widths = np.array([_name_width(word) / 2 for word in words])  # (N,)
    levels = np.full(len(words), np.inf)
    for level in LEVELS:
        for word in np.flatnonzero(np.isinf(levels)):
            others = np.flatnonzero(levels <= level)
            apart = np.abs(pixels[others] - pixels[word]) * level  # (O, 2)
            needed = half_widths[others] + half_widths[word]
            if not np.any((apart[:, 0] < needed) & (apart[:, 1] < NAME_HEIGHT)):
                levels[word] = level
    return [float(level) for level in np.where(np.isinf(levels), 2 * LEVELS[-1], levels)]


def _name_width(word: str) -> float:
    return 8 + sum(6.2 if ord(letter) < _FIRST_IDEOGRAPH else 11.5 for letter in word)


def _counts(vectors: WordVectors, words: Sequence[str]) -> list[int | None]:
    if vectors.counts is None:
        return [None] * len(words)
    return [int(vectors.counts[vectors.key_to_index[word]]) for word in words]


def _unit_rows(matrix: Floats) -> Floats:
    norms = np.linalg.norm(matrix, axis=1, keepdims=True)
    unit: Floats = matrix / np.where(norms > 0, norms, 1.0)
    return unit


def _is_alphabetic(word: str) -> bool:
    """Whether its letters are small ones, not Chinese characters or the like."""
    return all(ord(letter) < _FIRST_IDEOGRAPH for letter in word)
