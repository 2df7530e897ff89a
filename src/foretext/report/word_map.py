"""A map of the frequent words: each word a point, near what it is used like.

Unit vectors go to their 50 principal components and from there to the plane by t-SNE (van der
Maaten and Hinton 2008) on cosine distances; too few words for that take the first two components.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from foretext.vectors.word_vectors import WordVectors

__all__ = ["content_words", "example_word", "word_points"]

Floats = NDArray[np.float64]

FEWEST_FOR_TSNE = 50
PRINCIPAL_COMPONENTS = 50
WORDS_A_GROUP = 60  # groups are for colour alone
MOST_GROUPS = 8
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
    import sklearn.cluster
    import sklearn.manifold  # noqa: F401  # first: limits hold for libraries that are loaded
    from threadpoolctl import threadpool_limits

    unit = _unit_rows(np.asarray(vectors[words], dtype=np.float64))  # (N, D)
    with threadpool_limits(1):  # threads wait for each other at every step, long on a busy machine
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
    from sklearn.decomposition import PCA
    from sklearn.manifold import TSNE

    few = len(unit) < FEWEST_FOR_TSNE
    dimensions = min(2 if few else PRINCIPAL_COMPONENTS, *unit.shape)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # constant columns, defaults that will change
        components: Floats = PCA(dimensions, random_state=seed).fit_transform(unit)
        if few or dimensions < 2:
            return np.pad(components, ((0, 0), (0, 2 - dimensions)))
        projection: Floats = TSNE(
            metric="cosine",
            perplexity=min(30, len(unit) / 4),
            init=_start(components, seed),
            random_state=seed,
        ).fit_transform(components)
    return projection


def _start(components: Floats, seed: int) -> NDArray[np.float32]:
    """Return where t-SNE begins: the first two components, small, and never all in one point.

    Its own start divides by the spread of the first one, and crashes where there is none.
    """
    start = components[:, :2]  # (N, 2)
    start = start / max(float(start[:, 0].std()), 1e-6)
    start = start + 0.01 * np.random.default_rng(seed).normal(size=start.shape)
    return (1e-4 * start).astype(np.float32)


def _spread(places: Floats) -> Floats:
    """Return `places` moved to the unit square."""
    low, high = places.min(axis=0), places.max(axis=0)
    spread: Floats = (places - low) / np.where(high > low, high - low, 1.0)
    return spread


def _groups(unit: Floats, seed: int) -> list[int]:
    from sklearn.cluster import KMeans

    number = min(MOST_GROUPS, max(1, len(unit) // WORDS_A_GROUP))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # fewer distinct words than groups
        groups = KMeans(number, n_init=3, random_state=seed).fit_predict(unit)
    return [int(group) for group in groups]


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
